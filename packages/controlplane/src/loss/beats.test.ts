import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, memberAnnounceName } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBeats } from './beats.ts';

const clusters = ['east', 'west', 'south'];
const clockAtStart = () => createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });

function announceOf(
  clusterID: string,
  { name = memberAnnounceName(clusterID), beat = '', deleted = false, left = '', restoring = false },
): MemberClusterAnnounce {
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MemberClusterAnnounce',
    metadata: {
      name,
      namespace: 'area',
      annotations: {
        [Annotation.touchTs]: beat,
        [Annotation.marksAt]: beat,
        ...(restoring && { [Annotation.restoring]: beat }),
        ...(left !== '' && { [Annotation.left]: `${left}=2026-11-21T09:00:00Z` }),
      },
      deletionTimestamp: deleted ? '2026-11-21T10:00:00Z' : undefined,
    },
    clusterID,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
  };
}

describe('beats of members', () => {
  it('a member is heard from its second beat on, and not for the time after it fell silent', async () => {
    const clock = clockAtStart();
    const beats = createBeats(clock);
    const name = memberAnnounceName('east');
    for (const beat of ['1', '2', '3']) {
      beats.noteOne(name, announceOf('east', { beat }));
      expect(beats.connectedMs(['east'])).toBe({ 1: undefined, 2: 0, 3: 10_000 }[beat]);
      await clock.advance(10_000);
    }
    await clock.advance(3_600_000);
    expect(beats.connectedMs(['east'])).toBeUndefined();
    expect(beats.marks('east')).toBe(true);
    beats.noteOne(name, undefined);
    expect(beats.marks('east')).toBeUndefined();
  });

  it('a silent member has left where our own announcement contains it, whatever those of others contain', () => {
    const clock = clockAtStart();
    const own = memberAnnounceName('east');
    const [member, leader] = [createBeats(clock, own), createBeats(clock)];
    const connected = () => [member, leader].map((beats) => beats.connectedMs(['west']));
    for (const beats of [member, leader]) beats.note([announceOf('east', {}), announceOf('south', { left: 'west' })]);
    expect(connected()).toEqual([undefined, undefined]);
    for (const beats of [member, leader]) beats.noteOne(own, announceOf('east', { left: 'west' }));
    expect(connected()).toEqual([Number.POSITIVE_INFINITY, undefined]);
  });

  it('a member is heard without a break where its beats are thirty seconds apart, and again where more', async () => {
    const clock = clockAtStart();
    const beats = createBeats(clock);
    const beat = (text: string, restoring = false) =>
      beats.noteOne(memberAnnounceName('east'), announceOf('east', { beat: text, restoring }));
    for (const text of ['1', '2', '3']) {
      beat(text);
      await clock.advance(30_000);
    }
    expect(beats.connectedMs(['east'])).toBe(60_000);
    await clock.advance(1);
    expect(beats.connectedMs(['east'])).toBeUndefined();
    beat('4');
    expect(beats.connectedMs(['east'])).toBe(0);
    beat('5', true);
    await clock.advance(30_000);
    expect(beats.restoring(['east'])).toBe('exporter');
    await clock.advance(1);
    expect(beats.restoring(['east'])).toBeUndefined();
  });

  it('an announcement that is written again without a new beat states nothing new', async () => {
    const clock = clockAtStart();
    const beats = createBeats(clock);
    for (const beat of ['1', '2', '2', '2', '2']) {
      beats.noteOne(memberAnnounceName('east'), announceOf('east', { beat }));
      await clock.advance(10_000);
    }
    expect(beats.connectedMs(['east'])).toBeUndefined();
  });

  it('without names all that announce themselves are to be heard, and only these', async () => {
    const clock = clockAtStart();
    const beats = createBeats(clock);
    const note = (...all: readonly MemberClusterAnnounce[]) => beats.note(all);
    expect(beats.connectedMs([])).toBeUndefined();
    const foreign = announceOf('west', { name: memberAnnounceName('south'), beat: '1' });
    note(announceOf('east', { beat: '1' }), foreign);
    await clock.advance(1_000);
    note(announceOf('east', { beat: '2' }), foreign, announceOf('west', { beat: '1', deleted: true }));
    expect([beats.connectedMs([]), beats.marks('west')]).toEqual([0, undefined]);
    note(announceOf('east', { beat: '3' }), announceOf('west', { beat: '1' }));
    expect(beats.connectedMs([])).toBeUndefined();
    note(announceOf('east', { beat: '3' }));
    expect(beats.connectedMs([])).toBe(0);
    note();
    expect([beats.connectedMs(['east']), beats.marks('east')]).toEqual([undefined, undefined]);
  });

  it('another member that restores exports is enough, and our own departures end with our announcement', () => {
    const beats = createBeats(clockAtStart(), memberAnnounceName('east'));
    beats.note([announceOf('east', { beat: '1', left: 'west' }), announceOf('south', { beat: '1', restoring: true })]);
    expect(beats.restoring(['east'])).toBe('other');
    expect(beats.connectedMs(['west'])).toBe(Number.POSITIVE_INFINITY);
    beats.noteOne(memberAnnounceName('east'), undefined);
    expect(beats.connectedMs(['west'])).toBeUndefined();
  });

  it('an announcement that has lost its annotations does not declare that its member withdraws without marks', () => {
    const beats = createBeats(clockAtStart());
    const name = memberAnnounceName('east');
    beats.noteOne(name, announceOf('east', {}));
    expect(beats.marks('east')).toBeUndefined();
    beats.noteOne(name, announceOf('east', { beat: '1' }));
    beats.noteOne(name, announceOf('east', {}));
    expect(beats.marks('east')).toBe(true);
  });

  it('a member has exports to restore until a later beat does not announce it, or until it falls silent', async () => {
    const clock = clockAtStart();
    const beats = createBeats(clock);
    const name = memberAnnounceName('east');
    const look = (beat: string, restoring: boolean) => {
      beats.noteOne(name, announceOf('east', { beat, restoring }));
      return [['east', 'west'], ['west'], []].map((clusterIDs) => beats.restoring(clusterIDs));
    };
    const [nobody, east] = [
      [undefined, undefined, undefined],
      ['exporter', 'other', 'other'],
    ];
    expect([look('1', true), look('2', true), look('3', false), look('4', true)]).toEqual([east, east, nobody, east]);
    await clock.advance(30_001);
    expect(beats.restoring(['east'])).toBeUndefined();
  });

  it('are the same whether all announcements are noted after a change or the one that changed', async () => {
    const change = fc.record({
      clusterID: fc.constantFrom(...clusters),
      named: fc.constantFrom(...clusters),
      gone: fc.boolean(),
      beat: fc.constantFrom('1', '2', '3'),
      deleted: fc.boolean(),
      left: fc.constantFrom('', ...clusters),
      restoring: fc.boolean(),
      afterMs: fc.nat({ max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change), async (changes) => {
        const clock = clockAtStart();
        const own = memberAnnounceName('east');
        const [all, one] = [createBeats(clock, own), createBeats(clock, own)];
        const announces = new Map<string, MemberClusterAnnounce>();
        for (const { clusterID, named, gone, afterMs, ...rest } of changes) {
          await clock.advance(afterMs);
          const name = memberAnnounceName(named);
          if (gone) announces.delete(name);
          else announces.set(name, announceOf(clusterID, { ...rest, name }));
          all.note([...announces.values()]);
          one.noteOne(name, announces.get(name));
          for (const ids of [[], ...clusters.map((id) => [id])])
            expect(one.connectedMs(ids)).toBe(all.connectedMs(ids));
          for (const id of clusters) expect(one.marks(id)).toBe(all.marks(id));
          for (const ids of [[], ['east']]) expect(one.restoring(ids)).toBe(all.restoring(ids));
        }
      }),
    );
  });
});
