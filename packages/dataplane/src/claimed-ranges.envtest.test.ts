import { ClusterInfoImport, ClusterSet, ResourceExport } from '@isthmus/api';
import type { ClusterInfo } from '@isthmus/api';
import { createVirtualFleet, grantAnything, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { askFrom, missingForNodes, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AgentLab } from './testing/agent-lab.ts';
import { startAgentLab } from './testing/agent-lab.ts';

const nodes = ['east-1', 'east-2', 'west-1', 'evil-1'];
const victims = ['east', 'west'] as const;
const leader = '172.31.0.5';
/** A host of the Internet, hosts in the network of the Nodes, and the API server of the leader. */
const hosts = ['8.8.8.8', '172.30.200.7', '172.30.0.1', leader];
/** What the claimant asks for beside its own Pods; the last two contain a router and the leader. */
const claimed = ['8.8.8.8/32', '172.30.0.0/16', '172.30.0.0/28', '172.31.0.0/28'];

/** The network of evil as a member imports it after it was announced with these Pod CIDRs. */
async function importedThroughLeader(honest: ClusterInfo, podCIDRs: readonly string[]): Promise<ClusterInfoImport> {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', evil: 'member' } });
  grantAnything(fleet, 'evil');
  fleet.cluster('evil').kill();
  fleet.leader.server.admin.put(ResourceExport, {
    metadata: { name: 'evil-clusterinfo', namespace: leaderNamespace },
    spec: {
      clusterID: 'evil',
      kind: 'ClusterInfo',
      name: 'evil',
      namespace: memberNamespace,
      clusterInfo: { ...honest, podCIDRs: [...podCIDRs] },
    },
  });
  const found = () =>
    fleet.cluster('east').server.admin.get(ClusterInfoImport, { namespace: memberNamespace, name: 'evil-clusterinfo' });
  await fleet.until('east imports it', () => found() !== undefined, 30_000);
  const { metadata, ...rest } = found() ?? expect.fail();
  return {
    ...rest,
    metadata: { name: metadata.name, namespace: metadata.namespace, annotations: metadata.annotations },
  };
}

describe.skipIf(missingForNodes(process.env).length > 0)(
  'what a cluster claims that others reach by themselves',
  () => {
    let lab: AgentLab;
    let honest: ClusterInfo;
    /** `ip route get` of each Node for each host, while evil announces its own Pods alone. */
    let before: ReadonlyMap<string, string>;

    beforeAll(async () => {
      lab = await startAgentLab(
        { clusters: { east: { nodes: 2 }, west: { nodes: 1 }, evil: { nodes: 1 } } },
        { gateways: ['east-1', 'west-1', 'evil-1'], clusterIP: '10.99.0.80' },
      );
      for (const name of victims)
        lab.admin(name).patch(
          ClusterSet,
          { namespace: memberNamespace, name: 'lab' },
          {
            spec: { leaders: [{ clusterID: 'none', server: `https://${leader}:6443` }] },
          },
        );
      await lab.ready();
      const ref = { namespace: memberNamespace, name: 'evil-clusterinfo' };
      honest = lab.admin('east').get(ClusterInfoImport, ref)?.spec ?? expect.fail();
      for (const node of nodes)
        expect(await lab.node(node).place.run('nft', ['-f', '-'], watchTable(lab.pod('evil-1').address))).toMatchObject(
          { code: 0 },
        );
      before = await routes();
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());

    async function routes(): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>();
      for (const node of nodes)
        for (const host of hosts) {
          const { stdout, stderr } = await lab.node(node).place.run('ip', ['route', 'get', host]);
          found.set(`${node} ${host}`, stdout + stderr);
        }
      return found;
    }

    /** Packets that left a Node through a tunnel: for a claimed address, and for Pods of evil. */
    async function tunnelled(node: string): Promise<{ readonly claimed: number; readonly ofEvil: number }> {
      const { stdout } = await lab.node(node).place.run('nft', ['list', 'table', 'inet', 'watch']);
      const count = (name: string) =>
        Number(new RegExp(`counter ${name} \\{\\s*packets (\\d+)`).exec(stdout)?.[1] ?? Number.NaN);
      return { claimed: count('claimed'), ofEvil: count('of_evil') };
    }

    /** Pods and Nodes send to each host. Pods also send to one of evil: packets are counted. */
    async function send(): Promise<void> {
      const probes = hosts.map((address) => ({ protocol: 'UDP' as const, address, port: 53, waitMs: 300 }));
      const evil = { protocol: 'UDP' as const, address: lab.pod('evil-1').address, port: 53, waitMs: 300 };
      for (const node of ['east-1', 'east-2', 'west-1']) {
        await askFrom(lab.pod(node), [...probes, evil]);
        await askFrom(lab.node(node).place, probes);
      }
    }

    function claim(object: ClusterInfoImport): void {
      for (const name of victims) lab.admin(name).put(ClusterInfoImport, object);
    }

    /** The agents have read the claim: they report what they do not use. */
    async function untilJudged(text: string): Promise<void> {
      for (const node of ['east-1', 'east-2', 'west-1'])
        await vi.waitFor(() => expect(JSON.stringify(lab.agent(node).problems())).toContain(text), {
          timeout: waitLimitMs(),
          interval: 50,
        });
    }

    async function expectNothingChanged(): Promise<void> {
      expect(await routes()).toEqual(before);
      const earlier = await Promise.all(['east-1', 'west-1'].map(tunnelled));
      await send();
      const later = await Promise.all(['east-1', 'west-1'].map(tunnelled));
      expect(later.map((one) => one.claimed)).toEqual([0, 0]);
      later.forEach(({ ofEvil }, at) => expect(ofEvil).toBeGreaterThan(earlier[at]?.ofEvil ?? Number.NaN));
      expect((await tunnelled('east-2')).claimed).toBe(0);
    }

    test('leads no packet to it, if an administrator of the leader has granted any private range', async () => {
      const object = await importedThroughLeader(honest, [...(honest.podCIDRs ?? []), ...claimed]);
      expect(object.spec?.podCIDRs).toEqual([...(honest.podCIDRs ?? []), ...claimed.slice(1)]);
      claim(object);
      await untilJudged('172.30.0.0/16');
      await expectNothingChanged();
    });

    test('leads no packet to it, if the leader publishes it unjudged', async () => {
      const podCIDRs = [...(honest.podCIDRs ?? []), '172.30.200.0/24', `${leader}/32`, '172.31.0.0/24'];
      claim({ metadata: { name: 'evil-clusterinfo', namespace: memberNamespace }, spec: { ...honest, podCIDRs } });
      await untilJudged('172.31.0.0/24');
      await expectNothingChanged();
    });
  },
);

/** Counts what leaves a Node through its tunnels. */
const watchTable = (podOfEvil: string) => `table inet watch {
  counter claimed { }
  counter of_evil { }
  chain out {
    type filter hook postrouting priority 300;
    oifname "isthmus-*" ip daddr { ${claimed.slice(0, 2).join(', ')}, ${leader} } counter name claimed
    oifname "isthmus-*" ip daddr ${podOfEvil} counter name of_evil
  }
}`;
