import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { Finalizer, memberAnnounceFinalizer } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { AnnounceDecision, AnnounceInput } from './decide.ts';
import { decideAnnounce } from './decide.ts';

const second = 1_000;
const day = 24 * 3_600_000;
const nowMs = Date.parse('2026-11-22T12:00:00Z');
const deleted = '2026-11-22T11:59:00Z';
const ours = 'memberclusterannounce.finalizer.antrea.io/east';

const announce = (metadata: Partial<MemberClusterAnnounce['metadata']> = {}): MemberClusterAnnounce => ({
  metadata: { name: 'member-announce-from-east', creationTimestamp: '2026-11-20T00:00:00Z', ...metadata },
  clusterID: 'east',
});
const exported = (name: string, metadata: Partial<ResourceExport['metadata']> = {}): ResourceExport => ({
  metadata: { name, ...metadata },
  spec: { clusterID: 'east' },
});
const decide = (input: Partial<AnnounceInput>, silentMs = 0): AnnounceDecision =>
  decideAnnounce({
    announce: announce(),
    exports: [],
    published: false,
    isAnnounced: () => false,
    clusterSet: 'fleet',
    deletedMs: undefined,
    sighting: { beat: 'x', atMs: 5_000, seenBeating: true },
    nowMonotonicMs: 5_000 + silentMs,
    nowMs,
    forgottenAfterMs: day,
    ...input,
  });

describe('an announcement that exists', () => {
  it("gets the leader's finalizer beside those that it has", () => {
    expect(decide({ announce: announce({ finalizers: ['a/b'] }) })).toMatchObject({
      kind: 'keep',
      metadata: { finalizers: ['a/b', ours] },
    });
  });

  it('is answered with what the members differ in, while they do', () => {
    const beat = { 'touch-ts': '2026-11-22T11:59:00Z', 'isthmus.dev/marks-at': '2026-11-22T11:59:00Z' };
    const settings = { reason: 'EndpointIPTypeDiffers', message: 'They differ.' } as const;
    const answered = (annotations: Readonly<Record<string, string>>, more: Partial<AnnounceInput>) => {
      const decision = decide({ announce: announce({ annotations }), ...more });
      return decision.kind === 'keep' ? decision.metadata.annotations?.['isthmus.dev/settings-differ'] : decision;
    };
    expect(answered(beat, { settings })).toBe(JSON.stringify(settings));
    expect(answered({ ...beat, 'isthmus.dev/settings-differ': 'before' }, {})).toBeUndefined();
    expect(answered({ 'touch-ts': '2026-11-22T11:59:00Z' }, { settings })).toBeUndefined();
  });

  it('is answered with the beat and the name of the ClusterSet where its member reads answers', () => {
    const annotations = { 'touch-ts': '2026-11-22T11:59:00Z', 'isthmus.dev/marks-at': '2026-11-22T11:59:00Z' };
    expect(decide({ announce: announce({ annotations }) })).toMatchObject({
      metadata: {
        annotations: {
          ...annotations,
          'isthmus.dev/answered': '2026-11-22T11:59:00Z',
          'isthmus.dev/dotted-names': '2026-11-22T11:59:00Z',
          'isthmus.dev/leader-cluster-set': 'fleet',
        },
      },
    });
  });

  it('is answered again after 25 seconds by the clock of its member, and at once when the answer changes', () => {
    const answers = {
      'isthmus.dev/answered': '2026-11-22T11:59:00Z',
      'isthmus.dev/dotted-names': '2026-11-22T11:59:00Z',
      'isthmus.dev/leader-cluster-set': 'fleet',
    };
    const answeredAt = (beat: string, change: Partial<AnnounceInput> = {}) => {
      const annotations = { ...answers, 'touch-ts': beat, 'isthmus.dev/marks-at': beat };
      const decision = decide({ announce: announce({ annotations }), ...change });
      const { 'isthmus.dev/answered': at, 'isthmus.dev/dotted-names': dotted } =
        decision.kind === 'keep' ? (decision.metadata.annotations ?? {}) : {};
      expect(dotted).toBe(at);
      return at;
    };
    const others = [{ clusterID: 'west', silentSince: '2026-11-22T11:50:00Z' }];
    expect([
      answeredAt('2026-11-22T11:59:15Z'),
      answeredAt('2026-11-22T11:59:25Z'),
      answeredAt('2026-11-22T11:58:00Z'),
      answeredAt('2026-11-22T11:59:15Z', { others }),
      answeredAt('2026-11-22T11:59:15Z', { clusterSet: 'acme' }),
    ]).toEqual([
      '2026-11-22T11:59:00Z',
      '2026-11-22T11:59:25Z',
      '2026-11-22T11:58:00Z',
      '2026-11-22T11:59:15Z',
      '2026-11-22T11:59:15Z',
    ]);
  });

  it.each([
    ['an Antrea member wrote the beat', { 'touch-ts': '2026-11-22T11:59:00Z' }],
    ['the mark is of an earlier beat', { 'touch-ts': '2026-11-22T11:59:00Z', 'isthmus.dev/marks-at': 'earlier' }],
    ['there is no beat', {}],
  ])('is not answered where %s', (_, annotations) => {
    const decision = decide({ announce: announce({ annotations }) });
    expect(decision.kind === 'keep' ? decision.metadata.annotations : undefined).toEqual(annotations);
  });

  it('keeps its finalizers as they are once the leader has its own there', () => {
    const finalizers = [ours, 'a/b'];
    expect(decide({ announce: announce({ finalizers }) })).toMatchObject({ kind: 'keep', metadata: { finalizers } });
  });

  it.each([
    ['beats', 0, 31 * second],
    ['is silent for 30 s', 30 * second, 31 * second],
    ['is silent for longer', 31 * second, 3_600_000],
  ])('is looked at again in time where the member %s', (_, silentMs, lookAgainMs) => {
    expect(decide({}, silentMs)).toMatchObject({ kind: 'keep', lookAgainMs });
  });

  it('is forgotten after a day of silence', () => {
    expect([decide({}, day).kind, decide({}, day + 1).kind]).toEqual(['keep', 'forget']);
  });

  it('is forgotten by a leader that has just started where its time stamp is a day old', () => {
    const sighting = { beat: 'x', atMs: 0, seenBeating: false };
    const touched = (time: string) => announce({ annotations: { 'touch-ts': time } });
    const kind = (time: string) => decide({ announce: touched(time), sighting, nowMonotonicMs: 40 * second }).kind;
    expect([kind('2026-11-21T11:59:59Z'), kind('2026-11-21T12:00:01Z')]).toEqual(['forget', 'keep']);
  });
});

