import { flowServer, missingForNodes, openFlows, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AgentLab } from './testing/agent-lab.ts';
import { startAgentLab } from './testing/agent-lab.ts';

const clusterIP = '10.99.0.80';
const names = ['east-1', 'east-2', 'west-1', 'west-2'];
const gateways = ['east-1', 'west-1'];

describe.skipIf(missingForNodes(process.env).length > 0)('Pods of two clusters whose network routes to both', () => {
  let lab: AgentLab;
  beforeAll(async () => {
    lab = await startAgentLab(
      { clusters: { east: { nodes: 2 }, west: { nodes: 2 } } },
      { gateways, clusterIP, findsDirectPaths: true },
    );
    for (const name of names)
      for (const one of ['all', 'eth0'])
        await lab.node(name).place.run('sysctl', ['-w', `net.ipv4.conf.${one}.rp_filter=1`]);
    await lab.pod('west-2').start(...flowServer());
    lab.exportFrom('west', [lab.pod('west-2').address]);
    await lab.ready();
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /**
   * Adds or removes the routes to the Pods of the other cluster. They lead to the addresses of the
   * other Nodes in the network that joins them.
   */
  const route = async (verb: 'add' | 'del') => {
    for (const name of names)
      for (const other of names.filter((one) => one.slice(0, 4) !== name.slice(0, 4))) {
        const { address, podCIDR } = lab.node(other).layout;
        const { code, stderr } = await lab.node(name).place.run('ip', ['route', verb, podCIDR, 'via', address]);
        if (code !== 0) throw new Error(stderr);
      }
  };
  const statusOf = (name: string) => lab.agent(name).status().directPaths?.clusters ?? [];
  const areUsed = (isUsed: boolean, by = names) =>
    vi.waitUntil(
      () => by.every((name) => statusOf(name).some((one) => one.family === 'IPv4' && one.isUsed === isUsed)),
      { timeout: waitLimitMs(), interval: 100 },
    );
  const call = async (from: Parameters<typeof openFlows>[0]) => {
    const flows = await openFlows(from, { address: clusterIP, port: 80, tcp: 20, udp: 5 });
    return flows;
  };

  test('take no tunnel as soon as that is found out, and tunnels when the routes go, without the loss of a connection, and need no gateway meanwhile', async ({
    annotate,
  }) => {
    await vi.waitUntil(() => names.every((name) => statusOf(name).some(({ family }) => family === 'IPv4')), {
      timeout: waitLimitMs(),
    });
    expect(statusOf('east-2')).toContainEqual({
      clusterID: 'west',
      family: 'IPv4',
      isUsed: false,
      asked: 2,
      answering: 0,
    });
    const flows = [await call(lab.pod('east-2')), await call(lab.node('east-2').place)];
    await route('add');
    await areUsed(true);
    // No gateway: the tunnels carry nothing.
    const gone = async (verb: 'add' | 'delete') => {
      for (const name of gateways) {
        const silence =
          verb === 'add'
            ? 'add table inet hole; add chain inet hole in { type filter hook prerouting priority -400; }; add rule inet hole in udp dport 8479 counter drop'
            : 'delete table inet hole';
        const { code, stderr } = await lab.node(name).place.run('nft', [silence]);
        if (code !== 0) throw new Error(stderr);
      }
    };
    await gone('add');
    flows.push(await call(lab.pod('east-1')), await call(lab.node('east-1').place));
    await gone('delete');
    await route('del');
    await areUsed(false);
    for (const one of flows) {
      const report = await one.stop();
      expect(report.lost).toEqual([]);
      await annotate(`worst pause of ${report.flows} flows: ${report.worstPauseMs} ms`);
    }
  });
});
