import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';

/** A text with one random change: a piece left out, put in, doubled or replaced. */
export function mutatedText(text: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter(), maxLength: 4 }),
    fc.constantFrom(
      '\n',
      '  ',
      '- ',
      ': ',
      '"',
      '{',
      '[',
      '&a ',
      '*a',
      '!x ',
      '<<: ',
      '---\n',
      '\t',
      '\0',
      '__proto__: 1\n',
    ),
  );
  return fc.tuple(fc.nat(text.length), fc.nat(12), piece, fc.boolean()).map(([at, length, put, doubles]) => {
    const cut = text.slice(at, at + length);
    return `${text.slice(0, at)}${doubles ? cut + cut : put}${text.slice(at + length)}`;
  });
}

/**
 * A JSON value with one random change: a member somewhere in it takes another value, another name,
 * or goes.
 */
export function mutatedJson(value: unknown): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>('', 'deprecated', '<x>', '>=1 <0', 'v1.0.0+B', '\ud800', 1e300, -0, 'constructor'),
  );
  const change = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), value: odd }),
    fc.record({ kind: fc.constant('drop' as const) }),
    fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom('__proto__', 'x', 'toString', '') }),
  );
  return fc.tuple(fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }), change).map(([turns, how]) => {
    const copy: unknown = structuredClone(value);
    const place = placeIn(copy, turns);
    if (place === undefined) return how.kind === 'put' ? how.value : null;
    const { holder, key } = place;
    const old = holder[key];
    if (how.kind === 'put') holder[key] = how.value;
    else {
      delete holder[key];
      if (how.kind === 'rename')
        Object.defineProperty(holder, how.name, { value: old, enumerable: true, configurable: true });
    }
    return copy;
  });
}

/** Where a walk ends that goes down by `turns`; undefined for what holds nothing. */
function placeIn(root: unknown, turns: readonly number[]) {
  let found: { readonly holder: Record<string, unknown>; readonly key: string } | undefined;
  let at = root;
  for (const turn of turns) {
    if (typeof at !== 'object' || at === null) break;
    const holder = at as Record<string, unknown>;
    const keys = Object.keys(holder);
    const key = keys[turn % Math.max(1, keys.length)];
    if (key === undefined) break;
    found = { holder, key };
    at = holder[key];
  }
  return found;
}
