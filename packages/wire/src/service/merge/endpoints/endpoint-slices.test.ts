import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packSlices } from './endpoint-slices.ts';
import type { NamedSlice, SliceContent, SliceEndpoint, SlicePort } from './endpoint-slices.ts';

type Content = SliceContent<SliceEndpoint, SlicePort>;
type Slice = NamedSlice<SliceEndpoint, SlicePort>;

const http: readonly SlicePort[] = [{ name: 'http', protocol: 'TCP', port: 80 }];
const admin: readonly SlicePort[] = [{ name: 'admin', protocol: 'TCP', port: 81 }];
const endpoints = (...addresses: readonly string[]) => addresses.map((address) => ({ addresses: [address] }));
const content = (addresses: readonly string[], ports = http, addressType = 'IPv4'): Content => ({
  addressType,
  ports,
  endpoints: endpoints(...addresses),
});
const named = (name: string, addresses: readonly string[], ports = http, addressType = 'IPv4'): Slice => ({
  name,
  ...content(addresses, ports, addressType),
});
const pack = (current: readonly Slice[], desired: readonly Content[], maxEndpoints = 3) =>
  packSlices(current, desired, { prefix: 'p', maxEndpoints });

describe('packing endpoints into slices', () => {
  const cases: readonly {
    readonly title: string;
    readonly current: readonly Slice[];
    readonly desired: readonly Content[];
    readonly packed: readonly Slice[];
  }[] = [
    {
      title: 'fills new slices to the brim and numbers them',
      current: [],
      desired: [content(['d', 'a', 'c', 'b'])],
      packed: [named('p-ipv4-0', ['a', 'b', 'c']), named('p-ipv4-1', ['d'])],
    },
    {
      title: 'keeps an endpoint where it is and puts a new one into the first slice with room',
      current: [named('p-ipv4-0', ['a', 'b', 'c']), named('p-ipv4-1', ['d']), named('p-ipv4-2', ['e'])],
      desired: [content(['a', 'b', 'c', 'd', 'e', 'f'])],
      packed: [named('p-ipv4-0', ['a', 'b', 'c']), named('p-ipv4-1', ['d', 'f']), named('p-ipv4-2', ['e'])],
    },
    {
      title: 'puts a new endpoint into the slice that loses one, so that one write does both',
      current: [named('p-ipv4-0', ['a', 'b']), named('p-ipv4-1', ['c', 'd', 'e'])],
      desired: [content(['a', 'b', 'c', 'd', 'f'])],
      packed: [named('p-ipv4-0', ['a', 'b']), named('p-ipv4-1', ['c', 'd', 'f'])],
    },
    {
      title: 'gives up a slice that would be empty, and does not rewrite the others',
      current: [named('p-ipv4-0', ['a']), named('p-ipv4-1', ['b'])],
      desired: [content(['b'])],
      packed: [named('p-ipv4-1', ['b'])],
    },
    {
      title: 'fills gaps in the numbers',
      current: [named('p-ipv4-1', ['a', 'b', 'c'])],
      desired: [content(['a', 'b', 'c', 'd'])],
      packed: [named('p-ipv4-0', ['d']), named('p-ipv4-1', ['a', 'b', 'c'])],
    },
    {
      title: 'counts number 10 after number 9',
      current: Array.from({ length: 11 }, (_, index) => named(`p-ipv4-${index}`, [`a${index}`])),
      desired: [content([...Array.from({ length: 11 }, (_, index) => `a${index}`), 'b'])],
      packed: Array.from({ length: 11 }, (_, index) =>
        named(`p-ipv4-${index}`, index === 0 ? ['a0', 'b'] : [`a${index}`]),
      ),
    },
    {
      title: 'keeps other ports and other families apart',
      current: [],
      desired: [content(['a'], http), content(['a'], admin), content(['b'], http, 'IPv6')],
      packed: [named('p-ipv4-0', ['a'], admin), named('p-ipv4-1', ['a'], http), named('p-ipv6-0', ['b'], http, 'IPv6')],
    },
    {
      title: 'rewrites a slice in place when its ports change, instead of making a second one',
      current: [named('p-ipv4-0', ['a'], http)],
      desired: [content(['a'], admin)],
      packed: [named('p-ipv4-0', ['a'], admin)],
    },
    {
      title: 'gives a slice that its ports no longer need to other ports',
      current: [named('p-ipv4-0', ['a']), named('p-ipv4-1', ['b'])],
      desired: [content(['b'], http), content(['c'], admin)],
      packed: [named('p-ipv4-0', ['c'], admin), named('p-ipv4-1', ['b'], http)],
    },
    {
      title: 'never turns a slice of one family into one of the other',
      current: [named('p-ipv6-0', ['a'], http, 'IPv6')],
      desired: [content(['b'], http, 'IPv4')],
      packed: [named('p-ipv4-0', ['b'])],
    },
    {
      title: 'takes no name that a slice of another family has',
      current: [named('p-ipv4-0', ['a'], http, 'IPv6')],
      desired: [content(['b'], http, 'IPv4')],
      packed: [named('p-ipv4-1', ['b'])],
    },
    {
      title: 'has one empty slice where a group without endpoints is wanted',
      current: [named('p-ipv4-0', ['a']), named('p-ipv4-1', ['b'])],
      desired: [content([])],
      packed: [named('p-ipv4-0', [])],
    },
    {
      title: 'makes that one where none is there',
      current: [],
      desired: [content([])],
      packed: [named('p-ipv4-0', [])],
    },
    { title: 'wants nothing where nothing is wanted', current: [named('p-ipv4-0', ['a'])], desired: [], packed: [] },
    {
      title: 'moves what is too much for a slice',
      current: [named('p-ipv4-0', ['a', 'b', 'c', 'd'])],
      desired: [content(['a', 'b', 'c', 'd'])],
      packed: [named('p-ipv4-0', ['a', 'b', 'c']), named('p-ipv4-1', ['d'])],
    },
    {
      title: 'leaves an endpoint that is in two slices in the first',
      current: [named('p-ipv4-0', ['a', 'b']), named('p-ipv4-1', ['b', 'c'])],
      desired: [content(['a', 'b', 'c'])],
      packed: [named('p-ipv4-0', ['a', 'b']), named('p-ipv4-1', ['c'])],
    },
    {
      title: 'joins desired parts of one group, an endpoint given twice once',
      current: [],
      desired: [content(['a', 'b']), content(['b', 'c'])],
      packed: [named('p-ipv4-0', ['a', 'b', 'c'])],
    },
  ];

  it.each(cases)('$title', ({ current, desired, packed }) => {
    expect(pack(current, desired)).toEqual(packed);
  });

  it('takes the new state of an endpoint and keeps ports as they are written where they mean the same', () => {
    const written: Slice = {
      name: 's',
      addressType: 'IPv4',
      ports: [
        { port: 81, name: 'b' },
        { port: 80, name: '', protocol: 'TCP' },
      ],
      endpoints: [{ addresses: ['a'], zone: 'x' } as SliceEndpoint],
    };
    const desired: Content = {
      addressType: 'IPv4',
      ports: [{ port: 80 }, { name: 'b', protocol: 'TCP', port: 81 }],
      endpoints: [{ addresses: ['a'], zone: 'y' } as SliceEndpoint],
    };
    expect(packSlices([written], [desired], { prefix: 'p' })).toEqual([{ ...written, endpoints: desired.endpoints }]);
  });

  it('takes the first of two desired states of one endpoint', () => {
    const [first, second] = [{ addresses: ['a', 'x'] }, { addresses: ['a', 'y'] }];
    const desired = [
      { ...content([]), endpoints: [first] },
      { ...content([]), endpoints: [second] },
    ];
    expect(pack([], desired)[0]?.endpoints).toEqual([first]);
  });

  it('puts 1000 endpoints into a slice by default', () => {
    const addresses = Array.from({ length: 2001 }, (_, index) => `a${index}`);
    const packed = packSlices<SliceEndpoint, SlicePort>([], [content(addresses)], { prefix: 'p' });
    expect(packed.map((slice) => slice.endpoints.length)).toEqual([1000, 1000, 1]);
  });
});

