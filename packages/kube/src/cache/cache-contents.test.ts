import { describe, expect, it } from 'vitest';
import { CacheContents } from './cache-contents.ts';
import type { Thing } from '../testing/thing.ts';
import { thing } from '../testing/thing.ts';

function empty(): CacheContents<Thing> {
  return new CacheContents<Thing>({}, (_, error) => {
    throw error;
  });
}

function contentsOf(...items: readonly Thing[]): CacheContents<Thing> {
  const contents = empty();
  contents.replace(items, '100');
  return contents;
}

const at = (resourceVersion: string, more: Partial<Thing['metadata']> = {}) => thing('a', { resourceVersion, ...more });
const held = (contents: CacheContents<Thing>) => contents.store.get('shop/a')?.metadata.resourceVersion;

describe('CacheContents', () => {
  it('shares objects frozen throughout and without managedFields', () => {
    const contents = contentsOf(thing('a', { managedFields: [{}], labels: { app: 'x' } }));
    const object = contents.store.get('shop/a');
    expect(object?.metadata).not.toHaveProperty('managedFields');
    expect([Object.isFrozen(object), Object.isFrozen(object?.metadata.labels)]).toEqual([true, true]);
  });

  it('shows our own write at once, ignores older events of it, and reports its return once', () => {
    const contents = contentsOf(at('90'));
    expect(contents.wrote(at('103'))).toHaveLength(1);
    expect(contents.event('MODIFIED', at('101'))).toEqual([]);
    expect(held(contents)).toBe('103');
    expect(contents.event('MODIFIED', at('103'))).toEqual([]);
    expect(contents.event('MODIFIED', at('104'))).toMatchObject([
      { key: 'shop/a', before: at('103'), after: at('104') },
    ]);
  });

  it('does not bring back what we deleted when older events of it arrive, but takes its successor', () => {
    const contents = contentsOf(at('90'));
    expect(contents.deleted({ namespace: 'shop', name: 'a' }, 'uid-a')).toMatchObject([{ key: 'shop/a' }]);
    expect(contents.event('MODIFIED', at('101'))).toEqual([]);
    expect(contents.event('DELETED', at('102'))).toEqual([]);
    expect(contents.event('ADDED', at('103', { uid: 'other' }))).toHaveLength(1);
  });

  it('keeps the successor when the deletion of its predecessor comes late', () => {
    const contents = contentsOf(at('90'));
    contents.wrote(at('105', { uid: 'new' }));
    expect(contents.event('DELETED', at('104'))).toEqual([]);
    expect(contents.deleted({ namespace: 'shop', name: 'a' }, 'uid-a')).toEqual([]);
    expect(held(contents)).toBe('105');
  });

  it('does not resurrect an object whose deletion was seen before the answer to our write came', () => {
    const contents = contentsOf(at('90'));
    contents.event('DELETED', at('102'));
    expect(contents.wrote(at('101'))).toEqual([]);
    expect(contents.store.size).toBe(0);
  });

  it('keeps what we wrote later than a list, also where the list lacks it, until the watch has decided', () => {
    const contents = contentsOf();
    contents.wrote(at('205'));
    expect(contents.replace([], '200')).toEqual([]);
    expect(held(contents)).toBe('205');
    contents.event('DELETED', at('206'));
    expect(contents.store.size).toBe(0);
  });

  it('drops with a list what it does not hold, and reports nothing that is unchanged', () => {
    const contents = contentsOf(at('90'), thing('b'));
    expect(contents.replace([at('90')], '200')).toMatchObject([{ key: 'shop/b', before: thing('b') }]);
  });

  it('follows a server that was restored from a backup', () => {
    const contents = contentsOf(at('90'));
    expect(contents.replace([at('40')], '50')).toHaveLength(1);
    expect(held(contents)).toBe('40');
    contents.event('MODIFIED', at('51'));
    expect(held(contents)).toBe('51');
  });

  it('marks what a list shows of a server that went back, by its revision or by that of an object', () => {
    const gone = (list: readonly Thing[], resourceVersion: string) => {
      const contents = contentsOf(at('90'), thing('b', { resourceVersion: '95', uid: 'uid-b' }));
      contents.event('MODIFIED', thing('b', { resourceVersion: '120', uid: 'uid-b' }));
      return contents.replace(list, resourceVersion).map(({ key, wentBack }) => [key, wentBack === true]);
    };
    const b = (resourceVersion: string, uid = 'uid-b') => thing('b', { resourceVersion, uid });
    expect(gone([b('120')], '130')).toEqual([['shop/a', false]]);
    expect(gone([b('120')], '110')).toEqual([['shop/a', true]]);
    // Restored with a higher revision: its objects have their old ones.
    expect(gone([b('95')], '1000')).toEqual([
      ['shop/a', true],
      ['shop/b', true],
    ]);
    // Deleted and made again.
    expect(gone([b('95', 'other')], '130').map(([, wentBack]) => wentBack)).toEqual([false, false]);
  });

  it('believes a list that began after our own writes and deletions: a server that went back has lost the ones and has the others again', () => {
    const written = contentsOf();
    written.wrote(at('205'));
    written.beginList();
    expect(written.replace([], '50')).toHaveLength(1);
    const deleted = contentsOf(thing('a', { resourceVersion: '90', uid: 'u' }));
    deleted.deleted({ namespace: 'shop', name: 'a' }, 'u');
    deleted.beginList();
    expect(deleted.replace([thing('a', { resourceVersion: '40', uid: 'u' })], '50')).toHaveLength(1);
  });

  it('keeps what we wrote and deleted while the list was under way', () => {
    const contents = contentsOf(thing('b', { resourceVersion: '90', uid: 'u' }));
    contents.beginList();
    contents.wrote(at('205'));
    contents.deleted({ namespace: 'shop', name: 'b' }, 'u');
    expect(contents.replace([thing('b', { resourceVersion: '90', uid: 'u' })], '200')).toEqual([]);
    expect(held(contents)).toBe('205');
  });

  it.each([
    ['deleted', '90', 'u'],
    ['wrote anew and deleted', '205', 'another'],
  ])('does not show with the first list what we %s while it was under way', (_, resourceVersion, uid) => {
    const contents = empty();
    contents.beginList();
    const items = [at('90', { uid: 'u' }), thing('b')].map((item) => contents.listed(item));
    contents.wrote(at(resourceVersion, { uid }));
    contents.deleted({ namespace: 'shop', name: 'a' }, uid);
    expect(contents.replace(items, '200')).toMatchObject([{ key: 'shop/b', byList: true }]);
    expect(contents.store.list()).toEqual([thing('b')]);
  });

  it('drops an object that is missing on the server, and takes it back from it', () => {
    const contents = contentsOf(thing('a', { resourceVersion: '90', uid: 'u' }));
    expect(contents.missing({ namespace: 'shop', name: 'a' }, 'other')).toEqual([]);
    expect(contents.missing({ namespace: 'shop', name: 'a' }, 'u')).toHaveLength(1);
    expect(contents.replace([thing('a', { resourceVersion: '90', uid: 'u' })], '200')).toHaveLength(1);
  });

  it('drops our own write once the watch has passed it in silence: it is not among the selected objects', () => {
    const contents = contentsOf();
    contents.wrote(at('103'));
    expect(contents.bookmark('102')).toEqual([]);
    expect(contents.bookmark('103')).toMatchObject([{ key: 'shop/a', before: at('103') }]);
    expect(contents.wrote(at('103'))).toEqual([]);
  });

  it('takes an object back that left the selection and entered it again', () => {
    const contents = contentsOf(at('90'));
    contents.event('DELETED', at('101'));
    expect(contents.event('ADDED', at('102'))).toHaveLength(1);
  });

  it.each([
    ['the last finalizer went', at('103', { deletionTimestamp: '2026-11-21T00:00:00Z', finalizers: [] }), 0],
    ['a finalizer is left', at('103', { deletionTimestamp: '2026-11-21T00:00:00Z', finalizers: ['x/y'] }), 1],
    [
      'a grace period runs',
      at('103', { deletionTimestamp: '2026-11-21T00:00:00Z', deletionGracePeriodSeconds: 30 }),
      1,
    ],
    [
      'a Namespace is being emptied',
      { ...at('103', { deletionTimestamp: 'x' }), spec: { finalizers: ['kubernetes'] } },
      1,
    ],
  ])('judges by the answer to a write whether the object is gone: %s', (_, answer, size) => {
    const contents = contentsOf(at('90'));
    contents.wrote(answer);
    expect(contents.store.size).toBe(size);
  });

  it('takes the later arrival where versions are not numbers', () => {
    const contents = contentsOf(at('x1'));
    expect(contents.event('MODIFIED', at('x2'))).toHaveLength(1);
    expect(contents.event('MODIFIED', at('x2'))).toEqual([]);
    expect(contents.event('MODIFIED', at('x1'))).toHaveLength(1);
  });

  it('forgets the oldest of more than 10,000 deletions', () => {
    const contents = contentsOf();
    for (let i = 0; i <= 10_000; i++) contents.deleted({ name: `n${i}` }, `u${i}`);
    expect(contents.event('ADDED', at('101', { uid: 'u1' }))).toEqual([]);
    expect(contents.event('ADDED', at('101', { uid: 'u0' }))).toHaveLength(1);
  });
});
