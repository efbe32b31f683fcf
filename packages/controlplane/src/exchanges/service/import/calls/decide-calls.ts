import type { Verdict, serviceImportStatus } from '@isthmus/api';
import { clusterInfoName } from '@isthmus/api';
import { firstNames } from '@isthmus/machinery';

/** The reasons of {@link CallObstacle}. */
export const callReasons = [
  'ClusterNotReached',
  'ControllerSilent',
  'NetworkConflict',
  'NoDataPlane',
  'NoReadyEndpoints',
  'NodeLocalTraffic',
  'NotConnected',
  'PacketsTooLarge',
  'ReachUnknown',
] as const;

/** A reason why calls to an imported Service do not arrive, or why that is not known. */
export type CallObstacle = Verdict<typeof serviceImportStatus, 'Ready'> & {
  readonly status: 'False' | 'Unknown';
  readonly reason: (typeof callReasons)[number];
};

/** What this cluster knows about calls to other clusters. */
export interface CallFacts {
  /** The Namespace of the controller, whose objects have the details. */
  readonly namespace: string;
  /** Since when the leader does not answer, RFC 3339, or why; undefined: it does. */
  readonly notConnected: string | undefined;
  /** When the leader last heard of a cluster that sends no heartbeats, RFC 3339. */
  readonly silentSince: (clusterID: string) => string | undefined;
  /** Whether the leader has reported whose endpoints are Pods. Otherwise they are as here. */
  readonly areKindsKnown: boolean;
  /**
   * What packets to the ClusterIPs of a cluster lack: a gateway here, a network that it announces,
   * or gateways there of the same data plane. Undefined: nothing, or its endpoints are Pods.
   */
  readonly gapTo: (clusterID: string | undefined) => 'no gateway' | 'no network' | 'other data plane' | undefined;
  /** The Pod CIDRs of this cluster, if other clusters route none of them. */
  readonly unroutedPods: readonly string[];
  /** Whether agents here use no endpoint that is not reached while there is another one. */
  readonly avoidsUnreached: boolean;
  /** Whether what a condition with this reason rests on is known: not in the moment of a start. */
  readonly isKnown: (reason: CallObstacle['reason'], clusterIDs: Iterable<string | undefined>) => boolean;
  /** The other clusters whose gateways do not answer. */
  readonly isSilent: (clusterID: string) => boolean;
  /** Why it is not known whether the gateways of a cluster answer; undefined: it is. */
  readonly reachUnknown: (clusterID: string) => string | undefined;
  /** Whether large packets to a cluster are lost. */
  readonly losesLarge: (clusterID: string) => boolean;
  /** Those of the addresses that are in no used range of a cluster, if it has a range conflict. */
  readonly unusedOf: (clusterID: string, addresses: readonly string[]) => readonly string[];
}

/** The endpoints of an import that take traffic. */
export interface ServingEndpoints {
  /** Whether there are any, those of this cluster included. */
  readonly areAny: boolean;
  /** Whether there are any of this cluster. */
  readonly hasOwn: boolean;
  /** Whether clients choose one of the endpoints themselves. Default false. */
  readonly isHeadless?: boolean | undefined;
  /** The addresses of those of other clusters; undefined: the cluster is not known. */
  readonly ofOthers: ReadonlyMap<string | undefined, readonly string[]>;
  /**
   * Whether each Node uses only endpoints on itself (`internalTrafficPolicy: Local`), and no Node
   * of this cluster has one. Default false.
   */
  readonly areOnNoNode?: boolean | undefined;
}

/** The limit on clusters and addresses that a message names. */
const mostNamed = 3;

/**
 * Why calls to endpoints in other clusters do not arrive there. Agents of Isthmus use no endpoint
 * that is not reached while there is another one, so some may be missing. Anything else, and a
 * client of a headless Service, takes any of them.
 */
function unreachedObstacle(endpoints: ServingEndpoints, facts: CallFacts): CallObstacle | undefined {
  const isAvoided = facts.avoidsUnreached && endpoints.isHeadless !== true;
  const found = [...endpoints.ofOthers].map(([id, addresses]) => {
    const unused = id === undefined ? [] : facts.unusedOf(id, addresses);
    const isSilent = id !== undefined && facts.isSilent(id);
    return { id, unused, isSilent, isOut: isSilent || unused.length === addresses.length };
  });
  if (isAvoided && (endpoints.hasOwn || found.some(({ isOut }) => !isOut))) return undefined;
  const describe = (id = '') => `kubectl -n ${facts.namespace} describe clusterinfoimport ${clusterInfoName(id)}`;
  const [conflict] = found.filter(({ unused }) => unused.length > 0);
  if (conflict !== undefined)
    return {
      status: 'False',
      reason: 'NetworkConflict',
      message: `Calls to endpoints in ${conflict.id} do not arrive: ${firstNames(conflict.unused, mostNamed)} are in no range of it that is used. Condition NetworkConflict has the reason: ${describe(conflict.id)}`,
    };
  const silent = found.flatMap(({ id, isSilent }) => (isSilent && id !== undefined ? [id] : []));
  if (silent.length === 0) return undefined;
  return {
    status: 'False',
    reason: 'ClusterNotReached',
    message: `Calls to endpoints in ${firstNames(silent, mostNamed)} do not arrive: no gateway there answers. Condition Reachable has the next steps: ${describe(silent[0])}`,
  };
}

