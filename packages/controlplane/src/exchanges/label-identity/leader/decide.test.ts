import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { labelIdentityExportName, labelIdentityHash } from '@isthmus/api';
import { defaultLeaderConfig, unknownReaders } from '@isthmus/wire';
import type { ExportGroup } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { coolDownMs, decideLabelIdentity, labelIdentityMerge } from './decide.ts';

const label = 'ns:kubernetes.io/metadata.name=shop&pod:app=cart';
const hash = labelIdentityHash(label);
const now = '2026-11-21T12:00:00Z';
const exported = (clusterID = 'east', normalizedLabel: unknown = label, name?: string): ResourceExport => ({
  metadata: { name: name ?? labelIdentityExportName(clusterID, labelIdentityHash(String(normalizedLabel))) },
  spec: { kind: 'LabelIdentity', clusterID, labelIdentity: { normalizedLabel: normalizedLabel as string } },
});
const published = (id: unknown, metadata: Partial<ResourceImport['metadata']> = {}): ResourceImport => ({
  metadata: { name: hash, creationTimestamp: now, labels: { 'app.kubernetes.io/managed-by': 'isthmus' }, ...metadata },
  spec: { kind: 'LabelIdentity', labelIdentity: { label, id: id as number } },
});
const decide = (change: Partial<ExportGroup>, holders: readonly ResourceImport[] = []) => {
  const group: ExportGroup = {
    exports: [],
    imports: [],
    readers: unknownReaders,
    now,
    config: defaultLeaderConfig,
    rivals: [],
    incompleteForMs: new Map(),
    refused: new Map(),
    pruned: [],
    ...change,
  };
  const needs = labelIdentityMerge.allocates?.needs(group, () => holders) === true;
  return { needs, ...decideLabelIdentity(group, () => holders) };
};
const numbersIn = ({ wanted }: ReturnType<typeof decide>) => wanted.map(({ spec }) => spec?.labelIdentity?.id);

