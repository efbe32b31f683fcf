import { Resolver } from 'node:dns/promises';
import { ClusterSet, Gateway, Namespace, Node, Service } from '@isthmus/api';
import { createClient, memoryLog, noMetrics, systemClock } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import type { PacketLab } from '@isthmus/testkit';
import {
  cart,
  clusterAdmin,
  clusterSetName,
  createVirtualFleet,
  exportService,
  memberNamespace,
  putPod,
} from '@isthmus/fleet-sim';
import { askFrom, echoServer, labNodeObject, missingForNodes, startPacketLab, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Agent } from './agent/agent.ts';
import { createAgent } from './agent/agent.ts';
import { startDnsServer } from './dns/dns-server.ts';
import { createImportNames } from './dns/import-names.ts';
import { noDnsMetrics } from './dns/metrics.ts';
import { startLabProbe } from './testing/lab-probe.ts';
import { labWatch } from './testing/lab-watch.ts';

const annotation = 'isthmus.dev/virtual-pod-cidrs';
const zoneName = 'clusterset.local';

/**
 * Controllers and API servers run in virtual time. Agents, names and packets use the time of the
 * host.
 */
describe.skipIf(missingForNodes(process.env).length > 0)(
  'clusters with the same Pod CIDR, under a leader that allots others',
  () => {
    let lab: PacketLab;
    let fleet: VirtualFleet;
    const agents: Agent[] = [];
    const end = new AbortController();
    const stack = new AsyncDisposableStack();
    const world = { clock: systemClock(), random: seededRandom(1), log: memoryLog(), metrics: noMetrics };

    const clientOf = (cluster: string) =>
      createClient({ transport: fleet.cluster(cluster).server.transport(clusterAdmin), clock: world.clock });
    /** The virtual ranges that the agents of a cluster read. */
    const virtualOf = (cluster: string) =>
      fleet.cluster(cluster).server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })
        ?.metadata.annotations?.[annotation];
    const run = (running: Promise<void>) => {
      stack.defer(() => running.catch(() => {}));
    };

    beforeAll(async () => {
      const podNetwork = '10.77';
      lab = await startPacketLab({ clusters: { east: { nodes: 2, podNetwork }, west: { nodes: 2, podNetwork } } });
      fleet = await createVirtualFleet({
        clusters: { north: 'leader', east: 'member', west: 'member' },
        endpointIPType: 'PodIP',
        leaderConfig: { virtualPodCIDRs: ['100.64.0.0/10', 'fd00:64::/40'] },
      });
      for (const [name, { layout, nodes }] of Object.entries(lab.clusters)) {
        const cluster = fleet.cluster(name);
        cluster.kill();
        cluster.start('member', { podCIDRs: layout.clusterCIDRs });
        for (const [index, node] of nodes.entries()) cluster.server.admin.put(Node, labNodeObject(node, index === 0));
        const ref = { namespace: memberNamespace, name: `${name}-1` };
        await fleet.until(`${name} has a Gateway`, () => cluster.server.admin.get(Gateway, ref) !== undefined);
        cluster.server.admin.patch(Gateway, ref, { metadata: { annotations: { 'isthmus.dev/dataplane': 'isthmus' } } });
      }
      const { admin } = fleet.cluster('west').server;
      fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
      admin.put(Namespace, { metadata: { name: cart.namespace } });
      const ports = [{ name: 'http', protocol: 'TCP', port: 8080, targetPort: 8080 }];
      admin.put(Service, { metadata: { ...cart }, spec: { clusterIP: 'None', selector: { app: cart.name }, ports } });
      putPod(fleet.cluster('west'), 'cart-1', lab.pod('west-2').address);
      exportService(fleet.cluster('west'));
      await lab.pod('west-2').start(...echoServer('west-2'));
      await lab.pod('east-1').start(...echoServer('east-1'));
      await fleet.until(
        'both have virtual ranges',
        () => virtualOf('east') !== undefined && virtualOf('west') !== undefined,
      );
      await fleet.clock.advance(10_000);
      for (const [name, { nodes }] of Object.entries(lab.clusters))
        for (const node of nodes) {
          const agent = createAgent({
            client: clientOf(name),
            namespace: memberNamespace,
            node: node.layout.name,
            settings: { port: 8479 },
            run: node.place.run,
            watch: labWatch(node),
            probe: stack.use(startLabProbe(node)).probe,
            world,
          });
          agents.push(agent);
          run(agent.run(end.signal));
        }
    });
    afterAll(async () => {
      end.abort(new Error('over'));
      await stack[Symbol.asyncDispose]();
      await fleet?.[Symbol.asyncDispose]();
      await lab?.[Symbol.asyncDispose]();
    });

    test('a headless name of the other cluster leads to the virtual address of its Pod, which packets reach', async () => {
      for (const agent of agents)
        await vi.waitFor(() => expect(agent.notReady()).toEqual([]), { timeout: waitLimitMs() });
      const names = createImportNames({ client: clientOf('east'), zoneName, world });
      run(names.run(end.signal));
      const bind = { host: '127.0.0.1', port: 0 };
      const dns = stack.use(await startDnsServer({ bind, served: names.served, ...world, metrics: noDnsMetrics }));
      await vi.waitFor(() => expect(names.notReady()).toEqual([]), { timeout: waitLimitMs() });
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${dns.address.port}`]);
      const [own, client] = [lab.pod('west-2').address, lab.pod('east-2').address];
      const found = await resolver.resolve4(`cart.shop.svc.${zoneName}`);
      expect(found).toEqual([own.replace('10.77.', '100.65.')]);
      const [address = ''] = found;
      // The Pod sees the client at the client's virtual address.
      expect(await askFrom(lab.pod('east-2'), [{ protocol: 'TCP', address, port: 8080 }])).toEqual([
        `west-2 ${client.replace('10.77.', '100.64.')}`,
      ]);
      expect(
        await askFrom(lab.pod('west-1'), [
          { protocol: 'UDP', address: lab.pod('east-1').address.replace('10.77.', '100.64.'), port: 8080 },
        ]),
      ).toEqual([`east-1 ${lab.pod('west-1').address.replace('10.77.', '100.65.')}`]);
      const [status] = agents.map((agent) => agent.status());
      // The only Node of the fleet is not in the lab.
      expect(status?.problems.filter(({ kind }) => kind !== 'Node')).toEqual([]);
      expect(status?.virtualPodCIDRs?.[0]).toEqual({ own: '10.77.0.0/16', virtual: '100.64.0.0/16' });
    });
  },
);
