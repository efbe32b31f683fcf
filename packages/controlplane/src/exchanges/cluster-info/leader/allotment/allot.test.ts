import type { Random } from '@isthmus/machinery';
import { cidrText, contains, overlaps, parseCidr, seededRandom } from '@isthmus/machinery';
import { parseVirtualPodCIDRs, virtualPodCIDRsText } from '@isthmus/api';
import type { AllotmentLedger } from '@isthmus/wire';
import { allotmentLedgerText, allotmentProblemIn, allottedTo, isAllotted, parseAllotmentLedger } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { AllotInput, AllottingNetwork } from './allot.ts';
import { allot, shareOfPool } from './allot.ts';

const cidrs = (...texts: readonly string[]) => texts.flatMap((text) => parseCidr(text) ?? []);
const cidr = (text: string) => parseCidr(text) ?? expect.fail(`${text} is not a CIDR`);
const day = 86_400_000;
const network = (
  clusterID: string,
  podCIDRs: readonly string[],
  more: Partial<AllottingNetwork> = {},
): AllottingNetwork => ({
  clusterID,
  podCIDRs: cidrs(...podCIDRs),
  gateways: [],
  serviceCIDR: undefined,
  asks: true,
  published: [],
  known: [],
  since: '2026-11-23T10:00:00Z',
  ...more,
});
const allotted = (networks: readonly AllottingNetwork[], more: Partial<AllotInput> = {}) => {
  const pool = cidrs('100.64.0.0/10', 'fd00:64::/40');
  return allot({ ledger: [], networks, pool, nowMs: 0, coolDownMs: day, ...more });
};
const textOf = (networks: readonly AllottingNetwork[], more?: Partial<AllotInput>) =>
  allotmentLedgerText(allotted(networks, more).ledger);
const same = ['10.10.0.0/16'];
const east = network('east', same);
const west = network('west', same, { since: '2026-11-23T11:00:00Z' });
const both = 'east 10.10.0.0/16=100.64.0.0/16, west 10.10.0.0/16=100.65.0.0/16';

