import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDevice, nodeVNI } from './desired/devices.ts';
import { tunnelAddresses } from './desired/tunnel-addresses.ts';
import { address as parsed } from './testing/addresses.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const waitMs = 3_000;

/** kube-proxy in mode IPVS gives a Node all ClusterIPs, and a cache for DNS gives it that of the cluster's DNS. */
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

    const received = async () => {
      const { stdout } = await lab.pod('west-1', 'two').run('cat', ['/proc/net/snmp']);
      return Number(/^Udp: (\d+)/m.exec(stdout)?.[1]);
    };
    const dropped = async () => {
      const { stdout } = await lab.node('west-1').place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'to-node']);
      return Number(/udp dport 8479 counter packets (\d+)/.exec(stdout)?.[1]);
    };

    test('takes no tunnel packets for it that come in the tunnel of another cluster, with a client of its own inside', async () => {
      const attacker = lab.pod('east-1', 'one');
      // Agents let no Pod send such packets. This cluster is hostile.
      const { place: hostile } = lab.node('east-1');
      expect(await hostile.run('nft', ['flush', 'chain', 'inet', 'isthmus', 'arriving'])).toMatchObject({ code: 0 });
      const { mac } = tunnelAddresses(parsed(lab.node('west-1').layout.address));
      const target = lab.pod('west-1', 'two').address;
      const source = lab.pod('west-2', 'one').address;
      const script = `
      ip addr replace ${source}/32 dev lo
      ip link add ${nodeDevice} type vxlan id ${nodeVNI} dstport 8479 local ${attacker.address} nolearning gbp
      ip link set ${nodeDevice} up
      bridge fdb replace ${mac} dev ${nodeDevice} dst ${clusterIP}
      ip neigh replace 10.0.0.1 lladdr ${mac} dev ${nodeDevice} nud permanent
      ip route replace ${target}/32 via 10.0.0.1 dev ${nodeDevice} onlink src ${source}`;
      expect(await attacker.run('sh', ['-ec', script])).toMatchObject({ code: 0, stderr: '' });
      const [before, arrived] = [await dropped(), await received()];
      await askFrom(attacker, [{ protocol: 'UDP', address: target, port: 8080, waitMs }]);
      expect(await received()).toBe(arrived);
      expect(await dropped()).toBeGreaterThan(before);
    });
  },
);
