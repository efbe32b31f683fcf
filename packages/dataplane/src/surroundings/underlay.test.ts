import { expect, test } from 'vitest';
import { readUnderlay } from './underlay.ts';

const node = [
  { ifname: 'lo', mtu: 65_536, addr_info: [{ local: '127.0.0.1' }] },
  { ifname: 'eth0', mtu: 9_001, addr_info: [{ local: '172.30.1.11' }, { local: 'fe80::1' }] },
  { ifname: 'cali12345678901', mtu: 8_951, linkinfo: { info_kind: 'veth' } },
  { ifname: 'vxlan.calico', mtu: 8_951, linkinfo: { info_kind: 'vxlan' }, addr_info: [{ local: '10.10.185.0' }] },
  // The kernel creates it with its module, and it carries nothing.
  { ifname: 'tunl0', mtu: 1_480, linkinfo: { info_kind: 'ipip' } },
  { ifname: 'isthmus-node', mtu: 8_951, linkinfo: { info_kind: 'vxlan' } },
];
const run = () => Promise.resolve({ code: 0, stdout: JSON.stringify(node), stderr: '' });

test('the underlay is the device with the address of the Node, and packets leave for other Nodes by it and by tunnels of the CNI', async () => {
  expect(await readUnderlay('172.30.1.11', run)).toEqual({
    mtu: 9_001,
    device: 'eth0',
    devices: ['eth0', 'tunl0', 'vxlan.calico'],
  });
  expect(await readUnderlay('172.30.1.12', run)).toBeUndefined();
});

test('a Node with its address on the loopback device sends by those with default routes, and the smallest one counts', async () => {
  const links = [
    { ifname: 'lo', mtu: 65_536, link_type: 'loopback', addr_info: [{ local: '192.0.2.1' }, { local: '2001:db8::1' }] },
    { ifname: 'eth0', mtu: 9_000 },
    { ifname: 'eth1', mtu: 1_500 },
    { ifname: 'eth2', mtu: 1_400 },
  ];
  const withRoutes = (routes: unknown) => (_: string, args: readonly string[]) =>
    Promise.resolve({
      code: 0,
      stdout: args.includes('route') ? JSON.stringify(routes) : JSON.stringify(links),
      stderr: '',
    });
  const nexthops = [{ dev: 'eth0' }, { dev: 'eth1' }];
  expect(await readUnderlay('192.0.2.1', withRoutes([{ dst: 'default', nexthops }]))).toEqual({
    mtu: 1_500,
    device: 'lo',
    devices: ['eth0', 'eth1'],
  });
  expect(await readUnderlay('2001:db8::1', withRoutes([{ dst: 'default', dev: 'eth2' }]))).toMatchObject({
    mtu: 1_400,
  });
  expect(await readUnderlay('192.0.2.1', withRoutes([]))).toBeUndefined();
});
