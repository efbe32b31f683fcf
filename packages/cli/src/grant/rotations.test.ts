import { Annotation, MemberClusterAnnounce, ResourceExport, Secret, SecretKey, memberAnnounceName } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { exportService, leaderNamespace, leaderSecret, putService, westPorts } from '@isthmus/fleet-sim';
import { readToken } from '@isthmus/controlplane';
import { sweepRuns } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { apply, connected, fleetToJoin, joinFileFor } from './testing/grant-fleet.ts';

const names = Array.from({ length: 5 }, (_, index) => `s-${index}`);
const refOf = (name: string) => ({ namespace: 'shop', name });
/** A heartbeat is sent every ten seconds; one may be lost. */
const longestGapMs = 21_000;

function lastBeatMs({ leader }: VirtualFleet, clusterID: string): number {
  const ref = { namespace: leaderNamespace, name: memberAnnounceName(clusterID) };
  const { annotations } = leader.server.admin.get(MemberClusterAnnounce, ref)?.metadata ?? {};
  return Date.parse(annotations?.[Annotation.touchTs] ?? '');
}

const exportsOf = ({ leader }: VirtualFleet) =>
  leader.server.admin
    .list(ResourceExport, leaderNamespace)
    .map(({ metadata }) => `${metadata.name} ${metadata.uid}`)
    .toSorted();

it('tokens that are renewed a thousand times under load lose no export, and delay no heartbeat by more than one', async () => {
  const rotations = sweepRuns(1_000, { oneIn: 100 });
  await using fleet = await fleetToJoin({ clusters: { north: 'leader', west: 'member' }, maxTokenSeconds: 60 });
  const west = fleet.cluster('west');
  await apply(fleet, west, await joinFileFor(fleet, 'west'));
  await connected(fleet, west);
  for (const name of names) {
    putService(west, westPorts, refOf(name));
    exportService(west, refOf(name));
  }
  await fleet.until('all are exported', () => exportsOf(fleet).length === 2 * names.length);
  const exported = exportsOf(fleet);
  const slow = { kind: 'latency', ms: 400 } as const;
  fleet.link('west-member', 'north').add({ match: ({ method }) => method !== 'GET', fault: slow });
  const tokens = new Set<string>();
  let widestMs = 0;
  for (let round = 0; tokens.size <= rotations; round++) {
    // The load: a Service changes, and so do its exports.
    const name = names[round % names.length] ?? '';
    putService(west, [{ name: 'http', protocol: 'TCP', port: 1_000 + (round % 999), targetPort: 8080 }], refOf(name));
    await fleet.clock.advance(10_000);
    const { data } = west.server.admin.get(Secret, leaderSecret) ?? {};
    const token = atob(data?.[SecretKey.renewedToken] ?? '');
    tokens.add(token);
    expect(readToken(token)?.secret?.name).toBe('member-west');
    widestMs = Math.max(widestMs, fleet.clock.now() - lastBeatMs(fleet, 'west'));
  }
  expect(exportsOf(fleet)).toEqual(exported);
  expect(widestMs).toBeLessThanOrEqual(longestGapMs);
  expect(
    fleet.leader.server.requestLog().filter((line) => / 401( |$)/.test(line) && line.includes('member-west')),
  ).toEqual([]);
  expect(west.log.entries.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});
