import type { EndpointSlice, ServiceImport } from '@isthmus/api';
import { keyOfObject, rfc3339 } from '@isthmus/machinery';
import type { Condition } from '@isthmus/wire';
import { conditionOf, isServing, sliceSourceOf } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import type { CallFacts, CallObstacle, ServingEndpoints } from './calls/decide-calls.ts';
import { callObstacle, callReasons } from './calls/decide-calls.ts';
import type { Settled } from './calls/settled.ts';
import type { ImportStatusInput } from './decide.ts';
import { importStatus } from './decide.ts';
import { existingPods, existingSlices } from './slices/write-slices.ts';

/** What the status of an import is decided with. */
export interface StatusOptions {
  readonly local: LocalCluster;
  readonly facts: { read(): CallFacts };
  readonly settled: Settled;
  /** Undefined: not known. */
  readonly ownClusterID: string | undefined;
}

/** Why calls to an import do not arrive, and when to look again. */
export interface FoundCalls {
  /** Undefined: they may arrive. */
  readonly obstacle: CallObstacle | undefined;
  /** Until then, an obstacle may pass; undefined: there is none. */
  readonly lookAgainMs: number | undefined;
}

/**
 * Writes the status of a ServiceImport of ours. It is written after its Service and slices, so that
 * the endpoints in it exist. Returns what was found about calls.
 */
export async function writeImportStatus(
  options: StatusOptions,
  serviceImport: ServiceImport,
  found: Pick<ImportStatusInput, 'clusters' | 'problem'>,
  signal: AbortSignal,
): Promise<FoundCalls> {
  const { local } = options;
  const calls = findCalls(options, serviceImport);
  const now = rfc3339(local.world.clock.now());
  const status = importStatus({ serviceImport, ...found, calls: calls.obstacle, now });
  await local.serviceImports.changeStatus(serviceImport, status, signal);
  return calls;
}

/** What this cluster knows about calls to an import, by its slices. */
export function findCalls(
  { local, facts, settled, ownClusterID }: StatusOptions,
  serviceImport: ServiceImport,
): FoundCalls {
  const key = keyOfObject(serviceImport);
  const known = facts.read();
  const addressed = existingSlices(local, key);
  // Agents lead to Pods of other clusters also where the import has no address for them.
  const isServed = addressed.some(({ endpoints }) => endpoints?.some(isServing));
  const slices = isServed || !known.avoidsUnreached ? addressed : [...addressed, ...existingPods(local, key)];
  const areOnNoNode = isNodeLocal(serviceImport) && !slices.some(isOnNode);
  const isHeadless = serviceImport.spec?.type === 'Headless';
  const endpoints = { ...servingEndpoints(slices, ownClusterID), areOnNoNode, isHeadless };
  const before = conditionOf(serviceImport.status?.conditions, 'Ready');
  // What is Ready stays so until the kinds of its endpoints are known.
  const gapTo = known.areKindsKnown || before?.status !== 'True' ? known.gapTo : () => undefined;
  const found = callObstacle(serviceImport.metadata, endpoints, { ...known, gapTo });
  const kept = keptObstacle(before, endpoints.ofOthers.keys(), known);
  // A known failure comes before one that is not known.
  const obstacle = found?.status === 'False' || kept?.status !== 'False' ? (found ?? kept) : kept;
  if (obstacle === undefined) {
    settled.clear(key);
    return { obstacle, lookAgainMs: undefined };
  }
  // Only an import that is Ready waits: it must not become False for a moment. The leader's silence
  // has lasted.
  const isLasting = obstacle.reason === 'NotConnected';
  const waitMs = settled.waitMs(key, obstacle.reason, isLasting || before?.status !== 'True');
  return waitMs === 0 ? { obstacle, lookAgainMs: undefined } : { obstacle: undefined, lookAgainMs: waitMs };
}

/** What was found before stays while it is not known whether it is over. */
function keptObstacle(
  before: Condition | undefined,
  clusterIDs: Iterable<string | undefined>,
  facts: CallFacts,
): CallObstacle | undefined {
  const reason = callReasons.find((one) => one === before?.reason);
  if (before === undefined || reason === undefined || facts.isKnown(reason, clusterIDs)) return undefined;
  return { status: before.status, reason, message: before.message } as CallObstacle;
}

/** kube-proxy does nothing for a headless Service. */
function isNodeLocal({ spec }: ServiceImport): boolean {
  return spec?.internalTrafficPolicy === 'Local' && spec.type !== 'Headless';
}

/** Pods of this cluster are on its Nodes. Endpoints of other clusters have no Node. */
function isOnNode({ endpoints }: EndpointSlice): boolean {
  return endpoints?.some((one) => isServing(one) && one.nodeName !== undefined) === true;
}

function servingEndpoints(slices: readonly EndpointSlice[], ownClusterID: string | undefined): ServingEndpoints {
  const ofOthers = new Map<string | undefined, string[]>();
  let hasOwn = false;
  for (const slice of slices) {
    const addresses = (slice.endpoints ?? []).filter(isServing).flatMap((endpoint) => endpoint.addresses);
    if (addresses.length === 0) continue;
    const source = sliceSourceOf(slice);
    if (source !== undefined && source === ownClusterID) {
      hasOwn = true;
      continue;
    }
    const known = ofOthers.get(source);
    if (known === undefined) ofOthers.set(source, [...addresses]);
    else known.push(...addresses);
  }
  return { areAny: hasOwn || ofOthers.size > 0, hasOwn, ofOthers };
}