describe('a set of labels', () => {
  it('gets a free number when the first member exports it, and waits while there is none', () => {
    const group = { exports: [exported()] };
    expect(decide(group).needs).toBe(true);
    expect(decide({ ...group, free: 7 }).wanted).toMatchObject([
      { metadata: { name: hash }, spec: { kind: 'LabelIdentity', labelIdentity: { label, id: 7 } } },
    ]);
    expect(decide(group)).toMatchObject({ wanted: [], wait: { forMs: 60_000 } });
  });

  it('gets a number for the first exporter that may have another, and none while none may', () => {
    const exports = [exported('east'), exported('west')];
    const quota = (used: readonly string[]) => ({
      limit: 3,
      isUsedUp: (clusterID: string) => used.includes(clusterID),
    });
    const decided = (used: readonly string[]) => decide({ exports, quota: quota(used), free: 7 });
    const annotations = (used: readonly string[]) => decided(used).wanted.map(({ metadata }) => metadata.annotations);
    expect(annotations([])).toEqual([{ 'isthmus.dev/numbered-for': 'east' }]);
    expect(annotations(['east'])).toEqual([{ 'isthmus.dev/numbered-for': 'west' }]);
    const both = decided(['east', 'west']);
    expect(both).toMatchObject({ needs: false, wanted: [], overQuota: 'east', wait: { forMs: 60_000 } });
    expect(both.statuses.map(({ conditions }) => conditions[0]?.reason)).toEqual(['TooManyNumbers', 'TooManyNumbers']);
    // Labels that have a number keep it.
    const kept = decide({ exports, imports: [published(9)], quota: quota(['east', 'west']) });
    expect([numbersIn(kept), kept.overQuota, kept.wanted[0]?.metadata.annotations]).toEqual([
      [9],
      undefined,
      undefined,
    ]);
  });

  it('counts for a cluster that exports it, and for another one when that has withdrawn it', () => {
    const paidBy = (clusterID: string) => published(9, { annotations: { 'isthmus.dev/numbered-for': clusterID } });
    const annotations = (exporters: readonly string[], before: ResourceImport, used: readonly string[] = []) => {
      const quota = { limit: 3, isUsedUp: (clusterID: string) => used.includes(clusterID) };
      const decided = decide({ exports: exporters.map((one) => exported(one)), imports: [before], quota });
      expect([numbersIn(decided), decided.unwanted]).toEqual([[9], []]);
      return decided.wanted[0]?.metadata.annotations;
    };
    expect(annotations(['west', 'east'], paidBy('east'))).toBeUndefined();
    expect(annotations(['south', 'west'], paidBy('east'))).toEqual({ 'isthmus.dev/numbered-for': 'south' });
    expect(annotations(['south', 'west'], paidBy('east'), ['south'])).toEqual({ 'isthmus.dev/numbered-for': 'west' });
    // It has its number: no cluster is refused.
    expect(annotations(['south'], paidBy('east'), ['south'])).toEqual({ 'isthmus.dev/numbered-for': 'south' });
    expect(annotations(['south'], published(9))).toBeUndefined();
  });

  it('keeps its number while any member has it, also one of Antrea', () => {
    for (const present of [published(9), published(9, { labels: undefined })]) {
      const decision = decide({ exports: [exported('west')], imports: [present], free: 7 });
      expect([decision.needs, numbersIn(decision), decision.unwanted]).toEqual([false, [9], []]);
    }
  });

  it.each([0, 16_777_215, -1, 1.5, '9', undefined])(
    'gets a number of its own in place of %j, by deletion and creation',
    (id) => {
      const decision = decide({ exports: [exported()], imports: [published(id)], free: 7 });
      expect([decision.needs, numbersIn(decision), decision.unwanted.length]).toEqual([true, [7], 1]);
    },
  );

  it('whose import was lost gets back the number that an exporter names, unless other labels have it by now', () => {
    const naming = (text: string, clusterID = 'east', creationTimestamp = now): ResourceExport => {
      const { metadata, ...rest } = exported(clusterID);
      const annotations = { 'isthmus.dev/label-number': text };
      return { ...rest, metadata: { ...metadata, creationTimestamp, annotations } };
    };
    const of = (exports: readonly ResourceExport[], holders: readonly ResourceImport[] = []) => {
      const decision = decide({ exports, free: 7 }, holders);
      return [decision.needs, ...numbersIn(decision)];
    };
    expect(of([naming('9')])).toEqual([false, 9]);
    expect(of([exported('west'), naming('9')])).toEqual([false, 9]);
    expect(of([naming('9'), naming('8', 'west', '2026-11-21T11:00:00Z')])).toEqual([false, 8]);
    expect(of([naming('9')], [published(9, { name: 'f'.repeat(16) })])).toEqual([true, 7]);
    for (const text of ['', '0', '16777215', '-1', '1.5', '09', '9 ', '__proto__', '9'.repeat(400)])
      expect(of([naming(text)])).toEqual([true, 7]);
    // A published number has priority over the number that an exporter declares.
    expect(numbersIn(decide({ exports: [naming('9')], imports: [published(5)], free: 7 }))).toEqual([5]);
  });

  it('yields a number that two have to the older one', () => {
    const older = published(9, { name: 'f'.repeat(16), creationTimestamp: '2026-11-21T11:00:00Z' });
    const younger = { ...older, metadata: { ...older.metadata, creationTimestamp: '2026-11-21T13:00:00Z' } };
    const group = { exports: [exported()], imports: [published(9)], free: 7 };
    expect(numbersIn(decide(group, [older]))).toEqual([7]);
    expect(numbersIn(decide(group, [younger]))).toEqual([9]);
  });

  it('that no member has any more is marked, keeps its number for a while, and goes', () => {
    const marked = (agoMs: number) =>
      published(9, {
        annotations: { 'isthmus.dev/withdrawn': new Date(Date.parse(now) - agoMs).toISOString().replace('.000', '') },
      });
    expect(decide({ imports: [published(9)] })).toMatchObject({
      retired: [published(9)],
      unwanted: [],
      wait: { forMs: coolDownMs },
    });
    expect(decide({ imports: [marked(coolDownMs - 1_000)] })).toMatchObject({ unwanted: [], wait: { forMs: 1_000 } });
    expect(decide({ imports: [marked(coolDownMs)] })).toMatchObject({
      unwanted: [marked(coolDownMs)],
      wait: undefined,
    });
    const back = decide({ exports: [exported()], imports: [marked(1_000)], free: 7 });
    expect([numbersIn(back), back.unwanted]).toEqual([[9], []]);
  });

  it('is not published where all numbers are in use, and the export reports it', () => {
    const { wanted, statuses } = decide({ exports: [exported()], free: 'exhausted' });
    expect([wanted, statuses[0]?.conditions[0]?.reason]).toEqual([[], 'NumbersExhausted']);
  });

  it('does not touch an import that is not ours', () => {
    const foreign = published(9, { labels: { 'app.kubernetes.io/managed-by': 'somebody' } });
    const decision = decide({ exports: [exported()], imports: [foreign], free: 7 });
    expect([decision.wanted, decision.unwanted, decision.needs]).toEqual([[], [], false]);
    expect(decision.statuses[0]?.conditions[0]?.message).toContain('was not created by this leader');
    expect(decide({ imports: [foreign] }).unwanted).toEqual([]);
  });

  it('costs no status where nothing is wrong', () => {
    expect(decide({ exports: [exported(), exported('west')], imports: [published(9)] }).statuses).toEqual([]);
  });
});

describe('an export of labels', () => {
  it.each([
    ['a label without its parts', 'app=cart'],
    ['an entry without =', 'ns:&pod:app'],
    ['an entry with two =', 'ns:&pod:app=a=b'],
    ['entries out of order', 'ns:&pod:b=1,a=1'],
    ['a key of a prototype', 'ns:&pod:__proto__=1'],
    ['an empty label', ''],
    ['a list', ['ns:&pod:']],
    ['nothing', null],
  ])('with %s is refused', (_, text) => {
    const { wanted, statuses, needs } = decide({ exports: [exported('east', text)], free: 7 });
    expect([wanted, needs]).toEqual([[], false]);
    expect(statuses[0]?.conditions[0]).toMatchObject({ type: 'Failure', reason: 'ConvergeFailure' });
  });

  it.each([
    ['the name of another cluster', exported('east', label, `west-${hash}`)],
    ['a name without a hash', exported('east', label, 'labels')],
    ['the hash of other labels', exported('east', label, `east-${'0'.repeat(16)}`)],
    ['no cluster', exported('')],
  ])('with %s is refused, and has a key', (_, object) => {
    expect(labelIdentityMerge.exportKeys(object)).toHaveLength(1);
    const { wanted, statuses } = decide({ exports: [object], free: 7 });
    expect([wanted, statuses[0]?.conditions[0]?.reason]).toEqual([[], 'ConvergeFailure']);
  });

  it.each(['ns:&pod:', 'ns:a=b&pod:<none>', 'ns:&pod:constructor=x', 'ns:&pod:app.kubernetes.io/name=x,app=y'])(
    'of %s is published',
    (text) => {
      expect(numbersIn(decide({ exports: [exported('east', text)], free: 7 }))).toEqual([7]);
    },
  );
});
