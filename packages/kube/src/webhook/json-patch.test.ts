import { equal } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonPatchOperation } from './json-patch.ts';
import { jsonPatch } from './json-patch.ts';

/**
 * RFC 6902 for the operations that are made here, read strictly: what is removed or replaced must
 * be there.
 */
function applied(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  let whole = structuredClone(document);
  for (const operation of operations) {
    const names = operation.path.split('/').slice(1);
    const last = names.pop()?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (last === undefined) {
      whole = 'value' in operation ? operation.value : undefined;
      continue;
    }
    let parent = whole as Record<string, unknown>;
    for (const name of names) {
      const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!Object.hasOwn(parent, plain)) throw new Error(`${operation.path} leads nowhere`);
      parent = parent[plain] as Record<string, unknown>;
    }
    if (operation.op !== 'add' && !Object.hasOwn(parent, last)) throw new Error(`${operation.path} is not there`);
    if (operation.op === 'remove') delete parent[last];
    else
      Object.defineProperty(parent, last, {
        value: operation.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return whole;
}

const name = fc.oneof(fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', '__proto__', 'constructor'), fc.string());
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }).map(Object.fromEntries),
  ),
}));

describe('jsonPatch', () => {
  it('makes the second document of the first, whatever they are', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(equal(applied(before, jsonPatch(before, after)), after)).toBe(true);
      }),
    );
  });

  it('names the smallest members that differ, and nothing where nothing does', () => {
    const before = { metadata: { labels: { 'a/b': '1', c: '2' } }, spec: { ports: [1, 2], name: 'x' } };
    const after = { metadata: { labels: { 'a/b': '3', c: undefined } }, spec: { ports: [2], name: 'x', new: null } };
    expect(jsonPatch(before, after)).toEqual([
      { op: 'remove', path: '/metadata/labels/c' },
      { op: 'replace', path: '/metadata/labels/a~1b', value: '3' },
      { op: 'replace', path: '/spec/ports', value: [2] },
      { op: 'add', path: '/spec/new', value: null },
    ]);
    expect(jsonPatch(before, structuredClone(before))).toEqual([]);
  });
});
