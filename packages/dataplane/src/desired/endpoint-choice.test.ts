import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import type { ServiceEndpoint } from './cluster-network.ts';
import { endpointChoice, sharesOf } from './endpoint-choice.ts';

const endpoint = (clusterID: string, host: number): ServiceEndpoint => ({
  clusterID,
  address: address(`10.${clusterID.length}.0.${host}`),
  port: 8080,
});

describe('the endpoints of an imported Service', () => {
  test('are chosen by a number: each cluster has the same share, and each of its endpoints the same part of it', () => {
    const service = {
      address: address('10.99.0.1'),
      protocol: 'TCP',
      endpoints: [endpoint('west', 2), endpoint('west', 1), endpoint('south', 1)],
    } as const;
    expect(endpointChoice(service)).toBe(
      'meta l4proto tcp dnat ip to numgen random mod 4 map { 0-1 : 10.5.0.1 . 8080, 2 : 10.4.0.1 . 8080, 3 : 10.4.0.2 . 8080 }',
    );
  });

  test('of IPv6 are translated by ip6, and of UDP as UDP', () => {
    const service = {
      address: address('fd00::1'),
      protocol: 'UDP',
      endpoints: [{ clusterID: 'west', address: address('fd00:20::5'), port: 53 }],
    } as const;
    expect(endpointChoice(service)).toBe(
      'meta l4proto udp dnat ip6 to numgen random mod 1 map { 0 : fd00:20::5 . 53 }',
    );
  });

  test('divide all numbers without a gap, none has none, and no cluster has more than another', () => {
    const endpoints = fc
      .array(fc.tuple(fc.constantFrom('a', 'bb', 'ccc', 'dddd', 'eeeee'), fc.integer({ min: 1, max: 250 })), {
        minLength: 1,
        maxLength: 300,
      })
      .map((pairs) => [
        ...new Map(pairs.map(([cluster, host]) => [`${cluster} ${host}`, endpoint(cluster, host)])).values(),
      ]);
    fc.assert(
      fc.property(endpoints, (all) => {
        const { total, entries } = sharesOf(all);
        expect(entries.map(({ endpoint: one }) => one).toSorted(byText)).toEqual(all.toSorted(byText));
        let at = 0;
        for (const { from, until } of entries) {
          expect(from).toBe(at);
          expect(until).toBeGreaterThan(from);
          at = until;
        }
        expect(at).toBe(total);
        const shares = Map.groupBy(entries, ({ endpoint: one }) => one.clusterID);
        const widths = [...shares.values()].map((own) => own.reduce((sum, { from, until }) => sum + until - from, 0));
        expect(new Set(widths).size).toBe(1);
        for (const own of shares.values()) {
          const each = own.map(({ from, until }) => until - from);
          expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

const byText = (a: unknown, b: unknown) => (JSON.stringify(a, bigints) < JSON.stringify(b, bigints) ? -1 : 1);
const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
