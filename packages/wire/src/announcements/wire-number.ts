import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, wireNumber } from '@isthmus/api';

/** What a member writes with each beat: its number counts for that beat alone. */
export function wireAtBeat(touchTs: string): string {
  return `${wireNumber} ${touchTs}`;
}

/**
 * The number of the wire that a member speaks. 0: it speaks that of Antrea alone. It announces no number then, or the number of a member of ours before it: all
 * of ours write theirs with each beat, Antrea's write the beat alone. 1: it is one of ours that does not bind its number to its beats.
 */
export function wireOf({ metadata }: MemberClusterAnnounce): number {
  const { [Annotation.wire]: written, [Annotation.touchTs]: touchTs } = metadata.annotations ?? {};
  if (written === undefined) return 0;
  const [number = '', beat] = written.split(' ');
  if (beat === undefined || !/^[1-9][0-9]{0,5}$/.test(number)) return 1;
  return beat === touchTs ? Number(number) : 0;
}
