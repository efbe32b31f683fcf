import type { RealFleet } from '@isthmus/testkit';
import { serviceAccountToken, startRealFleet, tokenClient, waitLimitMs } from '@isthmus/testkit';
import type { Client } from '@isthmus/kube';
import { systemClock } from '@isthmus/kube';
import { leaderNamespace } from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../testing/attacks/families.ts';
import { importer, leader, third } from '../testing/attacks/facts.ts';
import type { Findings } from '../testing/attacks/run-attacks.ts';
import { runAttacks } from '../testing/attacks/run-attacks.ts';

const clock = systemClock();
const clients: Client[] = [];
let fleet: RealFleet;
let findings: Findings;

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { [leader.id]: 'leader', [importer.id]: 'member', [third.id]: 'member' },
    serviceCIDRs: { [leader.id]: leader.services, [importer.id]: importer.services, [third.id]: third.services },
    podCIDRs: { [importer.id]: [importer.pods], [third.id]: [third.pods] },
    stretched: true,
  });
  const { server, admin } = fleet.leader;
  findings = await runAttacks(
    {
      admins: new Map(fleet.clusters.map((cluster) => [cluster.name, cluster.admin])),
      async logIn(account) {
        const token = await serviceAccountToken(admin, leaderNamespace, account);
        const client = tokenClient({ url: server.url, caData: server.caData, token }, { clock });
        clients.push(client);
        return client;
      },
      // Ten seconds on an ordinary host.
      namedMs: waitLimitMs() / 15,
      sideBySide: 24,
      nowMs: () => clock.monotonic(),
      pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    families.flatMap(({ attacks }) => attacks),
  );
});
afterAll(async () => {
  for (const client of clients) client.close();
  await fleet?.[Symbol.asyncDispose]();
});

describe.each(families)('a member that attacks by $name, on real API servers', ({ attacks }) => {
  it.each(attacks)('changes nothing of others and is named: it $name', (attack) => {
    expect(findings.ofAttack.get(attack)).toEqual([]);
  });
});

describe('all attacks together, on real API servers', () => {
  it('change nothing else', () => {
    expect(findings.others).toEqual([]);
  });
});
