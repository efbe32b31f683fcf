import { askFrom, echoServer, missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayDevice, nodeDevice } from './desired/devices.ts';
import { tunnelAddresses } from './desired/tunnel-addresses.ts';
import { address as parsed } from './testing/addresses.ts';
import type { ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const waitMs = 3_000;

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

  const dropped = async (node: string) => {
    const { stdout } = await lab.node(node).place.run('nft', ['list', 'chain', 'inet', 'isthmus', 'tunnel-packets']);
    return Number(/missing counter packets (\d+)/.exec(stdout)?.[1]);
  };
  /** How many packets a Pod has received. */
  const received = async (node: string) => {
    const { stdout } = await lab.pod(node, 'two').run('cat', ['/proc/net/snmp']);
    return Number(/^Udp: (\d+)/m.exec(stdout)?.[1]);
  };

  test.each([
    ['a gateway of another cluster', 'east-1', 'west-1', 7002, gatewayDevice],
    ['the gateway of its cluster', 'east-2', 'east-1', 7001, nodeDevice],
  ])('takes no tunnel packets from its Pods in the name of %s', async (_, node, sender, vni, device) => {
    const { address } = lab.node(node).layout;
    const from = lab.node(sender).layout.address;
    const { mac } = tunnelAddresses(parsed(address));
    const target = lab.pod(node, 'two').address;
    const source = lab.pod(sender, 'one').address;
    const script = `
      ip addr add ${from}/32 dev lo
      ip addr add ${source}/32 dev lo
      ip link add ${device} type vxlan id ${vni} dstport 8479 local ${from} nolearning gbp
      ip link set ${device} up
      bridge fdb replace ${mac} dev ${device} dst ${address}
      ip neigh replace ${address} lladdr ${mac} dev ${device} nud permanent
      ip route replace ${target}/32 via ${address} dev ${device} onlink src ${source}`;
    expect(await lab.pod(node).run('sh', ['-ec', script])).toMatchObject({ code: 0, stderr: '' });
    const [before, arrived] = [await dropped(node), await received(node)];
    await askFrom(lab.pod(node), [{ protocol: 'UDP', address: target, port: 8080, waitMs }]);
    expect(await received(node)).toBe(arrived);
    expect(await dropped(node)).toBeGreaterThan(before);
  });
});
