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
