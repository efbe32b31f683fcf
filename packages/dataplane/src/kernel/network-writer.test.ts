import { expect, test } from 'vitest';
import { wireGuardDevice } from '../desired/devices.ts';
import { emptyNetwork } from '../network/network.ts';
import { createNetworkWriter } from './network-writer.ts';
import type { RunProgram } from './write-network.ts';

test('a tunnel device that somebody has set down is found and set up again, before next hops by it are written, and is not made again', async () => {
  const device = {
    ifname: 'isthmus-node',
    address: '0a:58:ac:1e:01:0b',
    mtu: 1450,
    linkinfo: { info_kind: 'vxlan', info_data: { id: 7001, port: 8479, local: '172.30.1.11' } },
  };
  const link = { name: 'isthmus-node', vni: 7001, port: 8479, local: '172.30.1.11', mac: device.address, mtu: 1450 };
  const hop = { id: 0x4000_0001, dev: 'isthmus-node', via: '172.30.1.12' };
  // With a device that goes down, the kernel forgets the next hops by it.
  let isUp = true;
  let written: string[] = [];
  const run: RunProgram = (program, args, input) => {
    if (input !== '' && !args.includes('-j')) written.push(...input.trim().split('\n'));
    const answer = (found: unknown) => Promise.resolve({ code: 0, stdout: JSON.stringify(found), stderr: '' });
    if (program === 'nft') return answer({ nftables: [] });
    if (args.includes('link')) return answer([{ ...device, flags: isUp ? ['BROADCAST', 'UP'] : ['BROADCAST'] }]);
    if (args.includes('nexthop')) return answer(isUp ? [{ id: hop.id, dev: hop.dev, gateway: hop.via }] : []);
    return answer([]);
  };
  const network = { ...emptyNetwork, links: new Map([[link.name, link]]), nextHops: new Map([[hop.id, hop]]) };
  const writer = createNetworkWriter(run);
  await writer.write(network);
  expect([written, await writer.audit()]).toEqual([[], []]);
  isUp = false;
  expect((await writer.audit()).join('\n')).toContain('links are missing or differ');
  written = [];
  await writer.write(network);
  expect(written).toEqual([
    'link set isthmus-node mtu 1450 up',
    'nexthop replace id 1073741825 via 172.30.1.12 dev isthmus-node onlink protocol 73',
  ]);
});

test('the key that somebody has given to the device of WireGuard is found, and is the one that is published from then on', async () => {
  let key = 'one';
  const run: RunProgram = (program, args) => {
    const answer = (stdout: string) => Promise.resolve({ code: 0, stdout, stderr: '' });
    if (program === 'nft') return answer('{"nftables":[]}');
    if (program === 'wg')
      return answer(args.includes('public-key') ? `${key}\n` : args.includes('listen-port') ? '51821\n' : '');
    return answer(
      args.join(' ') === '-j -d link show' ? JSON.stringify([{ ifname: wireGuardDevice, mtu: 1420 }]) : '[]',
    );
  };
  const device = { name: wireGuardDevice, port: 51_821, mtu: 1420 };
  const network = { ...emptyNetwork, wireGuards: new Map([[device.name, device]]) };
  const writer = createNetworkWriter(run);
  await writer.write(network);
  expect([writer.publicKey, await writer.audit()]).toEqual(['one', []]);
  key = 'another';
  expect(await writer.audit()).toEqual([`the key of WireGuard device ${wireGuardDevice} is another one`]);
  await writer.write(network);
  expect([writer.publicKey, await writer.audit()]).toEqual(['another', []]);
});
