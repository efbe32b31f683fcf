import type { ClusterInfoImport } from '@isthmus/api';
import { clusterInfoName, usedVirtualPodCIDRs } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { onChange, onChangeOf } from '@isthmus/kube';
import type { Address } from '@isthmus/machinery';
import { contains, equal, isLive, keyOfObject, parseAddress, parseCidr, sleep } from '@isthmus/machinery';
import type { OtherMember } from '@isthmus/wire';
import {
  conditionOf,
  dataPlaneOf,
  dataPlaneOfGateways,
  isClusterID,
  isOurClusterInfoImport,
  isWithdrawn,
} from '@isthmus/wire';
import { rangeSetOf } from '../../../../own-cluster/range-set.ts';
import { hasOwnAgents, lacksGateway } from '../../../../own-cluster/own-agents.ts';
import type { ImportSource } from '../../../../own-cluster/import-source.ts';
import type { LeaderSession } from '../../../../own-cluster/leader-session.ts';
import type { LocalCluster } from '../../local/services.ts';
import { unrouted } from '../../../cluster-info/import/local-to-nodes.ts';
import type { CallFacts } from './decide-calls.ts';

/** Reads what this cluster knows about calls to other clusters. */
export interface CallFactsReader {
  read(): CallFacts;
  /** Wake the imports that changed facts concern. */
  readonly sources: readonly Source[];
}

/** How long without a leader imports count as followed: a restart takes that long. */
const withoutLeaderMs = 30_000;

type Local = Pick<
  LocalCluster,
  | 'clusterInfoImports'
  | 'config'
  | 'gatewayNodes'
  | 'gateways'
  | 'namespace'
  | 'networkConflict'
  | 'serviceImports'
  | 'world'
>;

/** `source`: `none` while there is no usable leader. */
export function createCallFacts(local: Local, source: ImportSource): CallFactsReader {
  const { clock } = local.world;
  const gateways = local.gateways.cache;
  const beganMs = clock.monotonic();
  const isKnown: CallFacts['isKnown'] = (reason, clusterIDs) => {
    const isStarting = source.kind === 'none' && clock.monotonic() - beganMs < withoutLeaderMs;
    // What the leader reports of other members.
    const knowsOthers = source.kind === 'session' && source.session.isHeard;
    if (reason === 'NotConnected') return !isStarting && (source.kind === 'none' || knowsOthers);
    if (reason === 'ControllerSilent' || reason === 'NoDataPlane') return knowsOthers && gateways.synced;
    if (reason === 'NetworkConflict') return !isStarting && local.networkConflict.value !== undefined;
    if (reason !== 'ClusterNotReached') return true;
    if (!knowsOthers || !gateways.synced || !local.clusterInfoImports.cache.synced) return false;
    return [...clusterIDs].every((id) => id === undefined || reachOf(networkOf(local, id))?.status !== 'Unknown');
  };
  const facts = (): CallFacts => ({
    namespace: local.namespace,
    notConnected: notConnected(source, clock.monotonic() - beganMs),
    silentSince: (clusterID) => othersOf(source).get(clusterID)?.silentSince,
    areKindsKnown: source.kind === 'session' && source.session.isHeard,
    gapTo: (clusterID) => gapTo(local, othersOf(source), clusterID),
    // Other data planes answer to the address of a gateway.
    unroutedPods: source.kind === 'none' || hasOwnAgents(local) !== true ? [] : unroutedPods(local, source.session),
    avoidsUnreached: hasOwnAgents(local) === true,
    isKnown,
    isSilent: (clusterID) => reachOf(networkOf(local, clusterID))?.status === 'False',
    reachUnknown: (clusterID) => {
      const { status, reason } = reachOf(networkOf(local, clusterID)) ?? {};
      return status === 'Unknown' && reason !== 'ProbesNotReported' ? reason : undefined;
    },
    losesLarge: (clusterID) => reachOf(networkOf(local, clusterID))?.reason === 'PacketsTooLarge',
    // Without gateways, the network routes Pods wherever they are.
    unusedOf: (clusterID, addresses) =>
      gateways.list().some(isLive) ? unusedOf(local, networkOf(local, clusterID), addresses) : [],
  });
  const all = () => local.serviceImports.cache.list().map(keyOfObject);
  const ofCluster = (clusterID: string) =>
    local.serviceImports.cache
      .list()
      .filter(({ status }) => status?.clusters?.some(({ cluster }) => cluster === clusterID))
      .map(keyOfObject);
  const shared = () => {
    const { notConnected: why, unroutedPods: pods } = facts();
    const { synced } = gateways;
    const isHeard = source.kind === 'session' && source.session.isHeard;
    return [
      why,
      isHeard,
      [...othersOf(source).values()],
      synced && gateways.list().some(isLive),
      dataPlaneHere(local),
      pods,
    ];
  };
  return {
    read: facts,
    sources: [
      onChange((listener: () => void) => {
        let known = shared();
        const look = () => {
          const now = shared();
          if (equal(known, now)) return;
          known = now;
          listener();
        };
        const stops = [
          gateways.subscribe(look),
          gateways.onState(look),
          local.networkConflict.onChange(look),
          ...(source.kind === 'none'
            ? [startTimer(local, look)]
            : [source.session.onState(look), onOwnNetwork(source.session, look)]),
        ];
        return () => stops.forEach((stop) => stop());
      }, all),
      onChangeOf<string>(
        (listener) =>
          local.clusterInfoImports.cache.subscribe(({ before, after }) => {
            const { clusterID } = (after ?? before)?.spec ?? {};
            if (isClusterID(clusterID) && !equal(whatCounts(before), whatCounts(after))) listener(clusterID);
          }),
        ofCluster,
      ),
    ],
  };
}

