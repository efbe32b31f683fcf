import { Service } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet, exportService, putService, unexportService, westPorts } from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { expect, it } from 'vitest';

const quiet = Array.from({ length: 14 }, (_, index) => ({ namespace: 'shop', name: `quiet-${index}` }));
const restless = { namespace: 'shop', name: 'restless' };
const slow = { kind: 'latency', ms: 20 } as const;

/** How long a change of this Service takes from west to east, in virtual milliseconds. */
async function changed(fleet: VirtualFleet, index: number): Promise<number> {
  const ref = quiet[index] ?? restless;
  const port = 9_000 + index;
  const fromMs = fleet.clock.monotonic();
  putService(fleet.cluster('west'), [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }], ref);
  const { admin } = fleet.cluster('east').server;
  const derived = { ...ref, name: `antrea-mc-${ref.name}` };
  await fleet.until('it has arrived', () => admin.get(Service, derived)?.spec?.ports?.[0]?.port === port, 30_000);
  return fleet.clock.monotonic() - fromMs;
}

async function slowest(fleet: VirtualFleet, indices: readonly number[]): Promise<number> {
  let most = 0;
  for (const index of indices) {
    most = Math.max(most, await changed(fleet, index));
    await fleet.clock.advance(130);
  }
  return most;
}

it.runIf(checksAllPoints())(
  'one Service that is exported and withdrawn twenty times a second delays no change of the others',
  async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    putService(fleet.cluster('east'), westPorts, { namespace: 'shop', name: 'other' });
    const west = fleet.cluster('west');
    for (const ref of [...quiet, restless]) {
      putService(west, westPorts, ref);
      exportService(west, ref);
    }
    const { admin } = fleet.cluster('east').server;
    await fleet.until('all are imported', () => admin.list(Service, 'shop').length === quiet.length + 2);
    await fleet.clock.advance(10_000);
    for (const [way, server] of [
      ['west-member', 'north'],
      ['north-leader', 'north'],
      ['east-member', 'east'],
    ] as const)
      fleet.link(way, server).add({ match: ({ method }) => method !== 'GET', fault: slow });
    const alone = await slowest(
      fleet,
      Array.from({ length: 4 }, (_, index) => index),
    );
    const over = new AbortController();
    const flap = (round: number): void => {
      if (over.signal.aborted) return;
      if (round % 2 === 0) unexportService(west, restless);
      else exportService(west, restless);
      fleet.clock.after(50, () => flap(round + 1));
    };
    flap(0);
    const beside = await slowest(
      fleet,
      Array.from({ length: 10 }, (_, index) => 4 + index),
    );
    over.abort();
    expect(alone).toBeLessThan(1_000);
    expect(beside).toBeLessThanOrEqual(2 * alone);
  },
);
