import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, Label, managedByIsthmus, marked } from '@isthmus/api';
import { again, reducedBy } from '@isthmus/kube';
import type { TracedImports } from '@isthmus/wire';
import { withdrawnMark } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { exporterMarks, findLosses, lostLook, nothingLost, sourceOf } from './find-losses.ts';

const withdrawn = withdrawnMark(0);
/** In the exchange of this test, the publication of one cluster has the name of its export. */
const traced: TracedImports = {
  sourceOf: ({ spec }) => spec?.clusterID?.[0],
  substitutes: ({ metadata: { name } }) => [{ metadata: { name } }],
  isWhole: ({ metadata: { name } }) => name !== 'part',
};
const imported = (name: string, annotations: Readonly<Record<string, string>> = {}): ResourceImport => ({
  metadata: { name, labels: { [Label.managedBy]: managedByIsthmus }, annotations },
  spec: { clusterID: [name] },
});
const shared = (annotations: Readonly<Record<string, string>> = {}): ResourceImport => ({
  ...imported('shared', annotations),
  spec: {},
});
const exported = (name: string, metadata: Partial<ResourceExport['metadata']> = {}): ResourceExport => ({
  metadata: { name, ...metadata },
});
const losses = (imports: readonly ResourceImport[], exports: readonly ResourceExport[]) => {
  const found = findLosses({ imports, exports }, traced);
  const names = (all: readonly ResourceExport[]) => all.map(({ metadata }) => metadata.name);
  return {
    lost: found.traced.flatMap(({ lost }) => names(lost)),
    ignored: found.traced.flatMap(({ ignored }) => names(ignored)),
    isOrphan: found.isOrphan,
  };
};

/** An export as a cache holds it that accepts nothing of its size. */
const reduced = (object: ResourceExport): ResourceExport =>
  reducedBy({ objects: 1, bytes: 1, allBytes: 1, ownerOf: () => '', reduce: ({ metadata }) => ({ metadata }) }, object);

describe('what is published and has no export', () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  it.each([
    ['is lost if its export is gone', [imported('a'), imported('b')], [exported('b')], { lost: ['a'] }],
    ['is lost if its export is being deleted', [imported('a')], [exported('a', deleted)], { lost: ['a'] }],
    ['is not lost if it is being withdrawn', [imported('a', withdrawn)], [], {}],
    ['is not lost if another leader published it', [{ ...imported('a'), metadata: { name: 'a' } }], [], {}],
    [
      'is an orphan while its last export is being deleted without a mark',
      [shared()],
      [exported('a', deleted)],
      { isOrphan: true },
    ],
    ['is an orphan if nothing of its exporters is left', [shared()], [], { isOrphan: true }],
    ['is not an orphan while a part of one cluster is left', [shared(), imported('a')], [], { lost: ['a'] }],
    ['is not an orphan while it is exported', [shared()], [exported('a')], {}],
    ['is not an orphan if its last export was withdrawn', [shared()], [exported('a', { annotations: withdrawn })], {}],
    ['is not an orphan if it is being withdrawn', [shared(withdrawn)], [], {}],
  ])('%s', (_, imports, exports, expected) => {
    expect(losses(imports, exports)).toEqual({ lost: [], ignored: [], isOrphan: false, ...expected });
  });
});

