import { flowServer, missingForNodes, openFlows, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { missesToDie } from './probes/health.ts';
import type { AgentLab } from './testing/agent-lab.ts';
import { startAgentLab } from './testing/agent-lab.ts';

const clusterIP = '10.99.0.80';
const gateways = ['east-1', 'east-2', 'west-1', 'west-2'];

describe.skipIf(missingForNodes(process.env).length > 0)('connections through two gateways of each cluster', () => {
  let lab: AgentLab;

  beforeAll(async () => {
    lab = await startAgentLab({ clusters: { east: { nodes: 3 }, west: { nodes: 3 } } }, { gateways, clusterIP });
    await lab.pod('west-3').start(...flowServer());
    lab.exportFrom('west', [lab.pod('west-3').address]);
    await lab.ready();
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /**
   * The Nodes that send packets through a gateway: the other Nodes of its cluster, and the gateways
   * of the other one.
   */
  const senders = (name: string) =>
    ['east-3', 'west-3', ...gateways].filter((one) =>
      one.slice(0, 4) === name.slice(0, 4) ? !gateways.includes(one) : gateways.includes(one),
    );

  test('survive that a gateway on either side is cut off, drops all packets, comes back, and is demoted, and that agents end, those in which the server speaks first too', async ({
    annotate,
  }) => {
    const flows = await openFlows(lab.pod('east-3'), { address: clusterIP, port: 80, tcp: 200, udp: 50 });
    const seconds: number[] = [];
    const dies = async (name: string, how: () => Promise<unknown>) => {
      const startedMs = performance.now();
      await how();
      await lab.untilUnused(name, senders(name));
      seconds.push((performance.now() - startedMs) / 1000);
    };
    const returns = async (name: string, how: () => Promise<unknown>) => {
      await how();
      await lab.untilUsed(name, senders(name));
    };
    for (const name of ['east-1', 'west-1']) {
      const { place } = lab.node(name);
      await dies(name, () => place.setLink('down'));
      await returns(name, () => place.setLink('up'));
    }
    for (const name of ['east-2', 'west-2']) {
      const { place } = lab.node(name);
      // Its neighbours on the network still see it as healthy, but it carries nothing.
      const silence =
        'add table netdev hole; add chain netdev hole in { type filter hook ingress device eth0 priority 0; policy drop; }';
      await dies(name, () => place.run('nft', [silence]));
      await returns(name, () => place.run('nft', ['delete table netdev hole']));
    }
    for (const name of ['east-2', 'west-1']) {
      lab.setGateways(gateways.filter((one) => one !== name));
      await lab.untilUnused(name, senders(name));
      lab.setGateways(gateways);
      await lab.untilUsed(name, senders(name));
    }
    // The kernel of a gateway without an agent continues to forward, and to answer.
    await lab.endAgent('east-1');
    const answersOf = () =>
      lab
        .agent('east-3')
        .gateways()
        .map(({ state, probes }) => [state, probes] as const);
    const before = answersOf();
    await vi.waitUntil(
      () => answersOf().every(([, probes], index) => probes > (before[index]?.[1] ?? 0) + missesToDie + 1),
      {
        timeout: waitLimitMs(),
      },
    );
    expect(answersOf().map(([state]) => state)).toEqual(['alive', 'alive']);
    const report = await flows.stop();
    expect(report.lost).toEqual([]);
    expect(report.flows).toBe(250);
    await annotate(`worst pause of a flow: ${report.worstPauseMs} ms`);
    await annotate(`out of use, all senders, after: ${seconds.map((one) => one.toFixed(1)).join(', ')} s`);
  });

  test('to a gateway that gets small packets only are reported with the size that arrives, until large ones do', async ({
    annotate,
  }) => {
    const { place, layout } = lab.node('west-1');
    // A gateway that returns is measured at once.
    await place.setLink('down');
    await lab.untilUnused('west-1', ['east-2']);
    const hole = `table netdev hole { chain in { type filter hook ingress device eth0 priority 0;
      ip length > 1400 udp dport 8479 drop; }; }`;
    await place.run('nft', ['-f', '-'], hole);
    await place.setLink('up');
    await lab.untilUsed('west-1', ['east-2']);
    const usedMs = performance.now();
    const carried = () =>
      Object.fromEntries(
        lab
          .agent('east-2')
          .gateways()
          .map(({ gateway, carries }) => [gateway.underlay, carries]),
      );
    const other = lab.node('west-2').layout.address;
    const until = { timeout: waitLimitMs() };
    await vi.waitUntil(() => carried()[layout.address] !== undefined, until);
    const foundMs = performance.now();
    // A tunnel takes 50 bytes.
    const { [layout.address]: carries = 0, [other]: ofOther } = carried();
    expect([carries > 1_350 - 8 && carries <= 1_350, ofOther]).toEqual([true, undefined]);
    await place.run('nft', ['delete table netdev hole']);
    await vi.waitUntil(() => carried()[layout.address] === undefined, until);
    const seconds = (fromMs: number, toMs: number) => ((toMs - fromMs) / 1_000).toFixed(1);
    await annotate(
      `${carries} bytes, found after ${seconds(usedMs, foundMs)} s, gone ${seconds(foundMs, performance.now())} s later`,
    );
  });
});
