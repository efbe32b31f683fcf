import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ruleText } from '../network/render-rule.ts';
import { address } from '../testing/addresses.ts';
import type { ServiceEndpoint } from './cluster-network.ts';
import { endpointChoice, sharesOf, translationTo } from './endpoint-choice.ts';

const endpoint = (clusterID: string, host: number): ServiceEndpoint => ({
  clusterID,
  address: address(`10.${clusterID.length}.0.${host}`),
  port: 8080,
});

describe('the endpoints of an imported Service', () => {
  test('are chosen by a number: each cluster has the same share, and each of its endpoints the same part of it', () => {
    const service = { address: address('10.99.0.1'), protocol: 'TCP' } as const;
    const shares = sharesOf([endpoint('west', 2), endpoint('west', 1), endpoint('south', 1)]);
    expect(ruleText(endpointChoice(service, shares))).toBe(
      'meta l4proto tcp dnat ip to numgen random mod 4 map { 0-1 : 10.5.0.1 . 8080, 2 : 10.4.0.1 . 8080, 3 : 10.4.0.2 . 8080 }',
    );
  });

  test('of IPv6 are translated by ip6, and of UDP as UDP', () => {
    const service = { address: address('fd00::1'), protocol: 'UDP' } as const;
    const only = { clusterID: 'west', address: address('fd00:20::5'), port: 53 };
    expect(ruleText(endpointChoice(service, sharesOf([only])))).toBe(
      'meta l4proto udp dnat ip6 to numgen random mod 1 map { 0 : fd00:20::5 . 53 }',
    );
    expect(ruleText(translationTo(service, only))).toBe('meta l4proto udp dnat ip6 to [fd00:20::5]:53');
  });

  test('of UDP are chosen by the address and port of the client, as a flow that the kernel forgets goes on', () => {
    const shares = sharesOf([endpoint('west', 1), endpoint('west', 2)]);
    expect(ruleText(endpointChoice({ address: address('10.99.0.1'), protocol: 'UDP' }, shares))).toBe(
      'meta l4proto udp dnat ip to jhash ip saddr . udp sport mod 2 seed 0x69737468 map { 0 : 10.4.0.1 . 8080, 1 : 10.4.0.2 . 8080 }',
    );
    const other = { address: address('fd00::1'), protocol: 'UDP' } as const;
    expect(ruleText(endpointChoice(other, shares))).toContain(
      ' to jhash ip6 saddr . udp sport mod 2 seed 0x69737468 map ',
    );
  });

  const clusters = ['a', 'bb', 'ccc', 'dddd', 'eeeee'];
  const endpointsOfClusters = fc
    .array(fc.tuple(fc.constantFrom(...clusters), fc.integer({ min: 1, max: 250 })), { minLength: 1, maxLength: 300 })
    .map((pairs) => [
      ...new Map(pairs.map(([cluster, host]) => [`${cluster} ${host}`, endpoint(cluster, host)])).values(),
    ]);
  const weightsOfClusters = fc
    .array(fc.tuple(fc.constantFrom(...clusters), fc.integer({ min: 1, max: 100 })))
    .map((pairs) => new Map(pairs));

  test('divide all numbers without a gap, none has none, and no cluster has more than its weight', () => {
    fc.assert(
      fc.property(endpointsOfClusters, weightsOfClusters, (all, weights) => {
        const shares = sharesOf(all, weights);
        expect(shares.map(({ endpoint: one }) => one).toSorted(byText)).toEqual(all.toSorted(byText));
        let at = 0;
        for (const { from, until } of shares) {
          expect(from).toBe(at);
          expect(until).toBeGreaterThan(from);
          at = until;
        }
        const own = Map.groupBy(shares, ({ endpoint: one }) => one.clusterID);
        const units = [...own].map(
          ([clusterID, each]) =>
            each.reduce((sum, one) => sum + one.until - one.from, 0) / (weights.get(clusterID) ?? 1),
        );
        expect(new Set(units).size).toBe(1);
        for (const each of own.values()) {
          const widths = each.map(({ from, until }) => until - from);
          expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('have exactly the same part of their cluster where the numbers stay below 65,536', () => {
    const shares = sharesOf(
      [endpoint('a', 1), endpoint('a', 2), endpoint('a', 3), endpoint('bb', 1)],
      new Map([['a', 2]]),
    );
    expect(shares.map(({ from, until }) => until - from)).toEqual([2, 2, 2, 3]);
  });

  test('of two hundred clusters, each with another number of endpoints, are divided as well', () => {
    // Prime numbers: their least common multiple is their product.
    const primes = Array.from({ length: 2_000 }, (_, index) => index + 2)
      .filter((one) => Array.from({ length: 45 }, (_, index) => index + 2).every((by) => by >= one || one % by !== 0))
      .slice(0, 200);
    const all = primes.flatMap((count, index) =>
      Array.from({ length: count }, (_, host) => ({
        clusterID: `cluster-${index}`,
        address: { family: 'IPv4' as const, value: BigInt(host) },
        port: 80,
      })),
    );
    const shares = sharesOf(all);
    expect(shares).toHaveLength(all.length);
    expect(shares.every(({ from, until }) => until > from)).toBe(true);
  });
});

const byText = (a: unknown, b: unknown) => (JSON.stringify(a, bigints) < JSON.stringify(b, bigints) ? -1 : 1);
const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
