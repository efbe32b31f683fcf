import type { MemberClusterAnnounce } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { readersOf } from './readers.ts';

const touchTs = '2026-11-21T12:00:00Z';
const member = (clusterID: string, wire?: string): MemberClusterAnnounce => ({
  metadata: {
    name: `member-announce-from-${clusterID}`,
    annotations: { 'touch-ts': touchTs, ...(wire === undefined ? {} : { 'isthmus.dev/wire': wire }) },
  },
  clusterID,
});

describe('what a leader writes', () => {
  it.each([
    ['nobody that is known', [], undefined, []],
    ['members of this version', [member('east', `2 ${touchTs}`)], true, ['east']],
    ['and Antrea members', [member('east', `2 ${touchTs}`), member('west')], true, ['east']],
    ['and one of 0.1.0', [member('east', `2 ${touchTs}`), member('west', '1')], false, ['east']],
    ['and an Antrea member in the place of ours', [member('east', '2 2020-01-01T00:00:00Z')], true, []],
  ])('has its readers in %s', (_, announces, allReadMerged, unanswered) => {
    expect(readersOf(announces)).toEqual({ allReadMerged, unanswered: new Set(unanswered) });
  });
});
