import { echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayDevice, nodeDevice } from './desired/devices.ts';
import { packetsCounted, sendInForgedTunnel } from './testing/forged-tunnel.ts';
import { proxyModes, writeKubeProxy } from './testing/kube-proxy.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

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
      const tunnel = {
        device,
        vni,
        port,
        to: clusterIP,
        node: 'east-1',
        client: lab.pod('west-1', 'one').address,
        server: lab.pod('east-1', 'two'),
      };
      const dropped = () => packetsCounted(lab, node, 'translated');
      const before = await dropped();
      expect(await sendInForgedTunnel(lab, lab.pod(node), tunnel)).toBe(0);
      expect(await dropped()).toBeGreaterThan(before);
    },
  );
});
