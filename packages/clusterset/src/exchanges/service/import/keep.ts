import type { EventReason, Service, ServiceImport } from '@isthmus/api';
import { importedServiceName, serviceImportStatus } from '@isthmus/api';
import type { Outcome, Reconciler } from '@isthmus/kube';
import { blocked, defineReconciler, done } from '@isthmus/kube';
import { refOf, rfc3339 } from '@isthmus/machinery';
import { conditionOf } from '../../../conditions.ts';
import type { LocalCluster } from '../local/services.ts';
import type { ServiceImportDecision } from './decide.ts';
import { decideServiceImport, importStatus } from './decide.ts';
import { fitsSlices, keptEndpoints, keptService } from './slices/kept.ts';
import { serviceImportAccess } from './reconcile.ts';
import { createLocalRefusals, retried } from './local-refusals.ts';
import type { RemoteService } from './published/read-imports.ts';
import { importSources } from './watched-keys.ts';
import { addressesOf, writeService } from './write-import.ts';
import { formerNamesIn, ownServiceOf, standingSlices, writeSources } from './slices/write-slices.ts';

/**
 * Keeps what was imported working while the leader cannot be read: own Pods, the derived Service, the condition Ready. What only the leader knows
 * stays as it is, nothing is imported and nothing withdrawn. One key: `namespace/name`.
 */
export function keptImportController(local: LocalCluster, ownClusterID: () => string | undefined): Reconciler {
  const refusals = createLocalRefusals(local.world.clock);
  return defineReconciler<EventReason<typeof serviceImportStatus>>({
    name: 'service-import-kept',
    sources: importSources(local, { kind: 'none' }),
    access: serviceImportAccess,
    async reconcile(key, { signal }) {
      const { namespace = '', name } = refOf(key);
      const serviceImport = local.serviceImports.cache.get({ namespace, name });
      const remote = keptService(serviceImport);
      if (remote === undefined || serviceImport === undefined) return done;
      const there = local.namespaces.cache.get({ name: namespace });
      const namespaceThere = there !== undefined && there.metadata.deletionTimestamp === undefined;
      const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
      const decision = decideServiceImport({ namespace, name, remote, namespaceThere, derived, serviceImport });
      if (decision.kind !== 'import') return done;
      try {
        const outcome = await keep({ key, serviceImport, remote, decision }, signal);
        refusals.clear(key);
        return outcome;
      } catch (error) {
        return retried(refusals.problemOf(key, error));
      }
    },
    /** On the ServiceImport, which the user looks at. */
    async report(key, problem) {
      const object = local.serviceImports.cache.getByKey(key);
      if (problem !== undefined && object !== undefined) local.events.report(object, serviceImportStatus, problem);
    },
  });

  async function keep(
    { key, serviceImport, remote, decision }: KeptImport,
    signal: AbortSignal,
  ): Promise<Outcome<EventReason<typeof serviceImportStatus>>> {
    const { metadata } = decision.serviceImport;
    const current = standingSlices(local, key);
    let service: Service | undefined;
    if (decision.service !== undefined) {
      service = await writeKeptService(decision.service, fitsSlices(remote, current), signal);
      const sources = keptEndpoints({
        clusterID: ownClusterID(),
        remote,
        clusters: (serviceImport.status?.clusters ?? []).map(({ cluster }) => cluster),
        own: ownServiceOf(local, key),
        exported: local.serviceExports.cache.getByKey(key) !== undefined,
        current,
      });
      const { spec } = remote;
      const formerNames = formerNamesIn(service, spec);
      const failure = await writeSources(local, { key, service, spec, sources, formerNames }, signal);
      if (failure !== undefined) throw failure;
    }
    const families = (serviceImport.spec?.ipFamilies ?? []).filter((one) => one === 'IPv4' || one === 'IPv6');
    // The addresses are those of the Service; all else in the spec is from the leader.
    const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service, families) };
    const kept = await local.serviceImports.change(serviceImport, { ...serviceImport, metadata, spec }, signal);
    const { problem } = decision;
    if (problem !== undefined && problem.reason === 'PartlyImported') return done;
    // What else is wrong with the import was found in what the leader publishes, and is still so.
    const standing = conditionOf(kept.status?.conditions, 'Ready')?.reason;
    if (problem === undefined && standing !== undefined && !isDecidedHere(standing)) return done;
    const now = rfc3339(local.world.clock.now());
    const status = importStatus({ serviceImport: kept, clusters: undefined, problem, now });
    await local.serviceImports.changeStatus(kept, status, signal);
    return problem === undefined ? done : blocked(problem.reason, problem.message);
  }

  /** Another type would mean another Service, under another address: that is for the leader to say. */
  async function writeKeptService(
    plan: NonNullable<(ServiceImportDecision & { readonly kind: 'import' })['service']>,
    isCurrent: boolean,
    signal: AbortSignal,
  ): Promise<Service> {
    const isKept = plan.kind === 'replace' || (plan.kind === 'change' && !isCurrent);
    return isKept ? plan.from : (await writeService(local, plan, signal)).service;
  }
}

interface KeptImport {
  readonly key: string;
  readonly serviceImport: ServiceImport;
  readonly remote: RemoteService;
  readonly decision: ServiceImportDecision & { readonly kind: 'import' };
}

/** What keeps an import from working here, whatever the leader publishes. */
function isDecidedHere(reason: string): boolean {
  return reason === 'ServiceNameTaken' || reason === 'NameTooLong' || reason === 'WriteRejected';
}
