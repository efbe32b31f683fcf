import { echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDevice, nodeVNI } from './desired/devices.ts';
import { packetsCounted, sendInForgedTunnel } from './testing/forged-tunnel.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

/**
 * kube-proxy in mode IPVS gives a Node all ClusterIPs. A DNS cache gives the Node the address of
 * the cluster's DNS.
 */
describe.skipIf(missingForNodes(process.env).length > 0)(
  'a gateway that has the address of an exported Service',
  () => {
    let lab: ProgrammedLab;
    let clusterIP: string;

    beforeAll(async () => {
      lab = await startProgrammedLab({
        clusters: { east: { nodes: 1 }, west: { nodes: 2 } },
        pods: ['one', 'two'],
        reversePathFilter: 0,
      });
      clusterIP = lab.clusters['west']?.layout.serviceCIDR.replace(/0\/16$/, '9') ?? expect.fail('no cluster west');
      await lab.program({ gateways: ['east-1', 'west-1'], services: [], exported: { west: [clusterIP] } });
      expect(await lab.node('west-1').place.run('ip', ['addr', 'add', `${clusterIP}/32`, 'dev', 'lo'])).toMatchObject({
        code: 0,
      });
      await lab.pod('west-1', 'two').start(...echoServer('two'));
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());

    test('takes no tunnel packets for it that come in the tunnel of another cluster, with a client of its own inside', async () => {
      const attacker = lab.pod('east-1', 'one');
      // Agents do not let Pods send such packets. This cluster is hostile.
      const { place: hostile } = lab.node('east-1');
      expect(await hostile.run('nft', ['flush', 'chain', 'inet', 'isthmus', 'arriving'])).toMatchObject({ code: 0 });
      const tunnel = {
        device: nodeDevice,
        vni: nodeVNI,
        to: clusterIP,
        node: 'west-1',
        client: lab.pod('west-2', 'one').address,
        server: lab.pod('west-1', 'two'),
      };
      const dropped = () => packetsCounted(lab, 'west-1', 'to-node', 'udp dport 8479 ');
      const before = await dropped();
      expect(await sendInForgedTunnel(lab, attacker, tunnel)).toBe(0);
      expect(await dropped()).toBeGreaterThan(before);
    });
  },
);
