import { ResourceExport } from '@isthmus/api';
import { leaderNamespace } from '@isthmus/fleet-sim';
import { checksAllPoints, sweepOf } from '@isthmus/testkit';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pipelines } from '../testing/pipelines.ts';
import { createPipelines } from '../testing/pipelines.ts';
import { consequencesMs, isBefallen, serverFaults } from '../testing/server-faults.ts';

let pipelines: Pipelines;
let fleet: VirtualFleet;

beforeAll(async () => {
  pipelines = await createPipelines();
  ({ fleet } = pipelines);
});
beforeEach(() => void pipelines.breaches.splice(0));
afterAll(() => pipelines?.[Symbol.asyncDispose]());

describe('networks, policies and label identities stay, and follow what changed meanwhile, when the API server', () => {
  const ways = [
    ['east-member', 'east'],
    ['east-member', 'north'],
    ['north-leader', 'north'],
  ] as const;
  const all = ways.flatMap(([controller, server]) =>
    serverFaults.map(([what, fault, which]) => ({ controller, server, what, fault, which })),
  );
  const visited = sweepOf(all, { oneIn: 14, kindOf: ({ controller, server }) => `${controller} ${server}` });

  it.each(visited)('$server of $controller $what', async ({ controller, server, fault, which }) => {
    const mend = fleet.link(controller, server).add({ match: (request) => isBefallen(request, which), fault });
    await fleet.clock.advance(3_000);
    const round = pipelines.change();
    await fleet.clock.advance(60_000);
    mend();
    await fleet.clock.advance(consequencesMs(fault));
    await pipelines.untilCurrent(round, 120_000);
    await fleet.clock.advance(10_000);
    expect([...pipelines.breaches, ...pipelines.differences(round)]).toEqual([]);
  });

  it.each(['refuse', 'silence'] as const)('is cut off from a member for a minute: %s', async (how) => {
    const link = fleet.link('east-member', 'north');
    link.cut(how);
    await fleet.clock.advance(1_000);
    const round = pipelines.change();
    await fleet.clock.advance(60_000);
    link.heal();
    await pipelines.untilCurrent(round, 60_000);
    expect(pipelines.breaches).toEqual([]);
  });

  it('has the watches of one kind late, so that changes of one moment arrive in another order', async () => {
    const kinds = ['resourceimports', 'resourceexports', 'labelidentities', 'clusternetworkpolicies', 'pods'];
    const mend = ways.flatMap(([controller, server], way) =>
      kinds.map((plural, index) =>
        fleet.link(controller, server).add({
          match: ({ method, path }) => method === 'GET' && path.endsWith(`/${plural}`),
          fault: { kind: 'latency', ms: 500 + 1_900 * ((index * 2 + way) % kinds.length) },
        }),
      ),
    );
    for (const { server } of fleet.clusters) server.admin.compact();
    for (const [controller, server] of ways)
      fleet.link(controller, server).add({
        match: (request) => isBefallen(request, 'streams'),
        fault: { kind: 'end-stream', afterLines: 1 },
        times: 20,
      });
    let round = pipelines.change();
    for (let times = 0; times < 3; times++) {
      await fleet.clock.advance(1_700);
      round = pipelines.change();
    }
    await pipelines.untilCurrent(round, 120_000);
    mend.forEach((undo) => undo());
    await fleet.clock.advance(30_000);
    expect([...pipelines.breaches, ...pipelines.differences(round)]).toEqual([]);
  });

  it.runIf(checksAllPoints())('is cut off from a member for a day, which the others then forget', async () => {
    pipelines.away = 'east';
    const link = fleet.link('east-member', 'north');
    link.cut('silence');
    await fleet.clock.advance(60_000);
    const round = pipelines.change();
    await fleet.clock.advance(25 * 3_600_000);
    const ofEast = fleet.leader.server.admin
      .list(ResourceExport, leaderNamespace)
      .filter(({ spec }) => spec?.clusterID === 'east');
    expect(ofEast).toEqual([]);
    link.heal();
    await pipelines.untilCurrent(round, 120_000);
    pipelines.away = undefined;
    expect(pipelines.breaches).toEqual([]);
  });
});
