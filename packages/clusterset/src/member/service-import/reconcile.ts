import type {
  EndpointSlice as Slice,
  Service as ServiceObject,
  ServiceImport as ServiceImportObject,
} from '@isthmus/api';
import {
  Annotation,
  ConditionType,
  EndpointSlice,
  Endpoints,
  Label,
  Namespace,
  Reason,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  SourceKind,
  importedPrefix,
  importedServiceName,
} from '@isthmus/api';
import type { Access, Client, Outcome, ReconcileContext, Reconciler, World } from '@isthmus/kube';
import { ApiError, again, blocked, defineReconciler, done, from, isInvalid } from '@isthmus/kube';
import { conditionOf, keyOfObject, refOf, rfc3339 } from '@isthmus/machinery';
import { createRemovalGuard, holdMs } from '../../removal-guard.ts';
import { howToAllowRemovals } from '../../removals-allowed.ts';
import { servedClusterSet } from '../../served-cluster-set.ts';
import type { LocalCluster } from '../local-cluster.ts';
import { SliceIndex } from '../local-cluster.ts';
import type { LeaderSession } from '../session/leader-session.ts';
import { RemoteIndex, exportKeys, firstExportedByLeader } from '../session/leader-session.ts';
import type { ImportPlan, Problem, ServiceImportDecision, ServicePlan } from './decide.ts';
import { decideServiceImport, importStatus, partlyImported } from './decide.ts';
import { importedEndpoints } from './endpoints.ts';
import { carriesOurLabel, isOurService, isOurServiceImport, isOurSlice } from './ownership.ts';
import { localPortName } from './port-names.ts';
import type { RemoteService } from './read-imports.ts';
import { importKeys, readImports } from './read-imports.ts';
import { planSlices } from './slices.ts';
import { removeAntreaEndpoints } from './adoption.ts';

/** Where the imports that a member wants come from. */
export type ImportSource =
  | { readonly kind: 'session'; readonly session: LeaderSession }
  /** Nothing is wanted: the cluster is in no ClusterSet, or is leaving it. */
  | { readonly kind: 'none' };

export interface ServiceImportOptions {
  readonly local: LocalCluster;
  readonly source: ImportSource;
  readonly world: World;
  /** For the rare object that no cache holds. */
  readonly client: Client;
}

/** The keys of an imported Service's local objects. */
function derivedKeys(service: ServiceObject): readonly string[] {
  const { name, namespace = '' } = service.metadata;
  return name.startsWith(importedPrefix) ? [`${namespace}/${name.slice(importedPrefix.length)}`] : [];
}

function sliceKeys(slice: Slice): readonly string[] {
  const { labels, namespace = '' } = slice.metadata;
  return [labels?.[Label.mcsServiceName], labels?.[Label.serviceName]].flatMap((name) =>
    name === undefined ? [] : [`${namespace}/${name}`],
  );
}

/**
 * How long an import stays after the leader has lost it. What somebody deleted by mistake on the leader (an import, an export, an announcement)
 * or replaced by delete and create in the exporting cluster is back within this time; without it, every importing cluster would
 * lose the Service's address and its connections.
 */
const graceMs = 500;

/** What this controller may do. */
export const serviceImportAccess: readonly Access[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Namespace, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  // Of an Antrea member that was here before.
  { at: 'local', type: Endpoints, scope: 'all', verbs: ['get', 'delete'] },
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceImport, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: ServiceImport, subresource: 'status', scope: 'all', verbs: ['patch'] },
];

