import type { ClusterInfo } from '@isthmus/api';
import { tunnelMAC } from '@isthmus/api';
import { parseAddress } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatewayOwner } from './gateway-claims.ts';
import { gatewayThings, judgeGateways } from './gateway-claims.ts';

const keyOf = (letter: string) => `${letter.repeat(42)}E=`;
const [a, b, c] = [keyOf('A'), keyOf('B'), keyOf('C')];

function infoOf(...gateways: readonly (readonly [ip: string, key?: string | undefined])[]): ClusterInfo {
  const [first, ...others] = gateways;
  return {
    gatewayInfos: [
      { gatewayIP: first?.[0] ?? '' },
      ...others.map(([gatewayIP, publicKey]) => ({ gatewayIP, ...(publicKey !== undefined && { publicKey }) })),
    ],
    ...(first?.[1] !== undefined && { wireGuard: { publicKey: first[1] } }),
  };
}

function owner(clusterID: string, announced: ClusterInfo, more: Partial<GatewayOwner> = {}): GatewayOwner {
  return { clusterID, announced, published: undefined, since: '2026-01-01T00:00:00Z', ...more };
}

const later = { since: '2026-02-01T00:00:00Z' };
const taken = (owners: readonly GatewayOwner[]) =>
  judgeGateways(owners).taken.map((one) => `${one.clusterID} ${one.gatewayIP} ${one.what} of ${one.other}`);

describe('a gateway', () => {
  // Two addresses with one hash: the second one was searched for.
  const [victim, collision] = ['2001:db8:3::11', '2001:db8:bad:0:1:0:4576:2be6'];

  it('has the same address in tunnels as another one with another address, if somebody looks for it', () => {
    const macs = [victim, collision].flatMap((text) => {
      const address = parseAddress(text);
      return address === undefined ? [] : [tunnelMAC(address)];
    });
    expect(new Set(macs).size).toBe(1);
  });

  it.each<[string, readonly GatewayOwner[], readonly string[]]>([
    [
      'nothing if each has its own',
      [owner('east', infoOf(['192.0.2.1', a])), owner('west', infoOf(['192.0.2.2', b]))],
      [],
    ],
    [
      'its address',
      [owner('west', infoOf(['192.0.2.1']), later), owner('east', infoOf(['192.0.2.1']))],
      ['west 192.0.2.1 address of east'],
    ],
    [
      'its address in tunnels',
      [owner('evil', infoOf([collision]), later), owner('west', infoOf([victim]))],
      [`evil ${collision} tunnel address of west`],
    ],
    [
      'its key, also that of a further gateway',
      [owner('evil', infoOf(['192.0.2.9', b]), later), owner('west', infoOf(['192.0.2.1', a], ['192.0.2.2', b]))],
      ['evil 192.0.2.9 key of west'],
    ],
    [
      'its key if it was published, although the other cluster is older',
      [
        owner('evil', infoOf(['192.0.2.9', a])),
        owner('west', infoOf(['192.0.2.1', a]), { ...later, published: infoOf(['192.0.2.1', a]) }),
      ],
      ['evil 192.0.2.9 key of west'],
    ],
    [
      'its address if an administrator granted it by name, although it was published for another cluster',
      [
        owner('evil', infoOf(['192.0.2.1']), { published: infoOf(['192.0.2.1']) }),
        owner('west', infoOf(['192.0.2.1']), { ...later, isNamed: () => true }),
      ],
      ['evil 192.0.2.1 address of west'],
    ],
    [
      'of two new ones by the ID',
      [owner('west', infoOf(['192.0.2.1'])), owner('east', infoOf(['192.0.2.1']))],
      ['west 192.0.2.1 address of east'],
    ],
    ['nothing from itself', [owner('east', infoOf(['192.0.2.1', a], ['192.0.2.1', a]))], []],
  ])('keeps %s', (_, owners, expected) => {
    expect(taken(owners)).toEqual(expected);
    expect(taken(owners.toReversed())).toEqual(expected);
  });

  it('loses its key and keeps its address, or is left out; the first that remains has its key where Antrea looks for it', () => {
    const west = owner('west', infoOf(['192.0.2.1', a]));
    const evil = owner('evil', infoOf(['192.0.2.1', c], ['192.0.2.9', b], ['192.0.2.8', a]), later);
    expect(judgeGateways([west, evil]).usableOf('evil')).toEqual({
      gatewayInfos: [{ gatewayIP: '192.0.2.9' }, { gatewayIP: '192.0.2.8' }],
      wireGuard: { publicKey: b },
    });
    expect(judgeGateways([west, evil]).usableOf('west')).toBe(west.announced);
  });
});