describe('an announcement that is being deleted', () => {
  const leaving = announce({
    deletionTimestamp: deleted,
    finalizers: [ours, 'a/b'],
    annotations: { 'isthmus.dev/withdrawn': deleted },
  });
  const unmarked = announce({ deletionTimestamp: deleted, finalizers: [ours, 'a/b'] });

  it('is released without its exports where its member goes on beating: somebody else deleted it', () => {
    const decision = decide({ announce: unmarked, exports: [exported('stands')], deletedMs: undefined });
    expect(decision).toEqual({ kind: 'release', finalizers: ['a/b'] });
  });

  it('is marked as withdrawn by the leader where its member has not beaten for 20 s since', () => {
    const after = (deletedMs: number) => decide({ announce: unmarked, exports: [exported('stands')], deletedMs });
    expect([after(0), after(19_999), after(20_000)]).toEqual([
      { kind: 'wait', forMs: 20_000 },
      { kind: 'wait', forMs: 1 },
      { kind: 'mark' },
    ]);
  });

  it('waits until nothing is published of its member any more', () => {
    expect(decide({ announce: leaving, published: true })).toEqual({ kind: 'purge', exports: [] });
  });

  it('waits for all exports of its member, and has those deleted that are not yet', () => {
    const exports = [
      exported('stands'),
      exported('going', { deletionTimestamp: deleted, finalizers: [Finalizer.resourceExport] }),
    ];
    expect(decide({ announce: leaving, exports })).toEqual({ kind: 'purge', exports: [exports[0]] });
  });

  it.each([Finalizer.resourceExport, Finalizer.legacyResourceExport])(
    'waits for an export that the leader has not withdrawn yet (%s)',
    (finalizer) => {
      const exports = [exported('going', { deletionTimestamp: deleted, finalizers: [finalizer] })];
      expect(decide({ announce: leaving, exports })).toEqual({ kind: 'purge', exports: [] });
    },
  );

  it.each([
    ['nothing is exported', []],
    [
      'an export is held by the finalizer of somebody else',
      [exported('going', { deletionTimestamp: deleted, finalizers: ['a/b'] })],
    ],
  ])("loses the leader's finalizer alone where %s", (_, exports) => {
    expect(decide({ announce: leaving, exports })).toEqual({ kind: 'release', finalizers: ['a/b'] });
  });

  it('is not forgotten, however long its member has been silent', () => {
    expect(decide({ announce: leaving }, 2 * day).kind).toBe('release');
  });
});

describe('an announcement that speaks for no cluster', () => {
  const impostor = (metadata: object) => ({ ...announce({ name: 'impostor', ...metadata }) });

  it('is rejected and left as it is', () => {
    expect(decide({ announce: impostor({}), exports: [exported('stands')] })).toEqual({
      kind: 'reject',
      reason: 'InvalidAnnounce',
      message: 'MemberClusterAnnounce impostor must be named member-announce-from-east for the cluster it announces',
    });
  });

  it("loses the leader's finalizer when it goes, also where its cluster ID was changed since", () => {
    const announce = impostor({ deletionTimestamp: deleted, finalizers: [memberAnnounceFinalizer('west'), 'a/b'] });
    expect(decide({ announce })).toEqual({ kind: 'release', finalizers: ['a/b'] });
  });

  it('purges nothing when it goes', () => {
    const announce = impostor({ deletionTimestamp: deleted, finalizers: [ours] });
    expect(decide({ announce, exports: [exported('stands')] })).toEqual({ kind: 'release', finalizers: [] });
  });
});
