import { createVirtualClock } from '@isthmus/fleet-sim';
import { cidrText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import { createLocalRanges, nameserversIn } from './local-ranges.ts';
import type { NodeNames } from './local-ranges.ts';

const v4 = [
  { dst: 'default', gateway: '192.0.2.1', dev: 'eth0', flags: [] },
  { dst: '192.0.2.0/24', dev: 'eth0', protocol: 'kernel', scope: 'link', flags: [] },
  { dst: '172.17.0.0/16', dev: 'docker0', protocol: 'kernel', scope: 'link', flags: ['linkdown'] },
  { dst: '169.254.0.0/16', dev: 'eth0', protocol: 'kernel', scope: 'link', flags: [] },
  { dst: '10.1.1.7', dev: 'cali1', scope: 'link', flags: [] },
  { dst: '10.5.0.0/16', gateway: '192.0.2.9', dev: 'eth0', flags: [] },
  { dst: '10.6.0.0/16', nexthops: [{ gateway: '192.0.2.8', dev: 'eth0', flags: [] }], flags: [] },
  { dst: '10.20.0.0/16', dev: 'isthmus-gw', flags: [] },
  { dst: '10.30.0.0/16', dev: 'eth1', protocol: '73', flags: [] },
];
const v6 = [
  { dst: 'fd00::/64', dev: 'eth0', protocol: 'kernel', metric: 256, flags: [] },
  { dst: 'fe80::/64', dev: 'eth0', protocol: 'kernel', metric: 256, flags: [] },
  { dst: 'default', flags: [], nexthops: [{ gateway: 'fd00::1' }, { via: { family: 'inet6', host: 'fd00::2' } }] },
];

function start(names?: Partial<NodeNames>) {
  const clock = createVirtualClock({ startMs: 0 });
  const read = createLocalRanges({
    run: (_, args) => Promise.resolve({ code: 0, stdout: JSON.stringify(args.includes('-6') ? v6 : v4), stderr: '' }),
    names: names && { nameservers: async () => [], addressesOf: async () => [], ...names },
    clock,
  });
  const texts = async (hosts = '') => (await read(hosts)).map(({ cidr, what }) => `${what} ${cidrText(cidr)}`);
  return { clock, texts };
}

describe('what a Node reaches by itself', () => {
  test('are its networks, the routes and the gateways of its main table, without those of ours and those that are down', async () => {
    expect(await start().texts()).toEqual([
      'gateway 192.0.2.1/32',
      'gateway fd00::1/128',
      'gateway fd00::2/128',
      'route 10.5.0.0/16',
      'route 10.6.0.0/16',
      'network 192.0.2.0/24',
      'route 10.1.1.7/32',
      'network fd00::/64',
    ]);
  });

  test('are its nameservers and its leader, whose address counts as long as it has no other one', async () => {
    let answer: () => Promise<readonly string[]> = async () => ['203.0.113.6'];
    const { texts } = start({ nameservers: async () => ['8.8.8.8', '127.0.0.53'], addressesOf: () => answer() });
    const first = ['leader 203.0.113.6/32', 'nameserver 8.8.8.8/32'];
    expect((await texts('leader.example')).slice(0, 2)).toEqual(first);
    answer = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
    expect((await texts('leader.example')).slice(0, 2)).toEqual(first);
    expect((await texts('198.51.100.7 2001:db8::7')).slice(0, 2)).toEqual([
      'leader 198.51.100.7/32',
      'leader 2001:db8::7/128',
    ]);
  });

  test('does not wait longer than two seconds for a name', async () => {
    const { clock, texts } = start({ addressesOf: () => new Promise(() => {}) });
    const found = texts('leader.example');
    await clock.advance(2_000);
    expect((await found)[0]).toBe('gateway 192.0.2.1/32');
  });
});

test('nameservers are read as the resolver does', () => {
  const text =
    '# nameserver 192.0.2.1\nsearch a.example\nnameserver 192.0.2.53\n  nameserver\tfd00::53 # here\noptions ndots:5\n';
  expect(nameserversIn(text)).toEqual(['192.0.2.53', 'fd00::53']);
});