/** Makes every Service of the ClusterSet callable here, and removes what is no longer offered. One key: `namespace/name`. */
export function serviceImportController(options: ServiceImportOptions): Reconciler {
  const { local, source, world } = options;
  const remoteSources =
    source.kind === 'none'
      ? []
      : [from(source.session.imports.cache, importKeys), from(source.session.exports.cache, exportKeys)];
  const guard =
    source.kind === 'none'
      ? undefined
      : createRemovalGuard({
          clock: world.clock,
          cache: source.session.imports.cache,
          keys: (object) => (object.spec?.kind === SourceKind.serviceImport ? importKeys(object) : []),
          clusterSets: local.clusterSets.cache,
          count: () => {
            const ours = local.serviceImports.cache.list().filter(carriesOurLabel).map(keyOfObject);
            return {
              standing: ours.length,
              missing: ours.filter((key) => remoteObjects(source, key).length === 0).length,
            };
          },
        });
  // A cache: since when an import is missing on the leader. Lost with the process, which costs half a second.
  const missingSince = new Map<string, number>();
  const wanted = (key: string) =>
    local.serviceImports.cache.getByKey(key) !== undefined || remoteObjects(source, key).length > 0 ? [key] : [];
  return defineReconciler({
    name: 'service-import',
    sources: [
      // First: what it notes must stand before the key is looked at.
      ...(guard === undefined ? [] : [guard.source]),
      ...remoteSources,
      from(local.serviceImports.cache, (object) => [keyOfObject(object)]),
      from(local.services.cache, (object) => [...derivedKeys(object), ...wanted(keyOfObject(object))]),
      from(local.slices.cache, (slice) => sliceKeys(slice).flatMap((key) => (isOurSlice(slice) ? [key] : wanted(key)))),
      from(local.serviceExports.cache, (object) => wanted(keyOfObject(object))),
      // A Namespace that appears gets the imports that waited for it.
      from(local.namespaces.cache, (namespace) =>
        source.kind === 'none'
          ? []
          : source.session.imports.cache
              .list()
              .flatMap(importKeys)
              .filter((key) => refOf(key).namespace === namespace.metadata.name),
      ),
    ],
    access: serviceImportAccess,
    async reconcile(key, context) {
      const { namespace = '', name } = refOf(key);
      const remote = readImports(remoteObjects(source, key));
      const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
      const serviceImport = local.serviceImports.cache.get({ namespace, name });
      const there = local.namespaces.cache.get({ name: namespace });
      const namespaceThere = there !== undefined && there.metadata.deletionTimestamp === undefined;
      const decision = decideServiceImport({ namespace, name, remote, namespaceThere, derived, serviceImport });
      if (decision.kind !== 'withdraw') missingSince.delete(key);
      switch (decision.kind) {
        case 'wait':
          tell(decision.problem, serviceImport);
          return done;
        case 'hold':
          return hold(decision.problem, serviceImport, derived, context);
        case 'withdraw':
          if (ownExportPending(key)) return again(1_000, 'the own export has not been merged yet');
          return inGrace(key) ?? (await heldBack(key, context)) ?? withdrawNow(key, derived, serviceImport, context);
        case 'import':
          guard?.settled(key);
          return carryOut(key, decision, remote, context);
      }
    },
  });

  async function carryOut(
    key: string,
    decision: ServiceImportDecision & { kind: 'import' },
    remote: RemoteService,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { namespace = '', name } = refOf(key);
    if (decision.problem !== undefined) tell(decision.problem, decision.serviceImport.from);
    let service: ServiceObject | undefined;
    let failure: ApiError | undefined;
    if (decision.service !== undefined) {
      const { service: plan } = decision;
      if (plan.kind === 'change' && !carriesOurLabel(plan.from)) {
        // Antrea's: ours first, then its Endpoints go. Our label comes last, so that a crash in between changes nothing.
        const missing = await writeSlices(key, plan.from, remote, context);
        if (missing !== undefined) throw missing;
        await removeAntreaEndpoints(options.client, { namespace, name: importedServiceName(name) }, context.signal);
      }
      service = await writeService(plan, context);
      failure = await writeSlices(key, service, remote, context);
    }
    const stamp = ownStamp(key);
    const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service) };
    const imported = await writeImport(decision.serviceImport, spec, stamp, context);
    const status = importStatus({
      serviceImport: imported,
      clusters: [...remote.perCluster.keys()],
      problem: decision.problem ?? slicesRefused(failure),
      now: rfc3339(world.clock.now()),
    });
    await local.serviceImports.changeStatus(imported, status, context.signal);
    if (failure !== undefined) throw failure;
    if (decision.service === undefined && decision.problem !== undefined) {
      return blocked(decision.problem.reason, decision.problem.message);
    }
    return done;
  }

  /** The outcome where the leader may be about to bring the import back. */
  function inGrace(key: string): Outcome | undefined {
    if (source.kind === 'none' || local.serviceImports.cache.getByKey(key) === undefined) return undefined;
    const nowMs = world.clock.monotonic();
    const since = missingSince.get(key) ?? nowMs;
    missingSince.set(key, since);
    const leftMs = since + graceMs - nowMs;
    return leftMs > 0 ? again(leftMs, 'the import may come back at once') : undefined;
  }

  /** The outcome where a withdrawal is not to be believed yet. */
  async function heldBack(key: string, { signal, log }: ReconcileContext): Promise<Outcome | undefined> {
    if (guard === undefined || source.kind === 'none' || local.serviceImports.cache.getByKey(key) === undefined)
      return undefined;
    const verdict = guard.ask(key);
    const leader = source.session.spec.leaderClusterID;
    switch (verdict.kind) {
      case 'go':
        return undefined;
      case 'confirm':
        if (await source.session.isGone(refOf(key), signal)) return undefined;
        return again(holdMs, 'the leader has the import after all');
      case 'hold': {
        log.warn('more than half of the imports are missing on the leader; keeping them for now', { leader, key });
        const clusterSet = servedClusterSet(local.clusterSets.cache.list());
        if (clusterSet !== undefined) {
          const message = `More than half of the imported Services are missing on leader ${leader}, and it did not tell that they were withdrawn. They are kept for a minute, and then only removed if the leader still says so. ${howToAllowRemovals(clusterSet)}`;
          local.events.event(clusterSet, { type: 'Warning', reason: 'WithdrawalHeld', message });
        }
        return again(verdict.forMs, 'more than half of the imports are missing on the leader');
      }
    }
  }

  async function withdrawNow(
    key: string,
    derived: ServiceObject | undefined,
    serviceImport: ServiceImportObject | undefined,
    context: ReconcileContext,
  ): Promise<Outcome> {
    await withdraw(key, derived, serviceImport, context);
    guard?.settled(key);
    missingSince.delete(key);
    return done;
  }

  async function writeService(plan: ServicePlan, { signal }: ReconcileContext): Promise<ServiceObject> {
    switch (plan.kind) {
      case 'create':
        return local.services.create(plan.object, signal);
      case 'change':
        return local.services.change(plan.from, plan.to, signal);
      case 'replace':
        await local.services.delete(plan.from, signal);
        return local.services.create(plan.to, signal);
    }
  }

  async function writeImport(
    plan: ImportPlan,
    spec: NonNullable<ServiceImportObject['spec']>,
    stamp: Readonly<Record<string, string>>,
    { signal }: ReconcileContext,
  ): Promise<ServiceImportObject> {
    const metadata = { ...plan.metadata, annotations: { ...plan.metadata.annotations, ...stamp } };
    if (plan.from === undefined) return local.serviceImports.create({ metadata, spec }, signal);
    return local.serviceImports.change(plan.from, { ...plan.from, metadata, spec }, signal);
  }

  /** Returns the first refusal: a slice that the API server will not have must not hold up those of other clusters. */
  async function writeSlices(
    key: string,
    service: ServiceObject,
    remote: RemoteService,
    { signal }: ReconcileContext,
  ): Promise<ApiError | undefined> {
    if (source.kind === 'none') return undefined;
    const { namespace = '', name } = refOf(key);
    const { clusterID } = source.session.spec;
    const exported = local.serviceExports.cache.getByKey(key) !== undefined;
    const own = exported ? local.services.cache.getByKey(key) : undefined;
    const sources = importedEndpoints({
      clusterID,
      remote,
      ownSlices: own === undefined ? [] : local.slices.cache.byIndex(SliceIndex.service, key),
      ownClusterIPs: own?.spec?.clusterIPs ?? [],
    });
    const plan = planSlices({
      namespace,
      name,
      service,
      sources,
      nameOf: localPortName(remote.spec?.ports ?? []),
      current: local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice),
      isTaken: (sliceName) => local.slices.cache.get({ namespace, name: sliceName }) !== undefined,
    });
    let failure: ApiError | undefined;
    const attempt = async (write: Promise<unknown>) => {
      try {
        await write;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failure ??= error;
      }
    };
    for (const slice of plan.create) await attempt(local.slices.create(slice, signal));
    for (const { from: before, to } of plan.change) await attempt(local.slices.change(before, to, signal));
    for (const slice of plan.remove) await attempt(local.slices.delete(slice, signal));
    return failure;
  }

  /** Slices last: until the Service is gone they keep its connections going. */
  async function withdraw(
    key: string,
    derived: ServiceObject | undefined,
    serviceImport: ServiceImportObject | undefined,
    { signal }: ReconcileContext,
  ): Promise<void> {
    // In no ClusterSet, Antrea's annotation alone proves nothing.
    const ours = (service: ServiceObject) =>
      isOurService(service) && (source.kind === 'session' || carriesOurLabel(service));
    if (
      serviceImport !== undefined &&
      isOurServiceImport(serviceImport, derived) &&
      (source.kind === 'session' || carriesOurLabel(serviceImport))
    ) {
      await local.serviceImports.delete(serviceImport, signal);
    }
    if (derived !== undefined && ours(derived)) await local.services.delete(derived, signal);
    for (const slice of local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice)) {
      await local.slices.delete(slice, signal);
    }
  }

  async function hold(
    problem: Problem,
    serviceImport: ServiceImportObject | undefined,
    derived: ServiceObject | undefined,
    { signal }: ReconcileContext,
  ): Promise<Outcome> {
    tell(problem, serviceImport);
    if (serviceImport !== undefined && isOurServiceImport(serviceImport, derived)) {
      const clusters = (serviceImport.status?.clusters ?? []).map(({ cluster }) => cluster);
      const status = importStatus({ serviceImport, clusters, problem, now: rfc3339(world.clock.now()) });
      await local.serviceImports.changeStatus(serviceImport, status, signal);
    }
    return blocked(problem.reason, problem.message);
  }

  /** Says what is wrong on the object that the user looks at; where there is none, on the ClusterSet. */
  function tell(problem: Problem | undefined, serviceImport: ServiceImportObject | undefined): void {
    if (problem === undefined) return;
    const object = serviceImport ?? servedClusterSet(local.clusterSets.cache.list());
    if (object !== undefined) local.events.event(object, { type: 'Warning', ...problem });
  }

  /** Our own export is on its way to a leader that does not know it yet: the import will come back, so it need not go. */
  function ownExportPending(key: string): boolean {
    if (source.kind === 'none') return false;
    const serviceExport = local.serviceExports.cache.getByKey(key);
    if (serviceExport === undefined || serviceExport.metadata.deletionTimestamp !== undefined) return false;
    const { conditions } = serviceExport.status ?? {};
    if (conditionOf(conditions, ConditionType.valid)?.status !== 'True') return false;
    if (conditionOf(conditions, ConditionType.ready)?.reason === Reason.failed) return false;
    const { namespace = '', name } = refOf(key);
    const exports = source.session.exports.cache
      .byIndex(RemoteIndex.service, key)
      .filter((object) => object.spec?.namespace === namespace && object.spec.name === name);
    const service = exports.find((object) => object.spec?.kind === 'Service');
    return (
      service === undefined ||
      (service.metadata.deletionTimestamp === undefined && service.status?.conditions?.[0]?.status !== 'False')
    );
  }

  function ownStamp(key: string): Readonly<Record<string, string>> {
    const time = source.kind === 'none' ? undefined : firstExportedByLeader(source.session, key);
    return time === undefined ? {} : { [Annotation.firstExported]: time };
  }
}

function slicesRefused(failure: ApiError | undefined): Problem | undefined {
  return isInvalid(failure) ? partlyImported(failure?.message ?? '') : undefined;
}

function remoteObjects(source: ImportSource, key: string): readonly ResourceImport[] {
  return source.kind === 'none' ? [] : source.session.imports.cache.byIndex(RemoteIndex.service, key);
}

function addressesOf(service: ServiceObject | undefined): Partial<NonNullable<ServiceImportObject['spec']>> {
  const ips = (service?.spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '');
  if (ips.length === 0) return { ips: undefined, ipFamilies: undefined };
  return { ips, ipFamilies: ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4')) };
}
