import type { CommonArea } from '../../common-area/common-area.ts';
import { createTally } from '../../reporting/tally.ts';
import type { MemberWritesOptions } from './member-writes.ts';
import { createMemberWrites } from './member-writes.ts';

/** What a leader knows of members that write too much. */
export function createSuspensions(options: MemberWritesOptions): CommonArea['suspensions'] {
  return { writes: createMemberWrites(options), suspended: createTally(), failed: createTally() };
}
