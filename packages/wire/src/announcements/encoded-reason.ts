import { isConditionReason } from '../conditions.ts';
import { recordOf } from '../untrusted.ts';

/**
 * A reason and its message, as an annotation contains them for another cluster. A later version may
 * have other reasons.
 */
export interface EncodedReason {
  readonly reason: string;
  readonly message: string;
}

const longest = 8_192;

/** The value of the annotation. */
export function encodeReason({ reason, message }: EncodedReason): string {
  return JSON.stringify({ reason, message });
}

/** The content of the annotation; undefined if it is absent or not well-formed. */
export function decodeReason(text: string | undefined): EncodedReason | undefined {
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