describe('the laws of packing', () => {
  const letters = fc.constantFrom(...'abcdefghijklmnop'.split(''));
  const portSets = fc.constantFrom(http, admin);
  const desiredSets = fc.array(
    fc.tuple(fc.uniqueArray(letters), portSets).map(([list, ports]) => content(list, ports)),
    { maxLength: 3 },
  );
  const currentSets = fc
    .array(fc.tuple(fc.uniqueArray(letters, { maxLength: 5 }), portSets), { maxLength: 5 })
    .map((list) => list.map(([addresses, ports], index) => named(`p-ipv4-${index}`, addresses, ports)));

  const idsIn = (slices: readonly Content[]) =>
    slices
      .flatMap((slice) => slice.endpoints.map(({ addresses }) => `${slice.ports[0]?.name ?? ''} ${addresses[0] ?? ''}`))
      .sort();
  const changes = (before: readonly Slice[], after: readonly Slice[]) => {
    const texts = new Map(before.map((slice) => [slice.name, JSON.stringify(slice)]));
    const written = after.filter((slice) => texts.get(slice.name) !== JSON.stringify(slice)).length;
    return written + before.filter(({ name }) => !after.some((slice) => slice.name === name)).length;
  };

  it('every desired endpoint is there exactly once, in no slice that is too full', () => {
    fc.assert(
      fc.property(currentSets, desiredSets, (current, desired) => {
        const packed = pack(current, desired);
        expect(idsIn(packed)).toEqual([...new Set(idsIn(desired))]);
        expect(Math.max(0, ...packed.map((slice) => slice.endpoints.length))).toBeLessThanOrEqual(3);
        expect(new Set(packed.map(({ name }) => name)).size).toBe(packed.length);
      }),
    );
  });

  it('packing the result again changes nothing', () => {
    fc.assert(
      fc.property(currentSets, desiredSets, (current, desired) => {
        const packed = pack(current, desired);
        expect(pack(packed, desired)).toEqual(packed);
      }),
    );
  });

  it('the order of slices and endpoints decides nothing', () => {
    fc.assert(
      fc.property(currentSets, desiredSets, (current, desired) => {
        const turned = desired.map((each) => ({ ...each, endpoints: each.endpoints.toReversed() })).toReversed();
        expect(pack(current.toReversed(), turned)).toEqual(pack(current, desired));
      }),
    );
  });

  it('one endpoint more, less or replaced costs one write', () => {
    fc.assert(
      fc.property(currentSets, fc.uniqueArray(letters, { minLength: 1 }), fc.nat(), (current, list, pick) => {
        const before = pack(current, [content(list)]);
        const kept = list.filter((_, index) => index !== pick % list.length);
        expect(changes(before, pack(before, [content([...list, 'new'])]))).toBe(1);
        expect(changes(before, pack(before, [content([...kept, 'new'])]))).toBe(1);
        expect(changes(before, pack(before, [content(kept)]))).toBe(1);
      }),
    );
  });
});
