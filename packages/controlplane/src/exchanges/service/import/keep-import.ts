import type { EventReason, Service, ServiceImport, serviceImportStatus } from '@isthmus/api';
import { importedServiceName } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, blocked, done } from '@isthmus/kube';
import { isLive, liveOf, refOf } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { callReasons } from './calls/decide-calls.ts';
import type { ServiceImportDecision } from './decide.ts';
import { decideServiceImport, heldProblem, isOmission, namespaceStateOf } from './decide.ts';
import { keptPods } from './slices/pods.ts';
import { fitsSlices, keptEndpoints, keptService } from './slices/kept.ts';
import { hold } from './report-obstacle.ts';
import type { LocalRefusals } from './local-refusals.ts';
import { retried } from './local-refusals.ts';
import { addressesOf, writeService } from './write-import.ts';
import type { StatusOptions } from './write-status.ts';
import { findCalls, writeImportStatus } from './write-status.ts';
import { formerNamesIn, ownServiceOf, existingPods, existingSlices, writeSources } from './slices/write-slices.ts';

export interface KeepOptions extends StatusOptions {
  readonly refusals: LocalRefusals;
}

/**
 * Keeps an import working while the leader cannot be read or used: own Pods, the derived
 * Service and the condition Ready. Facts that only the leader knows stay the same. Nothing is
 * imported and nothing is withdrawn.
 */
export async function keepImport(
  options: KeepOptions,
  key: string,
  signal: AbortSignal,
): Promise<Outcome<EventReason<typeof serviceImportStatus>>> {
  const { local, refusals } = options;
  const { namespace = '', name } = refOf(key);
  const serviceImport = local.serviceImports.cache.get({ namespace, name });
  const remote = keptService(serviceImport);
  if (remote === undefined || serviceImport === undefined) return done;
  const there = local.namespaces.cache.get({ name: namespace });
  const namespaceState = namespaceStateOf(there);
  const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
  const decision = decideServiceImport({ namespace, name, remote, namespaceState, derived, serviceImport });
  if (decision.kind !== 'import') return done;
  const held = heldProblem({ derived, serviceImport });
  // It was withdrawn, and does not come back.
  if (held !== undefined && !isLive(serviceImport) && liveOf(derived) === undefined) {
    await hold(options, { key, derived, serviceImport }, held, signal);
    return blocked(held.reason, held.message);
  }
  try {
    const outcome = await keep(options, { key, serviceImport, remote, decision }, signal);
    refusals.clear(key);
    return outcome;
  } catch (error) {
    return retried(refusals.problemOf(key, error));
  }
}

async function keep(
  options: KeepOptions,
  { key, serviceImport, remote, decision }: KeptImport,
  signal: AbortSignal,
): Promise<Outcome<EventReason<typeof serviceImportStatus>>> {
  const { local, ownClusterID } = options;
  const { metadata } = decision.serviceImport;
  const current = existingSlices(local, key);
  let service: Service | undefined;
  if (decision.service !== undefined) {
    service = await writeKeptService(local, decision.service, fitsSlices(remote, current), signal);
    // An administrator may refuse a cluster while its leader is away.
    const isUsed = ({ clusterID = '' }: { readonly clusterID: string | undefined }) =>
      local.grants.objectOf(clusterID)?.spec.state !== 'Refused';
    const sources = keptEndpoints({
      clusterID: ownClusterID,
      remote,
      clusters: (serviceImport.status?.clusters ?? []).map(({ cluster }) => cluster),
      own: ownClusterID === undefined ? undefined : ownServiceOf(local, key, ownClusterID),
      exported: liveOf(local.serviceExports.cache.getByKey(key)) !== undefined,
      current,
    }).filter(isUsed);
    const pods = keptPods(existingPods(local, key)).filter(isUsed);
    const { spec } = remote;
    const formerNames = formerNamesIn(service, spec);
    const failure = await writeSources(local, { key, service, spec, sources, pods, formerNames }, signal);
    if (failure !== undefined) throw failure;
  }
  const families = (serviceImport.spec?.ipFamilies ?? []).filter((one) => one === 'IPv4' || one === 'IPv6');
  // The addresses are those of the Service. The rest of the spec is from the leader.
  const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service, families) };
  const kept = isLive(serviceImport)
    ? await local.serviceImports.change(serviceImport, { ...serviceImport, metadata, spec }, signal)
    : serviceImport;
  const { problem } = decision;
  if (problem !== undefined && isOmission(problem)) return done;
  // Any other problem of the import was found in what the leader publishes, and still exists.
  const existing = conditionOf(kept.status?.conditions, 'Ready')?.reason;
  const isReady = existing === 'Ready';
  if (problem === undefined && existing !== undefined && !isReady && !isDecidedHere(existing)) return done;
  const { obstacle, lookAgainMs } = findCalls(options, kept);
  // The message may have what the leader published.
  if (problem !== undefined || obstacle !== undefined || !isReady)
    await writeImportStatus(options, kept, { clusters: undefined, problem }, signal);
  if (problem !== undefined) return blocked(problem.reason, problem.message);
  return lookAgainMs === undefined ? done : again(lookAgainMs, 'what keeps calls from arriving may pass');
}

/**
 * Another type would need another Service with another address: only the leader may decide that.
 */
async function writeKeptService(
  local: LocalCluster,
  plan: NonNullable<(ServiceImportDecision & { readonly kind: 'import' })['service']>,
  isCurrent: boolean,
  signal: AbortSignal,
): Promise<Service> {
  const isKept = plan.kind === 'keep' || plan.kind === 'replace' || (plan.kind === 'change' && !isCurrent);
  return isKept ? plan.from : (await writeService(local, plan, signal)).service;
}

interface KeptImport {
  readonly key: string;
  readonly serviceImport: ServiceImport;
  readonly remote: RemoteService;
  readonly decision: ServiceImportDecision & { readonly kind: 'import' };
}

/** Problems that keep an import from working here, independent of what the leader publishes. */
function isDecidedHere(reason: string): boolean {
  return ['ServiceNameTaken', 'NameTooLong', 'WriteRejected', 'BeingDeleted', ...callReasons].includes(reason);
}
