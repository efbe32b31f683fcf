import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayDevice, nodeDevice } from './desired/devices.ts';
import { tunnelAddresses } from './desired/tunnel-addresses.ts';
import { address as parsed } from './testing/addresses.ts';
import { proxyModes, writeKubeProxy } from './testing/kube-proxy.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const waitMs = 3_000;
const port = 7000;

describe.skipIf(missingForNodes(process.env).length > 0)('a Service with the port of tunnels as an endpoint', () => {
  let lab: ProgrammedLab;

  beforeAll(async () => {
    lab = await startProgrammedLab({
      clusters: { east: { nodes: 2 }, west: { nodes: 1 } },
      pods: ['one', 'two'],
    });
    await lab.program({ gateways: ['east-1', 'west-1'], services: [] });
    await lab.pod('east-1', 'two').start(...echoServer('two'));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const received = async () => {
    const { stdout } = await lab.pod('east-1', 'two').run('cat', ['/proc/net/snmp']);
    return Number(/^Udp: (\d+)/m.exec(stdout)?.[1]);
  };

  const dropped = async (node: string) => {
    const { stdout } = await lab.node(node).place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'translated']);
    return Number(/counter packets (\d+)/.exec(stdout)?.[1]);
  };

  test.each(
    proxyModes.flatMap((mode) => [
      [mode, 'on the gateway', 'east-1', 7002, gatewayDevice] as const,
      [mode, 'elsewhere, in the name of its Node', 'east-2', 7001, nodeDevice] as const,
    ]),
  )(
    'carries no tunnel packets of a Pod past the filter, kube-proxy in mode %s: %s',
    async (mode, _, node, vni, device) => {
      const { layout } = lab.clusters['east'] ?? expect.fail('the lab has no cluster east');
      const clusterIP = layout.serviceCIDR.replace(/0\/16$/, '9');
      const endpoints = [{ address: lab.node('east-1').layout.address, port: 8479 }];
      await writeKubeProxy(lab.node(node).place, layout, { mode, services: [{ clusterIP, port, endpoints }] });
      const { mac } = tunnelAddresses(parsed(lab.node('east-1').layout.address));
      const target = lab.pod('east-1', 'two').address;
      const source = lab.pod('west-1', 'one').address;
      const script = `
      ip link del ${device} 2>/dev/null || true
      ip addr replace ${source}/32 dev lo
      ip link add ${device} type vxlan id ${vni} dstport ${port} local ${lab.pod(node).address} nolearning
      ip link set ${device} up
      bridge fdb replace ${mac} dev ${device} dst ${clusterIP}
      ip neigh replace 10.0.0.1 lladdr ${mac} dev ${device} nud permanent
      ip route replace ${target}/32 via 10.0.0.1 dev ${device} onlink src ${source}`;
      expect(await lab.pod(node).run('sh', ['-ec', script])).toMatchObject({ code: 0, stderr: '' });
      const [before, arrived] = [await dropped(node), await received()];
      await askFrom(lab.pod(node), [{ protocol: 'UDP', address: target, port: 8080, waitMs }]);
      expect(await received()).toBe(arrived);
      expect(await dropped(node)).toBeGreaterThan(before);
    },
  );
});