/** Why calls to ClusterIPs of other clusters do not arrive there, whatever the gateways do. */
function gapObstacle(
  clusterIDs: readonly (string | undefined)[],
  { gapTo, namespace }: CallFacts,
): CallObstacle | undefined {
  const describe = `kubectl -n ${namespace} describe clustersets`;
  const at = (gap: ReturnType<CallFacts['gapTo']>) =>
    clusterIDs.filter((id) => gapTo(id) === gap).map((id) => id ?? 'other clusters');
  const withoutGateway = at('no gateway');
  if (withoutGateway.length > 0)
    return {
      status: 'False',
      reason: 'NoDataPlane',
      message: `Calls to endpoints in ${firstNames(withoutGateway, mostNamed)} time out: they are ClusterIPs, which only gateways make reachable, and this cluster has none. Condition NoDataPlane has the next steps: ${describe}`,
    };
  const notReached = (ids: readonly string[], why: string): CallObstacle => ({
    status: 'False',
    reason: 'ClusterNotReached',
    message: `Calls to endpoints in ${firstNames(ids, mostNamed)} do not arrive: they are ClusterIPs, and ${why}`,
  });
  const withoutNetwork = at('no network');
  if (withoutNetwork.length > 0)
    return notReached(
      withoutNetwork,
      `no network of that cluster is known here. In that cluster, run: ${describe}; kubectl get gateways -A`,
    );
  const withOthers = at('other data plane');
  if (withOthers.length === 0) return undefined;
  return notReached(
    withOthers,
    `gateways there have another data plane. Condition SettingsDiffer has the next steps: ${describe}`,
  );
}

/** Why calls to an import do not arrive, as far as this cluster can know; undefined: they may. */
export function callObstacle(
  { namespace: importNamespace = '', name }: { readonly namespace?: string | undefined; readonly name: string },
  endpoints: ServingEndpoints,
  facts: CallFacts,
): CallObstacle | undefined {
  const { namespace, notConnected, unroutedPods } = facts;
  const describe = (what: string) => `kubectl -n ${namespace} describe ${what}`;
  if (!endpoints.areAny)
    return {
      status: 'False',
      reason: 'NoReadyEndpoints',
      message: `The Service is imported, but none of its endpoints is ready, so calls fail. In the exporting clusters, run: kubectl describe serviceexport ${name} -n ${importNamespace}`,
    };
  if (endpoints.areOnNoNode === true)
    return {
      status: 'False',
      reason: 'NodeLocalTraffic',
      message: `The exported Service has internalTrafficPolicy: Local, and this cluster exports no ready Pod of it, so no call from this cluster can succeed. In every exporting cluster, run: kubectl -n ${importNamespace} patch service ${name} --type merge -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`,
    };
  const clusterIDs = [...endpoints.ofOthers.keys()];
  const others = clusterIDs.map((id) => id ?? 'other clusters');
  // Endpoints of a headless Service are Pods.
  const gap = endpoints.isHeadless === true ? undefined : gapObstacle(clusterIDs, facts);
  if (gap !== undefined) return gap;
  if (others.length > 0 && unroutedPods.length > 0)
    return {
      status: 'False',
      reason: 'NetworkConflict',
      message: `Calls to endpoints in ${firstNames(others, mostNamed)} get no answers: other clusters do not route the Pod CIDRs of this cluster (${firstNames(unroutedPods, mostNamed)}). Condition NetworkConflict has the reason: ${describe('clustersets')}`,
    };
  const unreached = unreachedObstacle(endpoints, facts);
  if (unreached !== undefined) return unreached;
  const ids = clusterIDs.filter((id) => id !== undefined);
  const lossy = ids.filter(facts.losesLarge);
  const [lossyFirst] = lossy;
  if (lossyFirst !== undefined)
    return {
      status: 'False',
      reason: 'PacketsTooLarge',
      message: `Calls to endpoints in ${firstNames(lossy, mostNamed)} may hang: large packets are lost on the way. Condition Reachable has the size that arrives: ${describe(`clusterinfoimport ${clusterInfoName(lossyFirst)}`)}`,
    };
  const unknown = ids.filter((id) => facts.reachUnknown(id) !== undefined);
  const [unknownFirst] = unknown;
  if (unknownFirst !== undefined)
    return {
      status: 'Unknown',
      reason: 'ReachUnknown',
      message: `It is not known whether calls to endpoints in ${firstNames(unknown, mostNamed)} arrive (${facts.reachUnknown(unknownFirst)}). Condition Reachable has the next steps: ${describe(`clusterinfoimport ${clusterInfoName(unknownFirst)}`)}`,
    };
  if (notConnected !== undefined)
    return {
      status: 'Unknown',
      reason: 'NotConnected',
      message: `This cluster does not follow changes of the Service: ${notConnected}. To see why: ${describe('clustersets')}`,
    };
  const silent = ids.filter((id) => facts.silentSince(id) !== undefined);
  const [silentFirst] = silent;
  if (silentFirst !== undefined)
    return {
      status: 'Unknown',
      reason: 'ControllerSilent',
      message: `Endpoints in ${firstNames(silent, mostNamed)} may be out of date: the leader has had no heartbeat of ${silentFirst} since ${facts.silentSince(silentFirst)}. Check there that the controller runs and reaches the leader: kubectl get pods -A -l component=antrea-mc-controller`,
    };
  return undefined;
}