describe('what stays as it is published', () => {
  const look = (
    imports: readonly ResourceImport[],
    exports: readonly ResourceExport[],
    held: Readonly<Record<string, number>>,
    orphanMs?: number,
  ) => {
    const group = { imports, exports };
    const found = findLosses(group, traced);
    const forMs = new Map(
      found.traced.flatMap((loss) => {
        const ms = held[loss.object.metadata.name];
        return ms === undefined ? [] : [[loss, ms] as const];
      }),
    );
    const { substitutes, keeps, waits, outcome } = lostLook(found, { forMs, orphanMs }, group, traced);
    return {
      substitutes: substitutes.map(({ metadata }) => metadata.name),
      kept: imports.filter(keeps).map(({ metadata }) => metadata.name),
      waits,
      outcome,
    };
  };
  const lookAgain = (ms: number) => again(ms, 'it has lost its exports');

  it('is nothing if nothing is held', () => {
    const nothing = { substitutes: [], kept: [], waits: false, outcome: undefined };
    expect(look([imported('a'), shared()], [], {})).toEqual(nothing);
  });

  it('is what is held, and what all exporters share if no export is left', () => {
    const expected = { substitutes: ['a'], kept: ['a', 'shared'], waits: false, outcome: lookAgain(40) };
    expect(look([imported('a'), shared()], [], { a: 40 })).toEqual(expected);
  });

  it('is what is held alone while other exports are left', () => {
    expect(look([imported('a'), shared()], [exported('b')], { a: 40 }).kept).toEqual(['a']);
  });

  it('waits with other exports if too little of it is published, and not without them', () => {
    expect(look([imported('part')], [exported('b')], { part: 40 }).waits).toBe(true);
    expect(look([imported('part')], [], { part: 40 }).waits).toBe(false);
    expect(look([imported('a')], [exported('b')], { a: 40 }).waits).toBe(false);
  });

  it('waits where too little of one of several is published', () => {
    expect(look([imported('a'), imported('part')], [exported('b')], { a: 40, part: 40 }).waits).toBe(true);
  });

  it('waits for nothing where the exchange does not state what is whole', () => {
    const group = { imports: [imported('part')], exports: [exported('b')] };
    const { isWhole: _, ...others } = traced;
    const found = findLosses(group, others);
    const forMs = new Map(found.traced.map((loss) => [loss, 40]));
    expect(lostLook(found, { forMs, orphanMs: undefined }, group, others).waits).toBe(false);
    expect(nothingLost).toMatchObject({ substitutes: [], waits: false, outcome: undefined });
    expect(nothingLost.keeps(imported('a'))).toBe(false);
  });

  it('is the first of two that replace one export', () => {
    const first = { ...imported('a'), spec: { clusterID: ['a'], name: 'first' } };
    const second = { ...imported('a'), spec: { clusterID: ['a'], name: 'second' } };
    const named: TracedImports = {
      ...traced,
      substitutes: ({ spec }) => [{ metadata: { name: 'a' }, spec: { name: spec?.name } }],
    };
    const group = { imports: [first, second], exports: [] };
    const found = findLosses(group, named);
    const forMs = new Map(found.traced.map((loss) => [loss, 40]));
    expect(lostLook(found, { forMs, orphanMs: undefined }, group, named).substitutes).toMatchObject([
      { spec: { name: 'first' } },
    ]);
  });

  it('replaces each export once, and is looked at when the first hold ends', () => {
    const twice = { ...imported('a'), spec: { clusterID: ['a'], namespace: 'shop' } };
    const expected = { substitutes: ['a', 'b'], outcome: lookAgain(20) };
    expect(look([imported('a'), twice, imported('b')], [], { a: 40, b: 20 })).toMatchObject(expected);
  });

  it('is an orphan that is held', () => {
    expect(look([shared()], [], {}, 60)).toMatchObject({ kept: ['shared'], outcome: lookAgain(60) });
  });
});

describe('what is published of two objects under one key', () => {
  // The first letter names the object.
  const ofTwo: TracedImports = { ...traced, objectOf: ({ metadata: { name } }) => name.slice(0, 1) };
  const all = (name: string) => ({ ...shared(), metadata: { ...shared().metadata, name } });
  const imports = [
    imported('a1'),
    all('a'),
    imported('b1'),
    all('b'),
    { ...imported('c1'), spec: { clusterID: ['part'] } },
  ];
  const look = (exports: readonly ResourceExport[], heldName: string) => {
    const found = findLosses({ imports, exports }, { ...ofTwo, isWhole: ({ metadata: { name } }) => name !== 'c1' });
    const forMs = new Map(
      found.traced.filter(({ object }) => object.metadata.name === heldName).map((one) => [one, 1]),
    );
    const { keeps, waits } = lostLook(
      found,
      { forMs, orphanMs: undefined },
      { imports, exports },
      {
        ...ofTwo,
        isWhole: ({ metadata: { name } }) => name !== 'c1',
      },
    );
    return { kept: imports.filter(keeps).map(({ metadata }) => metadata.name), waits };
  };

  it('stays of the one whose exports are held, and not of the other', () => {
    expect(look([], 'a1')).toEqual({ kept: ['a1', 'a'], waits: false });
    expect(look([exported('b1')], 'a1')).toEqual({ kept: ['a1', 'a'], waits: false });
    expect(look([exported('a2')], 'a1')).toEqual({ kept: ['a1'], waits: false });
  });

  it('does not wait where too little is published of the other one', () => {
    expect(look([exported('b1')], 'c1')).toEqual({ kept: ['c1'], waits: false });
    expect(look([exported('c2')], 'c1').waits).toBe(true);
  });
});

