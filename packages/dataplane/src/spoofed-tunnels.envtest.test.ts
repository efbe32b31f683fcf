import { echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayDevice, nodeDevice } from './desired/devices.ts';
import { packetsCounted, sendInForgedTunnel } from './testing/forged-tunnel.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

describe.skipIf(missingForNodes(process.env).length > 0)('a Node without a reverse path filter', () => {
  let lab: ProgrammedLab;

  beforeAll(async () => {
    lab = await startProgrammedLab({
      clusters: { east: { nodes: 2 }, west: { nodes: 1 } },
      pods: ['one', 'two'],
      reversePathFilter: 0,
    });
    await lab.program({ gateways: ['east-1', 'west-1'], services: [] });
    await lab.pod('east-1', 'two').start(...echoServer('two'));
    await lab.pod('east-2', 'two').start(...echoServer('two'));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  test.each([
    ['a gateway of another cluster', 'east-1', 'west-1', 7002, gatewayDevice],
    ['the gateway of its cluster', 'east-2', 'east-1', 7001, nodeDevice],
  ])('takes no tunnel packets from its Pods in the name of %s', async (_, node, sender, vni, device) => {
    const tunnel = {
      device,
      vni,
      from: lab.node(sender).layout.address,
      to: lab.node(node).layout.address,
      node,
      client: lab.pod(sender, 'one').address,
      server: lab.pod(node, 'two'),
    };
    const dropped = () => packetsCounted(lab, node, 'tunnel-packets', 'missing ');
    const before = await dropped();
    expect(await sendInForgedTunnel(lab, lab.pod(node), tunnel)).toBe(0);
    expect(await dropped()).toBeGreaterThan(before);
  });
});
