import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, wireNumber } from '@isthmus/api';

/**
 * The value that a member writes with each heartbeat: its number is valid for that heartbeat alone.
 */
export function wireAtBeat(touchTs: string): string {
  return `${wireNumber} ${touchTs}`;
}

/**
 * The number of the wire that a member uses.
 * - 0: Antrea's wire alone. The member announces no number, or an earlier member of ours left one.
 *   All members of ours write their number with each heartbeat; Antrea's write the heartbeat alone.
 * - 1: a member of ours that does not bind its number to its heartbeats.
 */
export function wireOf({ metadata }: MemberClusterAnnounce): number {
  const { [Annotation.wire]: written, [Annotation.touchTs]: touchTs } = metadata.annotations ?? {};
  if (written === undefined) return 0;
  const [number = '', beat] = written.split(' ');
  if (beat === undefined || !/^[1-9][0-9]{0,5}$/.test(number)) return 1;
  return beat === touchTs ? Number(number) : 0;
}
