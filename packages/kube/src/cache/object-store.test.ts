import { describe, expect, it } from 'vitest';
import { ObjectStore } from './object-store.ts';
import type { Thing } from '../testing/thing.ts';
import { thing } from '../testing/thing.ts';

const bySize = { size: (object: Thing) => [String(object.spec?.size ?? 'none')] };
const refuse = (index: string, error: unknown) => {
  throw new Error(`index ${index} failed`, { cause: error });
};

function storeOf(...things: readonly Thing[]): ObjectStore<Thing> {
  const store = new ObjectStore<Thing>(bySize);
  for (const object of things) store.put(`${object.metadata.namespace}/${object.metadata.name}`, object, refuse);
  return store;
}

const names = (things: readonly Thing[]) => things.map((object) => object.metadata.name);

describe('ObjectStore', () => {
  it('lists by Namespace and by index in the order of keys', () => {
    const store = storeOf(thing('c', {}, 1), thing('a', { namespace: 'zoo' }, 1), thing('b', {}, 2), thing('a', {}, 1));
    expect(names(store.list())).toEqual(['a', 'b', 'c', 'a']);
    expect(names(store.list('shop'))).toEqual(['a', 'b', 'c']);
    expect(names(store.byIndex('size', '1'))).toEqual(['a', 'c', 'a']);
    expect(store.list('nowhere')).toEqual([]);
    expect(store.byIndex('size', '7')).toEqual([]);
  });

  it('moves an object between the values of an index when it changes, and out of all when it goes', () => {
    const store = storeOf(thing('a', {}, 1));
    store.put('shop/a', thing('a', {}, 2), refuse);
    expect([names(store.byIndex('size', '1')), names(store.byIndex('size', '2'))]).toEqual([[], ['a']]);
    store.remove('shop/a');
    expect([store.size, store.byIndex('size', '2'), store.list('shop'), store.get('shop/a')]).toEqual([
      0,
      [],
      [],
      undefined,
    ]);
  });

  it('gives the current object under a value that has not changed', () => {
    const store = storeOf(thing('a', { resourceVersion: '1' }, 1));
    expect(store.byIndex('size', '1')[0]?.metadata.resourceVersion).toBe('1');
    store.put('shop/a', thing('a', { resourceVersion: '2' }, 1), refuse);
    expect(store.byIndex('size', '1')[0]?.metadata.resourceVersion).toBe('2');
  });

  it('keeps an object out of an index whose function throws on it, and reports it', () => {
    const store = new ObjectStore<Thing>({
      picky: (object) => {
        if (object.spec === undefined) throw new Error('no spec');
        return ['some'];
      },
    });
    const told: string[] = [];
    store.put('shop/a', thing('a', {}, 1), refuse);
    store.put('shop/a', thing('a'), (index) => told.push(index));
    expect([told, store.byIndex('picky', 'some'), store.size]).toEqual([['picky'], [], 1]);
  });

  it('takes an object out of its old place even where the index function changes its mind', () => {
    let value = 'before';
    const store = new ObjectStore<Thing>({ moody: () => [value] });
    store.put('shop/a', thing('a'), refuse);
    value = 'after';
    store.remove('shop/a');
    expect(store.byIndex('moody', 'before')).toEqual([]);
  });

  it('refuses an index that was not declared, and names those that were', () => {
    expect(() => storeOf().byIndex('colour', 'red')).toThrowErrorMatchingInlineSnapshot(
      `[Error: cannot read the cache: there is no index "colour"; declare it when the cache is created (declared: size)]`,
    );
  });
});
