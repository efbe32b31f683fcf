import { describe, expect, it } from 'vitest';
import { effectiveFirstExported, existsUnbroken } from './age.ts';
import type { AgeSources } from './age.ts';

const [day1, day2, day3] = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z'] as const;

describe('the age of an export', () => {
  const cases: readonly (readonly [string, AgeSources, string])[] = [
    ['is the creation of the ResourceExport where nothing else is known', { created: day2 }, day2],
    ['is the stamp of the leader before everything else', { stamped: day3, echo: day1, created: day2 }, day3],
    ['is the echo of the member after a rebuild of the leader', { echo: day1, created: day2 }, day1],
    [
      'is the echo where it equals the creation, in another spelling',
      { echo: '2026-03-02T01:00:00+01:00', created: day2 },
      '2026-03-02T01:00:00+01:00',
    ],
    ['is not an echo later than the creation', { echo: day3, created: day2 }, day2],
    ['is not an echo older than what stands', { echo: day1, created: day3, notBefore: day2 }, day3],
    ['is an echo as old as what stands', { echo: day2, created: day3, notBefore: day2 }, day2],
    ['is not an echo that is no time', { echo: 'long ago', created: day2 }, day2],
    ['is not a stamp that is no time', { stamped: '', echo: day1, created: day2 }, day1],
    ['is not an echo that cannot be compared with the creation', { echo: day1, created: '' }, ''],
  ];

  it.each(cases)('%s', (_, sources, expected) => {
    expect(effectiveFirstExported(sources)).toBe(expected);
  });

  it.each(cases)('stays when it is stamped: %s', (_, sources, expected) => {
    expect(effectiveFirstExported({ ...sources, stamped: expected })).toBe(expected);
  });

  it('survives annotations that are not texts', () => {
    const hostile = { stamped: 7, echo: { a: 1 }, created: day2 } as unknown as AgeSources;
    expect(effectiveFirstExported(hostile)).toBe(day2);
  });
});

describe('a published export exists since it was first exported', () => {
  it.each([
    ['where it was not created again', { stamped: day1, created: day1 }, day3, true],
    ['not where it was created again on the day of the newcomer', { stamped: day1, created: day2 }, day3, false],
    [
      'where it was created again more than a day before',
      { stamped: day1, created: day2 },
      '2026-03-03T00:00:01Z',
      true,
    ],
    ['not where nobody knows when', { stamped: 'once', created: day1 }, day3, false],
    ['where nobody knows when the newcomer came', { stamped: day1, created: day1 }, '', true],
  ])('%s', (_, published, newcomer, expected) => {
    expect(existsUnbroken(published, newcomer)).toBe(expected);
  });
});
