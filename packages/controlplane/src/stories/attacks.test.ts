import { createClient } from '@isthmus/kube';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { clusterAdmin, createVirtualFleet, leaderNamespace, serviceAccount } from '@isthmus/fleet-sim';
import { beforeAll, describe, expect, it } from 'vitest';
import { attackerOf } from '../testing/attacks/attack.ts';
import type { AttackedFleet } from '../testing/attacks/attacked-fleet.ts';
import { importer, leader, third } from '../testing/attacks/facts.ts';
import { families } from '../testing/attacks/families.ts';
import type { Findings } from '../testing/attacks/run-attacks.ts';
import { runAttacks } from '../testing/attacks/run-attacks.ts';

async function startFleet(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { [leader.id]: 'leader', [importer.id]: 'member', [third.id]: 'member' },
    serviceCIDRs: { [leader.id]: leader.services, [importer.id]: importer.services, [third.id]: third.services },
    stretched: true,
  });
  for (const { id, pods } of [importer, third]) {
    fleet.cluster(id).kill();
    fleet.cluster(id).start('member', { podCIDRs: [pods] });
  }
  return fleet;
}

function attacked({ clock, clusters, leader: { server } }: VirtualFleet): AttackedFleet {
  const clientOf = (one: typeof server, user = clusterAdmin) =>
    createClient({ transport: one.transport(user), clock, server: one.name });
  return {
    admins: new Map(clusters.map(({ name, server: one }) => [name, clientOf(one)])),
    logIn: (account) => Promise.resolve(clientOf(server, serviceAccount(leaderNamespace, account))),
    namedMs: 10_000,
    sideBySide: Infinity,
    nowMs: () => clock.monotonic(),
    pass: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
  };
}

/** The result of the work, while time passes. */
async function whileTimePasses<T>({ clock }: VirtualFleet, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const end = work.finally(() => over.abort());
  end.catch(() => undefined);
  while (!over.signal.aborted) await clock.advance(50);
  return end;
}

const ofVirtualFleets = families.filter(({ needsManifests = false }) => !needsManifests);

describe('the attacks', () => {
  it('are more than sixty, and each is denied or named, or has no effect', () => {
    const all = ofVirtualFleets.flatMap(({ attacks }) => attacks);
    expect(all.length).toBeGreaterThan(60);
    const unnamed = all.filter(({ course }) => {
      const { reports, denied, unnamed: why } = course(attackerOf(1));
      return reports.length === 0 && denied === undefined && why === undefined;
    });
    expect(unnamed.map(({ name }) => name)).toEqual([]);
    const advisories = new Set(all.flatMap(({ advisory }) => advisory ?? []));
    expect([...advisories].toSorted()).toEqual(['CVE-2026-66785', 'CVE-2026-66787', 'CVE-2026-66788']);
  });
});

describe.each(ofVirtualFleets)('a member that attacks by $name', ({ attacks }) => {
  let findings: Findings;
  beforeAll(async () => {
    await using fleet = await startFleet();
    findings = await whileTimePasses(fleet, runAttacks(attacked(fleet), attacks));
  });

  it.each(attacks)('changes nothing of others and is named: it $name', (attack) => {
    expect(findings.ofAttack.get(attack)).toEqual([]);
  });

  it('changes nothing else', () => {
    expect(findings.others).toEqual([]);
  });
});
