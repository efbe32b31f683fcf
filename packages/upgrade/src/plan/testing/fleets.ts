import * as fc from 'fast-check';
import { written } from '../../bundle/testing/bundle-of.ts';

/** A fleet and a bundle for it, as they are written: what plans are tested on. */
export interface Scenario {
  readonly snapshot: {
    readonly clusters: readonly object[];
    readonly clusterSets: readonly object[];
    readonly clients: readonly object[];
  };
  readonly bundles: readonly {
    readonly number: number;
    readonly components: readonly object[];
    readonly perKubernetes: object;
  }[];
  readonly kubernetes: string | undefined;
  readonly waves: { readonly canary: number; readonly percent: readonly number[]; readonly nodesAtOnce: number };
}

const antreaVersions = ['v1.9.0', 'v1.12.0', 'v1.13.1', 'v1.15.2', 'v2.1.0', 'v2.4.0', 'v2.7.0'] as const;
const kubernetesMinors = [29, 30, 31, 32, 33] as const;
const eksaVersions = ['v0.20.0', 'v0.21.0', 'v0.21.5', 'v0.22.0'] as const;

/** The parts of a cluster, as indexes into the lists above, and how far its parts lag behind. */
const clusterShape = fc.record({
  lag: fc.constantFrom(0, 0, 0, 0, 1),
  agentLag: fc.array(fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2), { minLength: 1, maxLength: 2 }),
  servers: fc.constantFrom(1, 1, 2, 3),
  serverLag: fc.constantFrom(0, 0, 0, 1),
  kubeletLag: fc.constantFrom(0, 0, 0, 1, 1, 2),
  flow: fc.boolean(),
});

/**
 * ClusterSets with a leader that may be a member, on Antrea and Kubernetes, or a management cluster
 * with what it manages; each part at, behind or near its target. Made to be about as often possible
 * as not.
 */
