import { describe, expect, it } from 'vitest';
import type { CallFacts, ServingEndpoints } from './decide-calls.ts';
import { callObstacle, callReasons } from './decide-calls.ts';

const facts: CallFacts = {
  namespace: 'kube-system',
  notConnected: undefined,
  avoidsUnreached: false,
  isKnown: () => true,
  areKindsKnown: true,
  gapTo: () => undefined,
  silentSince: () => undefined,
  unroutedPods: [],
  isSilent: () => false,
  unusedOf: () => [],
  losesLarge: () => false,
  reachUnknown: () => undefined,
};
const ofWest: ServingEndpoints = {
  areAny: true,
  hasOwn: false,
  ofOthers: new Map([['west', ['10.20.1.1', '10.21.1.1']]]),
};
const own: ServingEndpoints = { areAny: true, hasOwn: true, ofOthers: new Map() };
const none: ServingEndpoints = { areAny: false, hasOwn: false, ofOthers: new Map() };
const found = (changed: Partial<CallFacts>, endpoints = ofWest) => {
  const obstacle = callObstacle({ namespace: 'shop', name: 'cart' }, endpoints, { ...facts, ...changed });
  return obstacle && `${obstacle.status} ${obstacle.reason}: ${obstacle.message}`;
};

describe('calls to an imported Service', () => {
  it.each<[string, Partial<CallFacts>, ServingEndpoints, string | undefined]>([
    ['arrive, if nothing else is known', {}, ofWest, undefined],
    [
      'fail without an endpoint that is ready',
      {},
      none,
      'False NoReadyEndpoints: .* kubectl describe serviceexport cart -n shop',
    ],
    [
      'fail with internalTrafficPolicy: Local and no Pod on a Node of this cluster',
      { gapTo: () => 'no gateway' },
      { ...ofWest, areOnNoNode: true },
      'False NodeLocalTraffic: .* kubectl -n shop patch service cart ',
    ],
    [
      'time out without gateways',
      { gapTo: () => 'no gateway' },
      ofWest,
      'False NoDataPlane: .*endpoints in west .* describe clustersets',
    ],
    [
      'of the own Pods arrive without gateways',
      { gapTo: () => 'no gateway', unroutedPods: ['10.10.0.0/16'] },
      own,
      undefined,
    ],
    [
      'get no answers if others route no Pod of this cluster',
      { unroutedPods: ['10.10.0.0/16'] },
      ofWest,
      'False NetworkConflict: .*10\\.10\\.0\\.0/16',
    ],
    [
      'do not arrive in ranges that are not used',
      { unusedOf: (id, addresses) => (id === 'west' ? addresses.filter((one) => one === '10.21.1.1') : []) },
      ofWest,
      'False NetworkConflict: .* 10\\.21\\.1\\.1 are in no range .* clusterinfoimport west-clusterinfo',
    ],
    [
      'do not arrive at a cluster whose gateways are silent',
      { isSilent: (id) => id === 'west' },
      ofWest,
      'False ClusterNotReached: .*endpoints in west .* clusterinfoimport west-clusterinfo',
    ],
    [
      'hang at a cluster to which large packets are lost (PacketsTooLarge)',
      { losesLarge: (id) => id === 'west' },
      ofWest,
      'False PacketsTooLarge: .* clusterinfoimport west-clusterinfo',
    ],
    [
      'to ClusterIPs of a cluster whose network is not known do not arrive',
      { gapTo: () => 'no network' },
      ofWest,
      'False ClusterNotReached: .*endpoints in west .*no network of that cluster',
    ],
    [
      'do not arrive at gateways with another data plane',
      { gapTo: () => 'other data plane' },
      ofWest,
      'False ClusterNotReached: .*endpoints in west .*SettingsDiffer',
    ],
    [
      'may arrive while the agents of this cluster are silent (ReachUnknown)',
      { reachUnknown: () => 'AgentsSilent' },
      ofWest,
      'Unknown ReachUnknown: .*endpoints in west .*AgentsSilent.* clusterinfoimport west-clusterinfo',
    ],
    [
      'may go to endpoints that are out of date (ControllerSilent)',
      { silentSince: () => '2026-11-21T10:00:00Z' },
      ofWest,
      'Unknown ControllerSilent: Endpoints in west .* heartbeat of west since 2026-11-21T10:00:00Z',
    ],
    [
      'of a headless Service need no gateway for its Pods',
      { gapTo: () => 'no gateway' },
      { ...ofWest, isHeadless: true },
      undefined,
    ],
    [
      'arrive at endpoints of this cluster where agents avoid those that are not reached',
      { isSilent: (id) => id === 'west', avoidsUnreached: true },
      { ...ofWest, hasOwn: true },
      undefined,
    ],
    [
      'of clients that choose an endpoint themselves do not all arrive',
      { isSilent: (id) => id === 'west', avoidsUnreached: true },
      { ...ofWest, hasOwn: true, isHeadless: true },
      'False ClusterNotReached: ',
    ],
    [
      'do not arrive where agents have no other endpoint',
      { isSilent: (id) => id === 'west', avoidsUnreached: true },
      ofWest,
      'False ClusterNotReached: ',
    ],
    ['arrive if another cluster is silent', { isSilent: (id) => id === 'south' }, ofWest, undefined],
    [
      'may lead to Pods that are gone while the leader is not read',
      { notConnected: 'the leader has not answered since noon' },
      ofWest,
      'Unknown NotConnected: .* since noon.* describe clustersets',
    ],
  ])('%s', (_title, changed, endpoints, wanted) => {
    expect(found(changed, endpoints)).toEqual(wanted && expect.stringMatching(new RegExp(`^${wanted}`)));
  });

  it('of endpoints that an Antrea leader merged are only judged by what concerns all clusters', () => {
    const merged = { areAny: true, hasOwn: false, ofOthers: new Map([[undefined, ['10.20.1.1']]]) };
    const judged = (changed: Partial<CallFacts>) =>
      callObstacle({ namespace: 'shop', name: 'cart' }, merged, { ...facts, ...changed })?.reason;
    expect(judged({ isSilent: () => true, unusedOf: (_, addresses) => addresses })).toBeUndefined();
    expect(judged({ gapTo: () => 'no gateway' })).toBe('NoDataPlane');
  });

  it('have reasons that a kept import looks for again', () => {
    expect([...callReasons].toSorted()).toEqual(callReasons);
  });
});