describe('virtual ranges', () => {
  it('go to both of two clusters with the same Pod CIDR, in both families, and to nobody else', () => {
    expect(textOf([east, west, network('south', ['10.20.0.0/16'])])).toBe(both);
    const six = ['east', 'west'].map((clusterID) => network(clusterID, ['fd00:10::/48']));
    expect(textOf(six)).toBe('east fd00:10::/48=fd00:64::/48, west fd00:10::/48=fd00:64:1::/48');
  });

  it('go to a cluster whose Pod CIDR is a part of another one, or of the Service CIDR of another cluster', () => {
    expect(textOf([network('east', ['10.10.0.0/16']), network('west', ['10.10.4.0/24'])])).toBe(
      'east 10.10.0.0/16=100.64.0.0/16, west 10.10.4.0/24=100.65.0.0/24',
    );
    const service = network('east', ['10.20.0.0/16'], { serviceCIDR: cidr('10.96.0.0/12') });
    expect(textOf([service, network('west', ['10.100.0.0/16'])])).toBe('west 10.100.0.0/16=100.64.0.0/16');
  });

  it('do not go to a cluster whose agents cannot translate', () => {
    expect(textOf([network('east', same, { asks: false }), west])).toBe('west 10.10.0.0/16=100.64.0.0/16');
  });

  it('stay, whichever clusters come and go, and whatever becomes of the pool and of the overlap', () => {
    const ledger = parseAllotmentLedger(both);
    expect(textOf([network('another', same, { since: '2026-01-01T00:00:00Z' }), east, west], { ledger })).toBe(
      `another 10.10.0.0/16=100.66.0.0/16, ${both}`,
    );
    expect(textOf([east, west], { ledger, pool: cidrs('172.16.0.0/12') })).toBe(both);
    expect(textOf([west, network('east', same, { asks: false })], { ledger })).toBe(both);
  });

  it('are kept for a day for a cluster that is gone, and come back with it', () => {
    const ledger = parseAllotmentLedger(both);
    const gone = allotted([east], { ledger, nowMs: 1_000 });
    expect(gone.nextMs).toBe(day + 1_000);
    expect(allotmentLedgerText(gone.ledger)).toBe(`${both} free from 1970-01-02T00:00:01Z`);
    expect(textOf([east, network('next', same)], { ledger: gone.ledger, nowMs: 2_000 })).toContain(
      'next 10.10.0.0/16=100.66.0.0/16',
    );
    expect(textOf([east, west], { ledger: gone.ledger, nowMs: 2_000 })).toBe(both);
    expect(textOf([east, network('next', same)], { ledger: gone.ledger, nowMs: day + 1_000 })).toBe(
      'east 10.10.0.0/16=100.64.0.0/16, next 10.10.0.0/16=100.65.0.0/16',
    );
  });

  it('are found again from what is published, and then from what the clusters know, the oldest first', () => {
    const known = (text: string) => parseVirtualPodCIDRs(`10.10.0.0/16=${text}`);
    const published = network('west', same, { published: known('100.70.0.0/16'), since: '2026-11-23T12:00:00Z' });
    const liar = network('east', same, { known: known('100.70.0.0/16') });
    expect(textOf([liar, published])).toBe('east 10.10.0.0/16=100.64.0.0/16, west 10.10.0.0/16=100.70.0.0/16');
    const late = network('west', same, { known: known('100.70.0.0/16'), since: '2026-11-23T12:00:00Z' });
    expect(textOf([late, liar])).toBe('east 10.10.0.0/16=100.70.0.0/16, west 10.10.0.0/16=100.64.0.0/16');
  });

  it('are not taken from their cluster, nor invented, by one that reports them as its own', () => {
    const liar = (text: string) => network('liar', same, { known: parseVirtualPodCIDRs(`10.10.0.0/16=${text}`) });
    const ledger = parseAllotmentLedger(both);
    for (const wanted of ['100.64.0.0/16', '172.16.0.0/16'])
      expect(textOf([liar(wanted), east, west], { ledger })).toBe(
        both.replace(', west', ', liar 10.10.0.0/16=100.66.0.0/16, west'),
      );
  });

  it('overlap with nothing that a cluster announces', () => {
    const more = { gateways: cidrs('100.66.3.4/32'), serviceCIDR: cidr('100.64.0.0/15') };
    expect(textOf([east, network('west', same, more)])).toBe(
      'east 10.10.0.0/16=100.67.0.0/16, west 10.10.0.0/16=100.68.0.0/16',
    );
  });

  it('cover gateways where nothing else is left', () => {
    const gateways = cidrs('100.64.1.1/32', '100.66.1.1/32', '100.67.1.1/32');
    expect(textOf([east, network('west', same, { gateways })], { pool: cidrs('100.64.0.0/14') })).toBe(
      'east 10.10.0.0/16=100.65.0.0/16, west 10.10.0.0/16=100.64.0.0/16',
    );
  });

  it('that are published stay after a loss of the ledger, whatever became of the pool', () => {
    const published = parseVirtualPodCIDRs('10.10.0.0/16=172.20.0.0/16');
    const pool = cidrs('100.64.0.0/15');
    expect(textOf([network('east', same, { published }), west], { pool })).toContain('east 10.10.0.0/16=172.20.0.0/16');
  });

  it('run out, for the youngest cluster, which is recorded until there are some again', () => {
    const pool = cidrs('100.64.0.0/14');
    const six = ['a', 'b', 'c', 'd', 'e'].map((name) => network(name, same));
    const { ledger } = allotted(six, { pool });
    expect(allotmentLedgerText(ledger)).toContain('e 10.10.0.0/16=exhausted');
    expect(allotmentProblemIn(ledger, 'e', cidr('10.10.0.0/16'))).toBe('exhausted');
    expect(allottedTo(ledger, 'e')).toEqual([]);
    expect(textOf(six, { ledger, pool: cidrs('100.64.0.0/13') })).toContain('e 10.10.0.0/16=100.68.0.0/16');
  });

  it('are a quarter of the pool and eight for one cluster, whatever it announces', () => {
    expect(textOf([network('east', ['10.0.0.0/11']), network('west', ['10.0.0.0/11'], { asks: false })])).toBe(
      'east 10.0.0.0/11=share',
    );
    const many = Array.from({ length: 12 }, (_, index) => `10.10.${index}.0/24`);
    const { ledger } = allotted([network('east', many), network('west', ['10.10.0.0/16'], { asks: false })]);
    expect(ledger.filter(isAllotted)).toHaveLength(8);
    expect(allotmentLedgerText(ledger.filter((one) => !isAllotted(one)))).toBe(
      'east 10.10.10.0/24=limit, east 10.10.11.0/24=limit, east 10.10.8.0/24=limit, east 10.10.9.0/24=limit',
    );
  });

  it('go to a part of a Pod CIDR alone that a cluster announces first, and the whole one is recorded as such', () => {
    expect(textOf([network('east', ['10.10.4.0/24', '10.10.0.0/16']), west])).toContain('east 10.10.0.0/16=part');
  });
});

