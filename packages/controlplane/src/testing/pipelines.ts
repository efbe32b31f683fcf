import {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  Gateway,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceImport,
  labelIdentityHash,
} from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet, VirtualFleetOptions } from '@isthmus/fleet-sim';
import { createVirtualFleet, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { expect } from 'vitest';
import { exportPolicy, policyOf, putTier, servePolicies, strictIsolation } from './policies.ts';

/**
 * East and west exchange their networks and the labels of their Pods. Both have a policy of the
 * leader north.
 */
export interface Pipelines extends AsyncDisposable {
  readonly fleet: VirtualFleet;
  /**
   * Objects that disappeared or got another number after the start, and foreign objects that were
   * changed.
   */
  readonly breaches: string[];
  /** The number of label sets besides those of this story. */
  otherLabels: number;
  /** A cluster whose network may disappear. */
  away: 'east' | 'west' | undefined;
  /** Users change all three everywhere. Returns the number of the change. */
  change(): number;
  /** The differences between the clusters and the users' wishes after that change. */
  differences(round: number): readonly string[];
  /** Waits until there is no difference, and fails with the remaining ones. */
  untilCurrent(round: number, limitMs: number): Promise<void>;
}

const other = { east: 'west', west: 'east' } as const;
const hashOf = (app: string) => labelIdentityHash(`ns:kubernetes.io/metadata.name=shop&pod:app=${app}`);
const appOf = (name: string, round: number) => `${name}-${round}`;
const gatewayOf = (name: string, round: number) => `192.0.${name === 'east' ? 2 : 3}.${round + 1}`;
const numberIn = (object: KubernetesObject | undefined) => {
  const { spec } = (object ?? {}) as LabelIdentity & ResourceImport;
  return spec?.id ?? spec?.labelIdentity?.id;
};

/**
 * Objects that exist in every cluster from start to end, and must not disappear or get another
 * number.
 */
const isLasting = ({ kind, metadata: { name } }: KubernetesObject) =>
  (kind === ClusterNetworkPolicy.kind && name === 'antrea-mc-strict') ||
  (kind === ClusterInfoImport.kind && name.endsWith('-clusterinfo')) ||
  ([LabelIdentity.kind, ResourceImport.kind].includes(kind ?? '') && name === hashOf('base')) ||
  (kind === ResourceImport.kind && /^(strict-|(east|west)-clusterinfo$)/.test(name));

const theirs = { labels: { 'app.kubernetes.io/managed-by': 'somebody' } };
const foreign = [
  [ClusterNetworkPolicy, { metadata: { name: 'antrea-mc-theirs' }, spec: strictIsolation }],
  [LabelIdentity, { metadata: { name: 'theirs', ...theirs }, spec: { label: 'ns:&pod:', id: 7 } }],
  [
    ClusterInfoImport,
    { metadata: { name: 'theirs', namespace: memberNamespace, ...theirs }, spec: { clusterID: 'theirs' } },
  ],
] as const;

/** A Pod in Namespace `shop` with its own set of labels. */
export function putPodOf({ server }: VirtualCluster, app: string): void {
  server.admin.put(Pod, {
    metadata: { name: app, namespace: 'shop', labels: { app } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
}

/** Creates this fleet, at rest. */
export async function createPipelines(options: Partial<VirtualFleetOptions> = {}): Promise<Pipelines> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    stretched: true,
    ...options,
    join: false,
  });
  const members = [fleet.cluster('east'), fleet.cluster('west')];
  const breaches: string[] = [];
  let rounds = 0;
  const pipelines: Pipelines = {
    fleet,
    breaches,
    otherLabels: 0,
    away: undefined,
    change() {
      const round = rounds++;
      for (const member of members) {
        putGateway(member, round);
        putPodOf(member, appOf(member.name, round));
        if (round > 0) member.server.admin.delete(Pod, { namespace: 'shop', name: appOf(member.name, round - 1) });
      }
      exportPolicy(fleet, 'strict', { ...strictIsolation, priority: round });
      return round;
    },
    differences(round) {
      const { admin } = fleet.leader.server;
      return members.flatMap((member) => {
        const { name, server } = member;
        const peer = other[name as keyof typeof other];
        const ref = { namespace: memberNamespace, name: `${peer}-clusterinfo` };
        const network = server.admin.get(ClusterInfoImport, ref);
        const sets = [...Object.keys(other).map((one) => appOf(one, round)), 'base'];
        const hasNumber = (app: string) => {
          const published = numberIn(admin.get(ResourceImport, { namespace: leaderNamespace, name: hashOf(app) }));
          const own = numberIn(server.admin.get(LabelIdentity, { name: hashOf(app) }));
          return published !== undefined && own === published;
        };
        return [
          ...(policyOf(member, 'strict')?.spec?.['priority'] === round ? [] : [`${name}: policy`]),
          ...(network?.spec?.gatewayInfos?.[0]?.gatewayIP === gatewayOf(peer, round) ? [] : [`${name}: network`]),
          ...sets.filter((app) => !hasNumber(app)).map((app) => `${name}: labels of ${app}`),
          // One more for the foreign object.
          ...(server.admin.list(LabelIdentity).length === sets.length + pipelines.otherLabels + 1
            ? []
            : [`${name}: more labels`]),
        ];
      });
    },
    async untilCurrent(round, limitMs) {
      const isCurrent = () => pipelines.differences(round).length === 0;
      try {
        await fleet.clock.runUntil(isCurrent, { limitMs, what: 'all is current' });
      } catch {
        expect(pipelines.differences(round)).toEqual([]);
      }
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };

  members.forEach((member) => servePolicies(member));
  await fleet.clock.settle();
  for (const member of members) {
    putTier(member, 'securityops');
    const { admin } = member.server;
    admin.put(Namespace, { metadata: { name: 'shop' } });
    for (const [type, object] of foreign) admin.put<KubernetesObject>(type, object);
    putPodOf(member, 'base');
  }
  fleet.join();
  fleet.clusters.forEach((one) => one.start());
  await pipelines.untilCurrent(pipelines.change(), 60_000);
  await fleet.clock.advance(10_000);
  for (const { name, server } of fleet.clusters) {
    server.admin.onChange(({ before, after }) => {
      if (before === undefined) return;
      const what = `${name}: ${before.kind} ${before.metadata.name}`;
      if (before.metadata.name.includes('theirs')) breaches.push(`${what} was touched`);
      if (!isLasting(before) || before.metadata.name === `${pipelines.away}-clusterinfo`) return;
      if (after === undefined) breaches.push(`${what} vanished`);
      else if (numberIn(before) !== numberIn(after)) breaches.push(`${what} has another number`);
    });
  }
  return pipelines;
}

function putGateway({ name, server }: VirtualCluster, round: number): void {
  const address = gatewayOf(name, round);
  server.admin.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace },
    gatewayIP: address,
    internalIP: address,
    serviceCIDR: name === 'east' ? '10.97.0.0/16' : '10.98.0.0/16',
  });
}