export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    kind: fc.constantFrom('clusterset', 'clusterset', 'management'),
    clusters: fc.array(clusterShape, { minLength: 1, maxLength: 3 }),
    dual: fc.boolean(),
    now: fc.constantFrom(2, 3, 4, 5),
    step: fc.constantFrom(0, 0, 1, 1, 1, 1, 2, 3),
    kubernetesNow: fc.constantFrom(1, 2, 3),
    kubernetesStep: fc.constantFrom(undefined, 0, 1, 1, 1, 2),
    clientLag: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, -1),
    stops: fc.constantFrom(true, true, false),
    canary: fc.constantFrom(0, 1),
    nodesAtOnce: fc.constantFrom(1, 2),
  })
  .map((shape) => {
    const at = <T>(list: readonly T[], place: number): T => {
      const found = list[Math.max(0, Math.min(list.length - 1, place))];
      if (found === undefined) throw new Error('an empty list');
      return found;
    };
    const { now, kubernetesNow, kind } = shape;
    const goal = now + shape.step;
    const kube = (place: number) => `v1.${at(kubernetesMinors, place)}.2`;
    const names = ['a', 'b', 'c'];
    const clusters = shape.clusters.map((one, place) => {
      const name = at(names, place);
      const nodes = one.agentLag.map((_, node) => `${name}-n${node}`);
      const isFirst = place === 0;
      const roles =
        kind === 'management'
          ? [isFirst ? 'management' : 'workload']
          : isFirst
            ? shape.dual
              ? ['leader', 'member']
              : ['leader']
            : ['member'];
      const version = at(antreaVersions, now - one.lag);
      const components = [
        component('antrea-controller', [{ version }]),
        component(
          'antrea-agent',
          one.agentLag.map((lag, node) => ({
            version: at(antreaVersions, now - one.lag - lag),
            node: at(nodes, node),
          })),
        ),
        ...(one.flow ? [component('flow-aggregator', [{ version: at(antreaVersions, now - one.lag) }])] : []),
        ...(kind === 'management'
          ? [component('eks-anywhere', [{ version: at(eksaVersions, now - 2 - (isFirst ? 0 : one.lag)) }])]
          : []),
        ...roles.flatMap((role) =>
          role === 'leader' || role === 'member'
            ? [component(`mc-${role}`, [{ version: at(antreaVersions, now - (role === 'member' ? one.lag : 0)) }])]
            : [],
        ),
        component(
          'kube-apiserver',
          Array.from({ length: one.servers }, (_, server) => ({
            version: kube(kubernetesNow - (server === 0 ? one.serverLag : 0)),
            name: `api-${server}`,
          })),
        ),
        component('kube-controller-manager', [{ version: kube(kubernetesNow - one.serverLag) }]),
        component('kube-scheduler', [{ version: kube(kubernetesNow - one.serverLag) }]),
        component(
          'kubelet',
          nodes.map((node) => ({ version: kube(kubernetesNow - one.serverLag - one.kubeletLag), node })),
        ),
        component(
          'kube-proxy',
          nodes.map((node) => ({ version: kube(kubernetesNow - one.serverLag - one.kubeletLag), node })),
        ),
      ];
      const tie = kind === 'management' ? (isFirst ? {} : { managedBy: at(names, 0) }) : { clusterSet: 's' };
      return { name, roles, ...tie, components };
    });
    const members = clusters.filter(({ roles }) => roles.includes('member')).map(({ name }) => name);
    const kubernetesGoal = shape.kubernetesStep === undefined ? undefined : kubernetesNow + shape.kubernetesStep;
    // Clients are rarely newer than the servers that they talk to.
    const oldest = now - Math.max(0, ...shape.clusters.map(({ lag }) => lag));
    const clients = [
      { component: 'antctl', name: 'laptop', version: at(antreaVersions, oldest - shape.clientLag) },
      { component: 'kubectl', name: 'laptop', version: kube(kubernetesNow - shape.clientLag) },
    ];
    const bundleAt = (place: number, number: number) => ({
      number,
      components: antreaParts(at(antreaVersions, place)).concat(
        written({
          id: 'eks-anywhere',
          roles: ['management', 'workload'],
          version: { upstream: at(eksaVersions, place - 2) },
        }),
      ),
      perKubernetes: Object.fromEntries(
        kubernetesMinors
          .slice(0, (kubernetesGoal ?? kubernetesNow) + 1)
          .map((minor, index) => [`1.${minor}`, { components: kubernetesParts(kube(index)) }]),
      ),
    });
    return {
      snapshot: { clusters, clusterSets: kind === 'management' ? [] : [{ name: 's', leader: 'a', members }], clients },
      bundles: [
        bundleAt(goal, 9),
        ...(shape.stops ? antreaVersions.map((_, place) => bundleAt(place, place + 1)).slice(0, goal) : []),
      ],
      kubernetes: kubernetesGoal === undefined ? undefined : `1.${at(kubernetesMinors, kubernetesGoal)}`,
      waves: { canary: shape.canary, percent: [50, 100], nodesAtOnce: shape.nodesAtOnce },
    };
  });

function component(id: string, live: readonly object[]): object {
  return { id, live };
}

function antreaParts(upstream: string): object[] {
  const part = (id: string, more: object = {}) => written({ id, unit: 'antrea', version: { upstream }, ...more });
  return [
    part('antrea-controller'),
    part('antrea-agent', { scope: 'node' }),
    part('flow-aggregator', { unit: 'flow-aggregator', requires: [{ component: 'antrea-agent' }] }),
    part('mc-leader', { unit: 'antrea-mc', roles: ['leader'] }),
    part('mc-member', { unit: 'antrea-mc', roles: ['member'] }),
    part('antctl', { unit: 'antctl', scope: 'client' }),
  ];
}

function kubernetesParts(upstream: string): object[] {
  const part = (id: string, scope: string) =>
    written({ id, unit: 'kubernetes', method: 'kubernetes', scope, version: { upstream } });
  return [
    part('kube-apiserver', 'cluster'),
    part('kube-controller-manager', 'cluster'),
    part('kube-scheduler', 'cluster'),
    part('kubelet', 'node'),
    part('kube-proxy', 'node'),
    part('kubectl', 'client'),
  ];
}