describe('the annotation of virtual ranges', () => {
  it('is read as it is written', () => {
    const text = `${both} free from 2026-11-24T10:00:00Z, x 10.10.0.0/16=share, y fd00::/48=exhausted`;
    expect(allotmentLedgerText(parseAllotmentLedger(text))).toBe(text);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    'east 10.10.0.0/16=100.64.0.0/17',
    'east 10.10.0.0/16=',
    `${both}x`,
    'EAST 10.0.0.0/8=11.0.0.0/8',
  ])('that is not well-formed gives nothing twice: %s', (text) => {
    expect(parseAllotmentLedger(text).length).toBeLessThan(2);
  });

  it('in which somebody gave one range to two clusters gives it to the first', () => {
    expect(
      allotmentLedgerText(parseAllotmentLedger('a 10.10.0.0/16=100.64.0.0/16, b 10.10.0.0/16=100.64.0.0/16')),
    ).toBe('a 10.10.0.0/16=100.64.0.0/16');
  });
});

describe('any history of clusters', () => {
  const pool = cidrs('100.64.0.0/12', 'fd00:64::/44');
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random.next() * items.length)] as T;
  const ranges = [
    '10.10.0.0/16',
    '10.10.0.0/20',
    '10.10.128.0/17',
    '10.0.0.0/12',
    '10.96.0.0/12',
    '100.64.0.0/14',
    'fd00:10::/48',
    'fd00:10::/52',
  ];

  const randomNetworks = (random: Random) =>
    names
      .filter(() => random.next() < 0.7)
      .map((name) =>
        network(
          name,
          [pick(random, ranges), pick(random, ranges)].filter((one, at, all) => all.indexOf(one) === at),
          {
            asks: random.next() < 0.8,
            serviceCIDR: cidr(pick(random, ['10.96.0.0/12', '10.112.0.0/12'])),
            gateways: cidrs(pick(random, ['100.66.0.0/16', '192.0.2.1/32', '100.70.1.1/32'])),
            known:
              random.next() < 0.2
                ? parseVirtualPodCIDRs(
                    `${pick(random, ranges)}=${pick(random, ['100.65.0.0/16', '100.64.0.0/12', '10.10.0.0/20'])}`,
                  )
                : [],
            since: `2026-11-2${Math.floor(random.next() * 9)}T10:00:00Z`,
          },
        ),
      );

  it('never gives an address twice, moves nothing that is in use, keeps to the shares, and depends on no order', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = seededRandom(seed);
      let ledger: AllotmentLedger = [];
      for (let step = 0; step < 12; step++) {
        const nowMs = step * (day / 3);
        const networks = randomNetworks(random);
        const next = allotted(networks, { ledger, pool, nowMs }).ledger;
        const all = next.filter(isAllotted);
        for (const [at, one] of all.entries()) {
          expect(all.slice(0, at).filter((other) => overlaps(one.virtual, other.virtual))).toEqual([]);
          expect([one.own.family, one.own.length]).toEqual([one.virtual.family, one.virtual.length]);
          expect(pool.some((range) => contains(range, one.virtual))).toBe(true);
        }
        for (const { clusterID, podCIDRs } of networks)
          for (const { own, virtual } of allottedTo(ledger, clusterID))
            if (
              podCIDRs.some((one) => cidrText(one) === cidrText(own)) &&
              podCIDRs.every((one) => one === own || !overlaps(one, own))
            )
              expect(virtualPodCIDRsText(allottedTo(next, clusterID))).toContain(
                virtualPodCIDRsText([{ own, virtual }]),
              );
        for (const name of names) {
          const size = all
            .filter((one) => one.clusterID === name && one.own.family === 'IPv4')
            .reduce((sum, { own }) => sum + (1n << BigInt(32 - own.length)), 0n);
          expect(size * shareOfPool <= 1n << 20n).toBe(true);
        }
        expect(allotmentLedgerText(parseAllotmentLedger(allotmentLedgerText(next)))).toBe(allotmentLedgerText(next));
        expect(allotmentLedgerText(allotted(networks.toReversed(), { ledger, pool, nowMs }).ledger)).toBe(
          allotmentLedgerText(next),
        );
        expect(allotmentLedgerText(allotted(networks, { ledger: next, pool, nowMs }).ledger)).toBe(
          allotmentLedgerText(next),
        );
        ledger = next;
      }
    }
  });
});