/** Calls `look` when the network of this cluster changes that the leader publishes. */
function onOwnNetwork({ spec, imports }: LeaderSession, look: () => void): () => void {
  const name = clusterInfoName(spec.clusterID);
  return imports.cache.subscribe(({ before, after }) => {
    if ((after ?? before)?.metadata.name === name) look();
  });
}

/** What the leader reports of other members. */
function othersOf(source: ImportSource): ReadonlyMap<string, OtherMember> {
  return source.kind === 'session' ? source.session.otherMembers : new Map();
}

function dataPlaneHere({ gateways: { cache } }: Local): string | undefined {
  return cache.synced ? dataPlaneOfGateways(cache.list()) : undefined;
}

/** See {@link CallFacts.gapTo}. */
function gapTo(
  local: Local,
  others: ReadonlyMap<string, OtherMember>,
  clusterID: string | undefined,
): ReturnType<CallFacts['gapTo']> {
  const { config, gateways } = local;
  const member = clusterID === undefined ? undefined : others.get(clusterID);
  const endpointIPType = member?.endpointIPType ?? config.endpointIPType;
  const known = gateways.cache.synced ? gateways.cache.list() : undefined;
  if (lacksGateway({ endpointIPType }, known) === true) return 'no gateway';
  const areKnown = known !== undefined && local.clusterInfoImports.cache.synced;
  if (endpointIPType === 'PodIP' || !areKnown || clusterID === undefined) return undefined;
  const network = networkOf(local, clusterID);
  if (network === undefined) return 'no network';
  const [here, there] = [dataPlaneHere(local), dataPlaneOf(network)];
  return here !== undefined && there !== undefined && here !== there ? 'other data plane' : undefined;
}

function startTimer({ world: { clock } }: Pick<LocalCluster, 'world'>, look: () => void): () => void {
  const over = new AbortController();
  void sleep(clock, withoutLeaderMs, over.signal).then(look, () => {});
  return () => over.abort();
}

function notConnected(source: ImportSource, ageMs: number): string | undefined {
  if (source.kind === 'none') return ageMs < withoutLeaderMs ? undefined : 'it is not connected to the leader';
  const { silence, state } = source.session;
  if (silence !== undefined) return `the leader has not answered since ${silence.since} (${silence.reason})`;
  const problem = state.kind === 'connected' ? state.problem : undefined;
  return problem && `the leader does not serve it (${problem.reason})`;
}

/** The announced Pod CIDRs of this cluster, if a conflict keeps all of them from being used. */
function unroutedPods({ networkConflict }: Local, { spec, exports, imports }: LeaderSession): readonly string[] {
  const conflict = networkConflict.value;
  if (conflict === undefined || conflict === 'absent') return [];
  const ref = { namespace: spec.leaderNamespace, name: clusterInfoName(spec.clusterID) };
  const published = imports.cache.get(ref);
  const used = published === undefined || isWithdrawn(published) ? [] : (published.spec?.clusterinfo?.podCIDRs ?? []);
  return used.length > 0 ? [] : (exports.cache.get(ref)?.spec?.clusterInfo?.podCIDRs ?? []);
}

function networkOf({ clusterInfoImports, namespace }: Local, clusterID: string): ClusterInfoImport | undefined {
  const object = clusterInfoImports.cache.get({ namespace, name: clusterInfoName(clusterID) });
  // Agents send packets to one that is held while it is being deleted.
  return object !== undefined && isOurClusterInfoImport(object) ? object : undefined;
}

function reachOf(network: ClusterInfoImport | undefined) {
  return conditionOf(network?.status?.conditions, 'Reachable');
}

function unusedOf(
  { config, gatewayNodes }: Local,
  network: ClusterInfoImport | undefined,
  addresses: readonly string[],
): readonly string[] {
  if (network === undefined || conditionOf(network.status?.conditions, 'NetworkConflict')?.status !== 'True') return [];
  const gateways = gatewayNodes.isKnown ? gatewayNodes.list() : [];
  const left = unrouted({ object: network, gateways, config });
  // Connections go through any gateway that routes the range.
  const notRouted = left.flatMap(({ cidr }) =>
    new Set(left.filter((one) => equal(one.cidr, cidr)).map(({ node }) => node)).size < gateways.length ? [] : [cidr],
  );
  const { serviceCIDR = '', podCIDRs = [] } = network.spec ?? {};
  const translated = usedVirtualPodCIDRs(network.metadata, { podCIDRs }).map(({ own }) => own);
  const ranges = rangeSetOf([...[serviceCIDR, ...podCIDRs].flatMap((one) => parseCidr(one) ?? []), ...translated]);
  return addresses.filter((text) => {
    const address = parseAddress(text);
    const isRouted = (one: Address) => !notRouted.some((range) => contains(range, one));
    return address !== undefined && !(ranges.has(address) && isRouted(address));
  });
}

/** The part of a network that decides about calls. */
function whatCounts(object: ClusterInfoImport | undefined): readonly unknown[] {
  const reach = reachOf(object);
  const { status, message } = conditionOf(object?.status?.conditions, 'NetworkConflict') ?? {};
  const conflict = [status, message];
  const unlike = reach?.status === 'True' ? reach.reason === 'PacketsTooLarge' : reach?.reason;
  return [object?.spec, object && dataPlaneOf(object), reach?.status, unlike, conflict];
}
