import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { expandedLoop, expandedOptional } from './cel-macros.ts';
import type { CelTree, CelType } from './cel-tree.ts';
import { estimateCost } from './estimate-cost.ts';
import { most } from './saturating.ts';
import { valueBounds } from './value-bounds.ts';

const text: CelType = { kind: 'string' };
const bool: CelType = { kind: 'bool' };
const texts: CelType = { kind: 'list', parameters: [text] };
const name = (type: CelType, name = 'self'): CelTree => ({ kind: 'name', name, type });
const field = (name: string, type: CelType, of: CelTree = self): CelTree => ({ kind: 'field', of, field: name, type });
const call = (name: string, type: CelType, ...given: readonly CelTree[]): CelTree => ({
  kind: 'call',
  name,
  given,
  type,
});
const of = (receiver: CelTree, name: string, type: CelType, ...given: readonly CelTree[]): CelTree => ({
  kind: 'call',
  name,
  receiver,
  given,
  type,
});
const written = (length: number): CelTree => ({ kind: 'literal', size: length, type: text });
const self = name({ kind: 'object', name: 'o' });
const loop = (macro: string, range: CelTree, step: (item: CelTree) => CelTree, type: CelType = bool): CelTree => {
  const item = range.type.parameters?.[0] ?? { kind: 'dyn' };
  const made = expandedLoop({ macro, range, variables: ['x'], given: [step(name(item, 'x'))], type });
  if (made === undefined) throw new Error(macro);
  return made;
};

function costOf(tree: CelTree, lengths: { readonly s?: number; readonly l?: number; readonly item?: number } = {}) {
  const { s = 50, l = 6, item = 5 } = lengths;
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      s: { type: 'string', maxLength: s },
      l: { type: 'array', maxItems: l, items: { type: 'string', maxLength: item } },
      u: { type: 'string' },
    },
  };
  const bounds = valueBounds(schema, false);
  if (bounds === undefined) throw new Error('no bounds');
  return estimateCost(tree, bounds);
}

const s = field('s', text);
const l = field('l', texts);
const startsWith = (a: CelTree, b: CelTree) => of(a, 'startsWith', bool, b);

describe('what an expression may cost', () => {
  it.each<readonly [string, CelTree, number]>([
    ['self', self, 1],
    ['self.s', s, 2],
    ["'abc'", written(3), 0],
    ['has(self.s)', { kind: 'presence', of: self, type: bool }, 1],
    ["self.s == 'abc'", call('_==_', bool, s, written(3)), 3],
    ['self.s == self.s', call('_==_', bool, s, s), 24],
    ["self.s.startsWith('… 25 characters')", startsWith(s, written(25)), 5],
    ["self.s.contains('… 25 characters')", of(s, 'contains', bool, written(25)), 2 + 20 * 3],
    ["self.s.matches('… 25 characters')", of(s, 'matches', bool, written(25)), 2 + 21 * 7],
    ["matches(self.s, '… 25 characters')", call('matches', bool, s, written(25)), 3],
    ["self.l.all(x, x == 'a')", loop('all', l, (x) => call('_==_', bool, x, written(1))), 2 + 1 + 6 * (2 + 1 + 2)],
    [
      "self.l.exists(x, x == 'a')",
      loop('exists', l, (x) => call('_==_', bool, x, written(1))),
      2 + 1 + 6 * (3 + 1 + 2),
    ],
    ['self.l.map(x, x)', loop('map', l, (x) => x, texts), 2 + 10 + 1 + 6 * 13],
    ['self.s.trim(), of which a prefix is sought', startsWith(s, of(s, 'trim', text)), 2 + 20 + (2 + 20)],
    ['a list of texts, one of which is taken', startsWith(s, call('_[_]', text, l, written(1))), 2 + 2 + (2 + 1)],
    ['semver(self.s)', call('semver', { kind: 'object', name: 'kubernetes.Semver' }, s), 22],
    ['isSemver(self.s)', call('isSemver', bool, s), 22],
    ['semver(self.s).major()', of(call('semver', { kind: 'object', name: 'kubernetes.Semver' }, s), 'major', bool), 23],
    ['nothing', { kind: 'list', items: [], type: texts }, 10],
    ['an empty map', { kind: 'map', entries: [], type: { kind: 'map' } }, 30],
    ['a size that nobody knows', startsWith(s, of(field('o', bool), 'some', text)), most / 10],
  ])('%s', (_, tree, cost) => {
    expect(costOf(tree)).toBe(cost);
  });

  it('is not bounded where the size of a list is not', () => {
    const range = of(self, 'some', texts);
    expect(costOf(loop('all', range, (x) => x))).toBe(most);
  });

  it('counts an optional twice: once whether it is there, once as a value', () => {
    const optional: CelTree = {
      kind: 'call',
      name: 'optional.of',
      given: [s],
      type: { kind: 'optional', parameters: [text] },
    };
    const made = expandedOptional({
      macro: 'optMap',
      range: optional,
      variables: ['v'],
      given: [name(text, 'v')],
      type: optional.type,
    });
    // hasValue, then of(bind(value, v)): (2 + 1) + 1, and 1 + 10 + ((2 + 1) + 1) + 1.
    expect(made && costOf(made)).toBe(4 + 16);
  });

  it('knows no other macros', () => {
    expect(expandedLoop({ macro: 'fold', range: l, variables: ['x'], given: [l], type: bool })).toBeUndefined();
    expect(expandedOptional({ macro: 'or', range: l, variables: ['x'], given: [l], type: bool })).toBeUndefined();
  });

  it('grows with the bounds', () => {
    const trees = [
      call('_==_', bool, s, field('u', text)),
      loop('all', l, (x) => startsWith(s, x)),
      loop('all', l, (x) => loop('exists', l, (y) => of(x, 'contains', bool, y))),
      startsWith(s, of(l, 'join', text, s)),
      startsWith(s, of(s, 'replace', text, written(2), s)),
    ];
    const size = fc.nat({ max: 10_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...trees),
        fc.tuple(size, size, size),
        fc.tuple(size, size, size),
        (tree, a, more) => {
          const [s1, l1, i1] = a;
          const [s2, l2, i2] = more;
          const small = costOf(tree, { s: s1, l: l1, item: i1 });
          const large = costOf(tree, { s: s1 + s2, l: l1 + l2, item: i1 + i2 });
          expect(large).toBeGreaterThanOrEqual(small);
          expect(Number.isInteger(small)).toBe(true);
        },
      ),
    );
  });
});
