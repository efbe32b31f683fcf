import { Annotation } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { heldTimes, heldTimesText, withHeldTimes } from './held-record.ts';

const hour = 3_600_000;
const recorded = (text: string) =>
  heldTimes({ metadata: { name: 'cart', annotations: { [Annotation.heldFor]: text } } });

describe('the record of how long an import has been held', () => {
  it.each([
    ['the whole import', [['', 5 * hour]], '*=300m'],
    [
      'parts of it, in the order of their clusters',
      [
        ['west', 2 * hour],
        ['east', hour],
      ],
      'east=60m,west=120m',
    ],
    [
      'begun hours do not count',
      [
        ['', 5 * hour - 1],
        ['east', hour - 1],
      ],
      '*=240m',
    ],
    ['nothing where no hour is over', [['', hour - 1]], undefined],
  ] as const)('has %s', (_, times, text) => {
    expect(heldTimesText(new Map(times), hour)).toBe(text);
  });

  it('is read as it was written', () => {
    const times = new Map([
      ['', hour],
      ['east', 3 * hour],
    ]);
    expect(recorded(heldTimesText(times, hour) ?? '')).toEqual(times);
  });

  it.each(['', '*', '*=', '*=5', '=5m', '*=-5m', '*=1e9m', '*=99999999999m', '*=5h'])('has no time in %j', (text) => {
    expect([...recorded(text)]).toEqual([]);
  });

  it('takes the place of the record of an object, and of nothing else', () => {
    const object = { metadata: { name: 'cart', annotations: { team: 'shop', [Annotation.heldFor]: '*=60m' } } };
    expect(withHeldTimes(object, '*=120m').metadata.annotations).toEqual({
      team: 'shop',
      [Annotation.heldFor]: '*=120m',
    });
    expect(withHeldTimes(object, undefined).metadata.annotations).toEqual({ team: 'shop' });
  });
});
