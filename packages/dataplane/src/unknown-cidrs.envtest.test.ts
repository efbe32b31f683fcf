import { askFrom, echoServer, missingForNodes, startPacketLab } from '@isthmus/testkit';
import type { PacketLab } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { desiredNetwork } from './desired/desired-network.ts';
import { readUnderlay } from './surroundings/underlay.ts';
import { writeBatches } from './kernel/write-network.ts';
import { diffNetworks } from './network/diff.ts';
import { emptyNetwork } from './network/network.ts';
import { renderChange } from './network/render.ts';
import { importedService } from './testing/imported-service.ts';
import { writeKubeProxy } from './testing/kube-proxy.ts';
import { labNetwork } from './testing/lab-network.ts';

const clusterIP = '10.99.0.1';
const servers = ['west-1', 'west-2'] as const;

/**
 * Nodes whose Pod CIDRs no agent knows, as with Calico: the CNI routes Pods between them. All are
 * gateways, and the reverse path filter is loose. A packet for a Pod comes by any of them, and the
 * answer goes directly to the other cluster.
 */
describe.skipIf(missingForNodes(process.env).length > 0)('Pods of gateways without Pod CIDRs', () => {
  let lab: PacketLab;

  beforeAll(async () => {
    lab = await startPacketLab({ clusters: { east: { nodes: 2 }, west: { nodes: 2 } }, reversePathFilter: 2 });
    const services = (['TCP', 'UDP'] as const).map((protocol) =>
      importedService(clusterIP, { protocol, endpoints: servers.map((name) => lab.pod(name).address) }),
    );
    for (const { layout, nodes } of Object.values(lab.clusters))
      for (const node of nodes) {
        const known = labNetwork(lab, node, { gateways: ['east-1', 'east-2', 'west-1', 'west-2'], services });
        const cluster = {
          ...known,
          nodes: known.nodes.map((one) => ({ ...one, podCIDRs: [] })),
          settings: {
            ...known.settings,
            nodeDevices: (await readUnderlay(node.layout.address, node.place.run))?.devices,
          },
        };
        await writeBatches(renderChange(diffNetworks(emptyNetwork, desiredNetwork(cluster))), node.place.run);
        await writeKubeProxy(node.place, layout, { mode: 'iptables', services: [] });
      }
    for (const name of servers) await lab.pod(name).start(...echoServer(name));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  test.each(['east-1', 'east-2'])(
    'reach those of other clusters and imported Services, whichever gateways carry their packets: %s',
    async (client) => {
      const probes = (['TCP', 'UDP'] as const).flatMap((protocol) => [
        ...servers.map((name) => ({ name, protocol, address: lab.pod(name).address, port: 8080 })),
        ...Array.from({ length: 12 }, () => ({ name: 'cart', protocol, address: clusterIP, port: 80 })),
      ]);
      const answers = await askFrom(lab.pod(client), probes);
      const { address } = lab.pod(client);
      probes.forEach(({ name }, index) => {
        const expected = name === 'cart' ? servers.map((server) => `${server} ${address}`) : [`${name} ${address}`];
        expect(expected, JSON.stringify(probes[index])).toContain(answers[index]);
      });
      expect(new Set(answers.map((answer) => answer.split(' ')[0]))).toEqual(new Set(servers));
    },
  );
});