describe('an export that is over the limits', () => {
  /** The exports as the cache of a leader holds them that accepts nothing of this size. */
  const group = (...extra: readonly ResourceExport[]) => ({
    imports: [imported('a'), imported('b')],
    exports: [reduced(exported('a')), ...extra],
  });

  it('stays as it is published, and is not lost', () => {
    const found = findLosses(group(exported('b')), traced);
    const names = (all: readonly ResourceExport[]) => all.map(({ metadata }) => metadata.name);
    expect(found.traced.map(({ ignored, lost }) => [names(ignored), names(lost)])).toEqual([
      [['a'], []],
      [[], []],
    ]);
    const { substitutes, keeps } = lostLook(found, { forMs: new Map(), orphanMs: undefined }, group(), traced);
    expect([names(substitutes), keeps(imported('a')), keeps(imported('b'))]).toEqual([['a'], true, false]);
  });

  it('is lost like others once it is being deleted', () => {
    const ending = reduced(exported('a', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    const found = findLosses({ imports: [imported('a')], exports: [ending] }, traced);
    expect(found.traced.map(({ ignored, lost }) => [ignored.length, lost.length])).toEqual([[0, 1]]);
  });
});

describe('an export that the leader has not accepted yet', () => {
  const unseen: TracedImports = { ...traced, isSeen: ({ metadata }) => metadata.name !== 'new' };

  it('does not replace one that is lost, and leaves what all share an orphan', () => {
    const found = findLosses({ imports: [imported('new')], exports: [exported('new')] }, unseen);
    expect([found.isExported(imported('new')), found.traced[0]?.lost.length]).toEqual([false, 1]);
    expect(findLosses({ imports: [shared()], exports: [exported('new')] }, unseen).isOrphan).toBe(true);
    expect(findLosses({ imports: [shared()], exports: [exported('old')] }, unseen).isOrphan).toBe(false);
  });
});

describe('whose an import is', () => {
  it.each([
    ['of its source if it has our label', imported('a'), 'a'],
    [
      'of its source if its label is gone and it has our mark',
      { ...imported('a'), metadata: { name: 'a', annotations: { [Annotation.withdrawals]: marked } } },
      'a',
    ],
    [
      'of its source if its label is gone and it lists endpoints as ours do',
      { metadata: { name: 'a' }, spec: { clusterID: ['a'], endpointSlices: [] } },
      'a',
    ],
    ['not known if nothing shows that it is ours', { metadata: { name: 'a' }, spec: { clusterID: ['a'] } }, undefined],
    ['not known if it has no spec', { metadata: { name: 'a' } }, undefined],
    ['not known if it is withdrawn', imported('a', withdrawn), undefined],
  ])('is %s', (_, object, source) => {
    expect(sourceOf(object, traced)).toBe(source);
  });
});

describe('an exporter marks what it withdraws', () => {
  const markedByLeader = { [Annotation.withdrawals]: marked };
  it.each([
    ['if it announces so', 'a', imported('a', markedByLeader), true, true],
    ['not if it announces otherwise', 'a', imported('a'), false, false],
    [
      'not if it announces nothing, and its import has the mark of the leader alone',
      'a',
      imported('a', markedByLeader),
      undefined,
      false,
    ],
    [
      'if its import has its mark',
      'a',
      imported('a', { ...markedByLeader, [Annotation.sourceWithdrawals]: marked }),
      undefined,
      true,
    ],
    [
      'not if its import has no annotations but those of the leader',
      'a',
      { metadata: { name: 'a', annotations: markedByLeader } },
      undefined,
      false,
    ],
    ['if its import has lost all annotations', 'a', { metadata: { name: 'a' } }, undefined, true],
    ['if its import has lost the marks', 'a', imported('a'), undefined, true],
    ['if it is not known', '', imported('a', markedByLeader), undefined, true],
  ])('%s', (_, clusterID, object, announced, expected) => {
    expect(exporterMarks(clusterID, object, announced)).toBe(expected);
  });
});
