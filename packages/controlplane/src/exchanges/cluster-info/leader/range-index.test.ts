import type { Cidr } from '@isthmus/machinery';
import { cidrText, overlaps, parseCidr, seededRandom } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import { createRangeIndex } from './range-index.ts';

it('an index of ranges finds the first of those that overlap and are meant, as a comparison with each finds it', () => {
  const random = seededRandom(7);
  const below = (limit: number) => Math.floor(random.next() * limit);
  const range = (): Cidr => {
    const text =
      below(3) === 0
        ? `fd00:${below(3)}:${below(3)}::/${[0, 16, 32, 48, 128][below(5)]}`
        : `10.${below(4)}.${below(4)}.${below(2)}/${[0, 8, 15, 16, 24, 32][below(6)]}`;
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new Error(`${text} is a range`);
    return cidr;
  };
  for (let run = 0; run < 50; run++) {
    const all = Array.from({ length: 40 }, (_, at) => ({ cidr: range(), isMeant: below(4) > 0, at }));
    const index = createRangeIndex<(typeof all)[number]>(all.map(({ cidr }) => cidr));
    const added: (typeof all)[number][] = [];
    for (const one of all) {
      const expected = added.find(({ cidr, isMeant }) => isMeant && overlaps(cidr, one.cidr));
      const found = index.firstOverlap(one.cidr, ({ isMeant }) => isMeant);
      expect(found && `${found.at} ${cidrText(found.cidr)}`).toBe(
        expected && `${expected.at} ${cidrText(expected.cidr)}`,
      );
      index.add(one.cidr, one);
      added.push(one);
    }
  }
});