describe('a cluster whose new gateways all have the addresses of others', () => {
  const published = infoOf(['192.0.2.1', a], ['192.0.2.2', b]);
  const east = owner('east', infoOf(['192.0.2.3']), { published });
  const evil = owner('evil', infoOf(['192.0.2.3']), { published: infoOf(['192.0.2.3']) });

  it('keeps those that are published, and that is reported', () => {
    expect(judgeGateways([east, evil]).usableOf('east')).toEqual(published);
    expect(taken([east, evil])).toEqual(['east 192.0.2.3 address of evil']);
  });

  it('keeps them although their keys are those of its new ones', () => {
    const moved = { ...east, announced: infoOf(['192.0.2.3', a]) };
    expect(judgeGateways([moved, evil]).usableOf('east')).toEqual(published);
  });

  it('loses of these what another one announces', () => {
    const south = owner('south', infoOf(['192.0.2.1']));
    expect(judgeGateways([east, evil, south]).usableOf('east')).toEqual(infoOf(['192.0.2.2', b]));
  });

  it('has none if none is published', () => {
    expect(judgeGateways([{ ...east, published: undefined }, evil]).usableOf('east')?.gatewayInfos).toEqual([]);
  });
});

describe('what was published first', () => {
  const names = ['a', 'b', 'c', 'd'];
  const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8:3::11', '2001:db8:bad:0:1:0:4576:2be6'];
  const announcement = fc.uniqueArray(
    fc.tuple(fc.constantFrom(...addresses), fc.option(fc.constantFrom(a, b, c), { nil: undefined })),
    { maxLength: 3, selector: ([address]) => address },
  );
  const step = fc.record({ who: fc.constantFrom(...names), says: fc.option(announcement, { nil: undefined }) });

  it('stays in use, in any order of joining, publishing, leaving and restarting, as long as it is announced', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        const announced = new Map<string, GatewayOwner>();
        let published = new Map<string, ClusterInfo>();
        steps.forEach(({ who, says }, at) => {
          if (says === undefined || says.length === 0) announced.delete(who);
          else {
            const since = announced.get(who)?.since ?? `2026-01-01T00:00:${String(59 - at).padStart(2, '0')}Z`;
            announced.set(who, owner(who, infoOf(...says), { since }));
          }
          const owners = [...announced.values()].map((one) => ({ ...one, published: published.get(one.clusterID) }));
          const { usableOf } = judgeGateways(owners);
          const now = new Map(owners.map(({ clusterID }) => [clusterID, usableOf(clusterID) ?? {}]));
          const holders = [...now].flatMap(([clusterID, info]) =>
            gatewayThings(info).map((thing) => [thing, clusterID]),
          );
          const holderOf = new Map(holders.map(([thing = '', clusterID]) => [thing, clusterID]));
          expect(new Set(holders.map(([thing, id]) => `${thing} ${id}`)).size, 'one holder').toBe(holderOf.size);
          for (const { clusterID, announced: info } of owners)
            for (const thing of gatewayThings(published.get(clusterID) ?? {}))
              if (gatewayThings(info).includes(thing) && isKept(info, now.get(clusterID), thing))
                expect(holderOf.get(thing), thing).toBe(clusterID);
          published = now;
        });
      }),
      { numRuns: 1000 },
    );
  });

  /** A key goes with its gateway, whose new address another cluster may have. */
  function isKept(announced: ClusterInfo, usable: ClusterInfo | undefined, thing: string): boolean {
    if (!thing.startsWith('key ')) return true;
    const key = thing.slice('key '.length);
    const gateways = (announced.gatewayInfos ?? []).filter(
      ({ publicKey }, index) => (publicKey ?? (index === 0 ? announced.wireGuard?.publicKey : undefined)) === key,
    );
    return gateways.some(({ gatewayIP }) => usable?.gatewayInfos?.some((one) => one.gatewayIP === gatewayIP));
  }
});
