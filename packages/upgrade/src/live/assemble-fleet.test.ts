import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetProblems } from '../fleet/fleet-problems.ts';
import { assembleFleet } from './assemble-fleet.ts';
import { clusterName, clusterOfFacts, unreadCluster } from './cluster-of-facts.ts';
import { factsOf, workload } from './testing/live-objects.ts';

const clusterSet = (clusterID: string, leader: object, members: readonly string[] = []) => ({
  metadata: { name: 'shop', namespace: 'x' },
  spec: { clusterID, leaders: [leader] },
  status: { clusterStatuses: members.map((one) => ({ clusterID: one })) },
});
const ofLeader = (members: readonly string[]) => clusterSet('north', { clusterID: 'north' }, members);
const ofMember = (id: string) => clusterSet(id, { clusterID: 'north', server: 'https://192.0.2.1:6443', secret: 's' });

function read(context: string, objects: Parameters<typeof factsOf>[0], server = `${context}:6443`) {
  const facts = { ...factsOf(objects), uid: `uid of ${context}` };
  return clusterOfFacts(facts, { context, server, readAt: '2026-11-21T09:00:00Z' });
}
function assembled(...clusters: Parameters<typeof assembleFleet>[0]['clusters']) {
  const { snapshot, notes } = assembleFleet({ name: 'fleet', takenAt: '2026-11-21T10:00:00Z', clusters });
  expect(fleetProblems(snapshot, { source: 'f', lineOf: () => 1 })).toEqual([]);
  return { spec: snapshot.spec, notes };
}

