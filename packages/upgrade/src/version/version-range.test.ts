import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVersion } from './parse-version.ts';
import { inRange, parseVersionRange } from './parse-version-range.ts';

function lies(version: string, text: string): boolean {
  const range = parseVersionRange(text);
  if ('problem' in range) throw new Error(range.problem);
  return inRange(parseVersion(version), range);
}

describe('a range of versions', () => {
  it.each([
    ['1.13.0', '>=1.13.0 <2.0.0', true],
    ['2.0.0', '>=1.13.0 <2.0.0', false],
    ['1.12.9', '>=1.13.0 <2.0.0', false],
    ['v1.19.4-1', '=1.19.4', true],
    ['v1.19.4-1', '>=1.19.4', true],
    ['v1.19.4+build.2', '<=v1.19.4', true],
    ['1.19.4', '1.19.4', true],
    ['1.25.7', '=1.25', true],
    ['1.25.7', '<=1.25', true],
    ['1.26.0', '<=1.25', false],
    ['1.25.7', '>1.25', false],
    ['1.26.0', '>1.25', true],
    ['1.25.0', '<1.25', false],
    ['1.24.9', '<1.25', true],
    ['2.7.0', '1', false],
    ['1.7.0', '1', true],
    ['main', '', true],
    ['1.0.0', ' ', true],
    ['main', '>=0.0.0', false],
  ])('of %s in %j: %s', (version, range, expected) => {
    expect(lies(version, range)).toBe(expected);
  });

  it.each(['latest', '>=', '>= 1.2', '1.2.x', '~1.2', '>=1.2.3-rc.1', '>=1.2.3+b', '1.2.3.4', '1.2 || 1.3', '^1'])(
    'is not %j, and the bound is named',
    (text) => {
      expect(parseVersionRange(text)).toEqual({
        problem: expect.stringMatching(/^".*" is not a bound of a range; expected /),
      });
    },
  );

  it.each(['>2 <1', '>1.2.3 <1.2.4', '=1.2.3 =1.2.4', '<0.0.0', '>=1.5 <1.5', '=1.5 >1.5'])(
    'in which nothing lies is refused: %j',
    (text) => {
      expect(parseVersionRange(text)).toEqual({
        problem: `no version is in ${JSON.stringify(text)}: its bounds exclude each other`,
      });
    },
  );

  it('is read or refused whatever the text, and what is read holds a version', () => {
    const number = fc.nat(3);
    const bound = fc
      .tuple(fc.constantFrom('<', '<=', '>', '>=', '=', ''), number, number, number)
      .map(([operator, ...core]) => `${operator}${core.join('.')}`);
    const all = [0, 1, 2, 3, 4].flatMap((major) =>
      [0, 1, 2, 3].flatMap((minor) => [0, 1, 2, 3, 4].map((patch) => parseVersion(`${major}.${minor}.${patch}`))),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter() }),
          fc.array(bound, { maxLength: 4 }).map((all) => all.join(' ')),
        ),
        (text) => {
          const range = parseVersionRange(text);
          if (!('problem' in range) && range.bounds.every(({ version }) => (version.core?.major ?? 9) <= 3)) {
            expect(all.some((version) => inRange(version, range))).toBe(true);
          }
        },
      ),
    );
  });
});
