import type { MemberClusterAnnounce } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { wireAtBeat, wireOf } from './wire-number.ts';

const beat = '2026-11-21T12:00:00Z';
const announced = (annotations: Readonly<Record<string, string>>): MemberClusterAnnounce => ({
  metadata: { name: 'member-announce-from-west', annotations },
  clusterID: 'west',
});

describe('the wire that a member speaks', () => {
  it.each([
    ['this version', wireAtBeat(beat), 2],
    ['a later one', `17 ${beat}`, 17],
    ['0.1.0', '1', 1],
    ["ours, and Antrea's since", '2 2026-11-21T11:59:50Z', 0],
    ['a text that is not a number', `two ${beat}`, 1],
    ['a number with a sign', `-2 ${beat}`, 1],
    ['a number of any length', `${'9'.repeat(400)} ${beat}`, 1],
    ['nothing', '', 1],
  ])('is, by the annotation of %s, known for this heartbeat', (_, wire, number) => {
    expect(wireOf(announced({ 'touch-ts': beat, 'isthmus.dev/wire': wire }))).toBe(number);
  });

  it("is Antrea's where it announces none", () => {
    expect(wireOf(announced({ 'touch-ts': beat }))).toBe(0);
  });

  it('is not known without a heartbeat', () => {
    expect(wireOf(announced({ 'isthmus.dev/wire': '2 ' }))).toBe(0);
  });
});