describe('a fleet', () => {
  it('has the ClusterSets of its clusters, which have their cluster IDs as names', () => {
    const { spec } = assembled(
      read('admin@n', { clusterSets: [ofLeader(['east']), ofMember('north')] }),
      read('admin@e', { clusterSets: [ofMember('east')] }),
    );
    expect(spec.clusterSets).toEqual([{ name: 'shop', leader: 'north', members: ['east', 'north'] }]);
    expect(spec.clusters.map(({ name, roles, context }) => [name, roles, context])).toEqual([
      ['east', ['member'], 'admin@e'],
      ['north', ['leader', 'member'], 'admin@n'],
    ]);
  });

  it('knows which members have credentials of their own: an account of the leader is bound to them, and they use its token', () => {
    const account = (name: string, cluster?: string, namespace = 'x') => ({
      metadata: {
        name,
        namespace,
        ...(cluster === undefined ? {} : { annotations: { 'multicluster.antrea.io/cluster-id': cluster } }),
      },
    });
    const member = (id: string, secret: string) =>
      read(id, { clusterSets: [clusterSet(id, { clusterID: 'north', server: 'https://192.0.2.1:6443', secret })] });
    const { spec } = assembled(
      read('n', {
        clusterSets: [ofLeader([])],
        serviceAccounts: [
          account('east', 'east'),
          account('shared'),
          account('south', 'other'),
          account('west', 'west', 'elsewhere'),
        ],
      }),
      ...[
        ['east', 'east'],
        ['far', 'shared'],
        ['south', 'south'],
        ['west', 'west'],
      ].map(([id = '', secret = '']) => member(id, secret)),
    );
    const present = spec.clusters.filter(({ facts }) => facts['antrea-mc/member-credentials'] === 'present');
    expect(present.map(({ name }) => name)).toEqual(['east']);
    // Without its account, the fact goes; one that a person wrote stays.
    const later = spec.clusters.map((one) => {
      if (one.name === 'far') return { ...one, facts: { ...one.facts, 'antrea-mc/member-credentials': 'present' } };
      return one.name === 'north' ? { ...one, facts: { 'cluster/uid': 'uid of n' } } : one;
    });
    const still = assembled(...later).spec.clusters.filter(
      ({ facts }) => facts['antrea-mc/member-credentials'] === 'present',
    );
    expect(still.map(({ name }) => name)).toEqual(['far']);
  });

  it('records which objects of Flux somebody suspended', () => {
    const object = (name: string, suspend?: boolean) => ({
      metadata: { name, namespace: 'flux-system' },
      spec: { suspend },
    });
    const { facts } = read('a', {
      kustomizations: [object('flux-system', true), object('apps', false), object('infra')],
      helmReleaseObjects: [object('shop', true)],
    });
    expect(facts['flux/suspended']).toBe('HelmRelease flux-system/shop, Kustomization flux-system/flux-system');
    expect(read('a', {}).facts).not.toHaveProperty('flux/suspended');
  });

  it('reads the ClusterSets of Antrea 1.5, which list their members', () => {
    const old = {
      metadata: { name: 'shop' },
      spec: { leaders: [{ clusterID: 'north' }], members: [{ clusterID: 'east' }] },
    };
    const { spec } = assembled(read('n', { clusterSets: [old] }));
    expect(spec.clusters.map(({ name, reachable }) => [name, reachable])).toEqual([
      ['east', false],
      ['north', true],
    ]);
  });

  it('has leaders and members without a context as clusters that are not read', () => {
    const { spec } = assembled(read('e', { clusterSets: [ofMember('east')] }));
    expect(spec.clusters.map(({ name, reachable, notRead }) => [name, reachable, notRead])).toEqual([
      ['east', true, undefined],
      ['north', false, 'it is the leader of ClusterSet shop, as east reports, and no context was given for it'],
    ]);
    expect(spec.clusterSets).toEqual([{ name: 'shop', leader: 'north', members: ['east'] }]);
  });

  it('knows which cluster manages which, by the address of the API server or by the name', () => {
    const capiClusters = [
      { metadata: { name: 'line-1' }, spec: { controlPlaneEndpoint: { host: '192.0.2.7', port: 6443 } } },
      { metadata: { name: 'line-2' }, spec: {} },
    ];
    const core = workload('c', ['manager=r/c:v1.9.6'], { labels: { 'cluster.x-k8s.io/provider': 'cluster-api' } });
    const { spec } = assembled(
      read('mgmt', { capiClusters, deployments: [core] }),
      read('factory', {}, '192.0.2.7:6443'),
      read('line-2', {}),
      read('alone', {}),
    );
    expect(spec.clusters.map(({ name, roles, managedBy }) => [name, roles, managedBy])).toEqual([
      ['alone', [], undefined],
      ['factory', ['workload'], 'mgmt'],
      ['line-2', ['workload'], 'mgmt'],
      ['mgmt', ['management'], undefined],
    ]);
  });

  const node = (machine: string, ready = 'True') => ({
    metadata: { name: 'n1' },
    status: {
      nodeInfo: { kubeletVersion: 'v1.36.1', systemUUID: machine },
      conditions: [{ type: 'Ready', status: ready }],
    },
  });
  /** A cluster with the UID that all of these have. */
  const twin = (context: string, objects: Parameters<typeof factsOf>[0], server?: string) => {
    const cluster = read(context, objects, server);
    return { ...cluster, facts: { ...cluster.facts, 'cluster/uid': 'uid' } };
  };

  it('counts a cluster once that two contexts lead to: at one address, or at two with the same machines', () => {
    const { spec, notes } = assembled(
      twin('a', { nodes: [node('AA'), node('bb')] }, '192.0.2.1:6443'),
      twin('b', {}, '192.0.2.1:6443'),
      twin('c', { nodes: [node('bb'), node('cc')] }, '192.0.2.2:6443'),
    );
    expect(spec.clusters.map(({ name }) => name)).toEqual(['a']);
    expect(notes).toEqual([
      'context b is the same cluster as context a; it is left out',
      'context c is the same cluster as context a; it is left out',
    ]);
  });

  it('has both clusters that were restored from one backup: they have other machines', () => {
    // The Nodes of the backup are there until they are removed, and not ready.
    const { spec, notes } = assembled(
      twin('a', { nodes: [node('aa')] }),
      twin('b', { nodes: [node('aa', 'Unknown'), node('bb')] }),
    );
    expect(spec.clusters.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(notes).toEqual([
      'contexts a (a:6443) and b (b:6443) have one UID but other machines, as after a restored backup: both clusters are in the snapshot',
    ]);
  });

  it('has both where machines are not known, and notes how to find out', () => {
    const { spec, notes } = assembled(twin('a', {}), twin('b', { nodes: [node('bb')] }));
    expect(spec.clusters.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(notes).toEqual([
      'contexts a (a:6443) and b (b:6443) have one UID at two addresses: both are in the snapshot; compare `kubectl --context a get nodes -o wide` and `kubectl --context b get nodes -o wide`: with the same Nodes they are one cluster, then leave one of the contexts out',
    ]);
  });

  it('has a restored copy of a leader or member by the name of its context, outside of the ClusterSet', () => {
    const { spec, notes } = assembled(
      read('n', { clusterSets: [ofLeader(['east'])] }),
      twin('e', { clusterSets: [ofMember('east')], nodes: [node('aa')] }),
      twin('e-copy', { clusterSets: [ofMember('east')], nodes: [node('bb')] }),
    );
    expect(spec.clusters.map(({ name, roles, clusterSet: set }) => [name, roles, set])).toEqual([
      ['e-copy', [], undefined],
      ['east', ['member'], 'shop'],
      ['north', ['leader'], 'shop'],
    ]);
    expect(spec.clusterSets).toEqual([{ name: 'shop', leader: 'north', members: ['east'] }]);
    expect(notes).toContain(
      'context e-copy has the cluster ID of context e, east: it is in the snapshot by the name of its context, and not in any ClusterSet',
    );
  });

  const named = (name: string, id: string, leader: string, more: object = {}) => ({
    metadata: { name, namespace: 'x' },
    spec: { clusterID: id, leaders: [{ clusterID: leader, ...more }] },
  });
  const memberOf = (name: string, id: string, leader: string) => named(name, id, leader, { server: 'https://x' });
  const setsOf = ({ spec }: ReturnType<typeof assembled>) =>
    spec.clusterSets.map(({ name, leader, members }) => `${name}: ${leader} <- ${members.join(' ')}`);

  it('has two ClusterSets of one name, with the members that name their leaders', () => {
    const fleet = assembled(
      read('a', { clusterSets: [named('shop', 'north', 'north')] }),
      read('b', { clusterSets: [memberOf('shop', 'east', 'north')] }),
      read('c', { clusterSets: [named('shop', 'test', 'test')] }),
      read('d', { clusterSets: [memberOf('shop', 'trial', 'test')] }),
      read('e', { clusterSets: [memberOf('shop', 'lost', '')] }),
    );
    expect(setsOf(fleet)).toEqual(['shop-of-north: north <- east', 'shop-of-test: test <- trial']);
    expect(fleet.notes).toEqual([
      'several clusters lead a ClusterSet shop: it is in the snapshot as shop-of-north and shop-of-test. If these are not different ClusterSets, take the snapshot without the contexts that do not belong to it',
      'lost reports that it is in ClusterSet shop, but not whose; it is not in any ClusterSet of the snapshot',
    ]);
  });

  it('has a member in no ClusterSet if the leader that it names was read and does not lead it', () => {
    const fleet = assembled(read('north', {}), read('e', { clusterSets: [memberOf('shop', 'east', 'north')] }));
    expect(setsOf(fleet)).toEqual([]);
    expect(fleet.notes).toEqual([
      'east reports that it is in ClusterSet shop of north, but north does not lead it; it is not in any ClusterSet of the snapshot',
    ]);
  });

  it('takes a member that runs the controller of a leader too for no leader of its ClusterSet', () => {
    const controller = workload('c', ['c=antrea/antrea-mc-controller:v2.7.0'], { command: ['x', 'leader'] });
    const fleet = assembled(
      read('a', { clusterSets: [memberOf('shop', 'east', 'north')], deployments: [controller] }),
      read('b', { clusterSets: [named('shop', 'north', 'north')] }),
    );
    expect(setsOf(fleet)).toEqual(['shop: north <- east']);
  });

  it('has no manager of clusters that report to manage each other', () => {
    const manages = (name: string) => ({ capiClusters: [{ metadata: { name }, spec: {} }] });
    const { spec, notes } = assembled(read('a', manages('b')), read('b', manages('a')), read('c', manages('b')));
    expect(spec.clusters.map(({ name, managedBy, roles }) => [name, managedBy, roles])).toEqual([
      ['a', 'b', ['workload']],
      ['b', 'c', ['workload']],
      ['c', undefined, []],
    ]);
    expect(assembled(read('a', manages('b')), read('b', manages('a'))).notes).toEqual([
      'a and b report to manage each other; neither is in the snapshot as the manager of the other',
    ]);
    expect(notes).toEqual([]);
  });

  it('is a snapshot without problems, whatever its clusters report of themselves and of each other', () => {
    const id = fc.constantFrom('', 'a', 'b', 'c', 'x', '__proto__');
    const set = fc.constantFrom('shop', 'shop-of-a', 'farm');
    const arbitrary = fc.record({
      sets: fc.array(fc.tuple(set, id, id, fc.boolean(), fc.array(id, { maxLength: 2 })), { maxLength: 2 }),
      manages: fc.array(id, { maxLength: 2 }),
      leads: fc.boolean(),
      reachable: fc.boolean(),
    });
    const controller = workload('c', ['c=antrea/antrea-mc-controller:v2.7.0'], { command: ['x', 'leader'] });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 4 }), (all) => {
        const clusters = all.map(({ sets, manages, leads, reachable }, at) => {
          const found = read(`context-${at}`, {
            clusterSets: sets.map(([name, own, leader, isMember, members]) => ({
              metadata: { name, namespace: 'x' },
              spec: { clusterID: own, leaders: [{ clusterID: leader, server: isMember ? 'https://x' : '' }] },
              status: { clusterStatuses: members.map((clusterID) => ({ clusterID })) },
            })),
            capiClusters: manages.map((name) => ({ metadata: { name }, spec: {} })),
            deployments: leads ? [controller] : [],
          });
          return reachable ? found : unreadCluster(`context-${at}`, 'why', found);
        });
        fc.pre(new Set(clusters.map(({ name }) => name)).size === clusters.length);
        assembled(...clusters);
      }),
      { numRuns: 200 },
    );
  });

  it('is an error with two clusters of one name', () => {
    expect(() => assembled(read('a/b', {}), read('a:b', {}))).toThrow(
      'contexts a/b and a:b are two clusters with the same name, a-b',
    );
  });

  it('keeps the last known state of a cluster that could not be read', () => {
    const last = read('e', { clusterSets: [ofMember('east')] });
    const { spec } = assembled(unreadCluster('e', 'connect ECONNREFUSED', last), unreadCluster('w', 'no route'));
    expect(spec.clusters).toMatchObject([
      {
        name: 'east',
        reachable: false,
        notRead: 'connect ECONNREFUSED',
        readAt: '2026-11-21T09:00:00Z',
        components: last.components,
      },
      { name: 'north', reachable: false },
      { name: 'w', reachable: false, notRead: 'no route', components: [] },
    ]);
  });
});

it.each([
  ['north', 'north'],
  ['kubernetes-admin@North', 'kubernetes-admin-north'],
  ['arn:aws:eks:eu-1:12:cluster/prod', 'arn-aws-eks-eu-1-12-cluster-prod'],
  ['@@', 'cluster'],
])('the context %s has the name %s', (context, name) => {
  expect(clusterName(context)).toBe(name);
});
