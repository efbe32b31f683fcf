import type { ReasonOn, resourceExportStatus } from '@isthmus/api';
import { isConditionReason } from '../../conditions.ts';
import { recordOf } from '../../exchange/untrusted.ts';

/** What a leader found about ranges of a cluster, or of one that announces the same (docs/spec/wire.md §9). */
export interface NetworkConflict {
  readonly reason: ReasonOn<typeof resourceExportStatus, 'NetworkConflict=True'>;
  readonly message: string;
}

/** A later version may have other reasons. */
export interface ReadNetworkConflict {
  readonly reason: string;
  readonly message: string;
}

const longest = 8_192;

/** The value of the annotation on a ResourceImport. */
export function encodeNetworkConflict({ reason, message }: NetworkConflict): string {
  return JSON.stringify({ reason, message });
}

/** What the annotation says; undefined where it is absent or not well-formed. */
export function decodeNetworkConflict(text: string | undefined): ReadNetworkConflict | undefined {
  if (text === undefined || text.length > longest) return undefined;
  try {
    const { reason, message } = recordOf(JSON.parse(text)) ?? {};
    return typeof reason === 'string' && isConditionReason(reason) && typeof message === 'string'
      ? { reason, message }
      : undefined;
  } catch {
    return undefined;
  }
}
