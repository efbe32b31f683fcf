import { parseCidr } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { LocalRange } from './local-ranges.ts';
import { localProblem, localRangesText, mostLocalRanges, parseLocalRanges } from './local-ranges.ts';

const range = (text: string) => parseCidr(text) ?? { family: 'IPv4' as const, value: 0n, length: 0 };
const local = (what: LocalRange['what'], text: string): LocalRange => ({ what, cidr: range(text) });
const all = [
  local('leader', '192.0.2.1/32'),
  local('nameserver', 'fd00::53/128'),
  local('gateway', '192.0.2.254/32'),
  local('network', '192.0.2.0/24'),
  local('route', '10.99.0.0/16'),
];

describe('the local ranges of a Node in its Lease', () => {
  it('are read as they were written, in an order that does not depend on that of the Node', () => {
    const text = localRangesText(all);
    expect(text).toBe(
      'gateway 192.0.2.254/32, leader 192.0.2.1/32, nameserver fd00::53/128, network 192.0.2.0/24, route 10.99.0.0/16',
    );
    expect(localRangesText(all.toReversed())).toBe(text);
    expect(localRangesText(parseLocalRanges(text))).toBe(text);
    expect(parseLocalRanges(localRangesText([]))).toEqual([]);
  });

  it('are at most 32, those first that a Node needs to learn of anything, and fit 2 KiB', () => {
    const longest = Array.from({ length: 300 }, (_, at) =>
      local('nameserver', `fd00:ffff:ffff:ffff:ffff:ffff:ffff:${(0xf000 + at).toString(16)}/128`),
    );
    const text = localRangesText([...all, ...longest]);
    expect(parseLocalRanges(text)).toHaveLength(mostLocalRanges);
    expect(text).toContain('leader 192.0.2.1/32');
    expect(text.length).toBeLessThan(2_048);
  });

  it.each([
    ['every address', 'network 0.0.0.0/0, route ::/0, route 0.0.0.0/1, route 128.0.0.0/1'],
    ['a network wider than any', 'network 10.0.0.0/7, route fd00::/16'],
    ['addresses that are ranges', 'nameserver 10.0.0.0/8, gateway 10.0.0.0/31, leader fd00::/64'],
    ['special addresses', 'nameserver 127.0.0.53/32, network 169.254.0.0/16'],
    ['kinds that are unknown', 'constructor 10.0.0.0/16, x 10.0.0.0/16'],
    ['something else', 'network, 10.0.0.0/16, network  10.0.0.0/16, network 10.0.0.0/16 x, network 010.0.0.0/16'],
    ['too much', `${localRangesText(all)}${' '.repeat(2_000)}`],
  ])('of a hostile Node are nothing if they are %s', (_, text) => {
    expect(parseLocalRanges(text)).toEqual([]);
  });

  it.each([
    ['network', '192.0.2.0/25', 'it overlaps with 192.0.2.0/24, a network of Node a'],
    ['route', '10.98.0.0/15', 'it contains 10.99.0.0/16, to which Node a has a route of its own'],
    ['route', '10.99.0.0/16', undefined],
    ['gateway', '192.0.2.128/25', 'it contains 192.0.2.254, the default gateway of Node a'],
    ['nameserver', 'fd00::/16', 'it contains fd00::53, a nameserver of Node a'],
    ['leader', '192.0.2.0/24', 'it contains 192.0.2.1, the address of the API server of the leader'],
    ['leader', '192.0.3.0/24', undefined],
  ] as const)('of kind %s are a problem for %s: %s', (what, text, why) => {
    const found = all.filter((one) => one.what === what).map((one) => localProblem(range(text), one, 'Node a'));
    expect(found).toEqual([why]);
  });
});
