import { ClusterNetworkPolicy, ResourceExport, Tier } from '@isthmus/api';
import { canonicalJson } from '@isthmus/machinery';
import type { FleetWrite, VirtualFleet, WriteVerdict } from '@isthmus/fleet-sim';
import { createVirtualFleet, fleetState, leaderNamespace } from '@isthmus/fleet-sim';
import { exportPolicy, policyOf, putTier, servePolicies, strictIsolation } from './policies.ts';

interface Step {
  readonly name: string;
  act(fleet: VirtualFleet): void;
  holds(fleet: VirtualFleet): boolean;
}

const members = (fleet: VirtualFleet) => [fleet.cluster('east'), fleet.cluster('west')];
const refOf = (name: string) => ({ namespace: leaderNamespace, name });

/** From the export of two policies, one of which a member cannot have at first, to their end. */
const steps: readonly Step[] = [
  {
    name: 'two policies are exported',
    act(fleet) {
      exportPolicy(fleet, 'strict');
      exportPolicy(fleet, 'late', { ...strictIsolation, tier: 'late' });
    },
    holds: (fleet) =>
      members(fleet).every((one) => policyOf(one, 'strict') !== undefined) &&
      policyOf(fleet.cluster('west'), 'late') !== undefined,
  },
  {
    name: 'east gets the Tier, and the other policy changes',
    act(fleet) {
      putTier(fleet.cluster('east'), 'late');
      const { admin } = fleet.leader.server;
      const found = admin.get(ResourceExport, refOf('strict'));
      const clusterNetworkPolicy = { ...strictIsolation, priority: 5 };
      admin.put(ResourceExport, { ...found, spec: { ...found?.spec, clusterNetworkPolicy } } as ResourceExport);
    },
    holds: (fleet) =>
      members(fleet).every(
        (one) => policyOf(one, 'strict')?.spec?.['priority'] === 5 && policyOf(one, 'late') !== undefined,
      ),
  },
  {
    name: 'both are withdrawn',
    act({ leader }) {
      for (const name of ['strict', 'late']) leader.server.admin.delete(ResourceExport, refOf(name));
    },
    holds: (fleet) =>
      fleet.leader.server.admin.list(ResourceExport).length === 0 &&
      members(fleet).every((one) => ['strict', 'late'].every((name) => policyOf(one, name) === undefined)),
  },
];

/** The result of one run. */
export interface PolicyStoryRun {
  /** The state of the fleet after each step. */
  readonly states: readonly (readonly string[])[];
  /** A policy that disappeared while it was exported, or a foreign object that was changed. */
  readonly breaches: readonly string[];
  /** Writes of controllers, without heartbeats and Events. */
  readonly writes: number;
}

/** Runs the story. `onWrite` is called before each write of a controller, counted from 1. */
export async function runPolicyStory(
  onWrite: (write: FleetWrite & { readonly number: number }) => WriteVerdict = () => 'pass',
): Promise<PolicyStoryRun> {
  let writes = 0;
  let counting = false;
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    onWrite(write) {
      if (!counting || /memberclusterannounces|\/events/.test(write.path)) return 'pass';
      writes += 1;
      return onWrite({ ...write, number: writes });
    },
  });
  members(fleet).forEach((cluster) => servePolicies(cluster));
  await fleet.clock.settle();
  const foreign = { metadata: { name: 'antrea-mc-theirs' }, spec: strictIsolation };
  for (const cluster of members(fleet)) {
    putTier(cluster, 'securityops');
    cluster.server.admin.put(ClusterNetworkPolicy, foreign);
  }
  putTier(fleet.cluster('west'), 'late');
  const breaches: string[] = [];
  const isExported = (name: string) => {
    const found = fleet.leader.server.admin.get(ResourceExport, refOf(name));
    return found !== undefined && found.metadata.deletionTimestamp === undefined;
  };
  for (const { name, server } of members(fleet)) {
    server.admin.onChange(({ before, after }) => {
      if (before?.kind !== 'ClusterNetworkPolicy' || after !== undefined) return;
      const exported = before.metadata.name.replace('antrea-mc-', '');
      if (isExported(exported) || exported === 'theirs') breaches.push(`${name}: ${exported} vanished`);
    });
  }
  // Over time, members look less often for kinds that are not served.
  await fleet.clock.advance(40_000);
  counting = true;
  const states: (readonly string[])[] = [];
  for (const step of steps) {
    step.act(fleet);
    await fleet.until(step.name, () => step.holds(fleet), 120_000);
    await fleet.clock.advance(60_000);
    const policies = members(fleet).flatMap(({ name, server }) =>
      [...server.admin.list(ClusterNetworkPolicy), ...server.admin.list(Tier)].map(
        ({ metadata, spec }) =>
          `${name} ${metadata.name} ${canonicalJson(spec)} ${canonicalJson(metadata.annotations ?? {})}`,
      ),
    );
    states.push([...fleetState(fleet), ...policies]);
  }
  return { states, breaches, writes };
}
