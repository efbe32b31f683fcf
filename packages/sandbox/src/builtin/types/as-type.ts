import type { Stored } from '../../store/stored.ts';
import { decodeTyped } from '../../typed/decode.ts';
import { builtInType } from './load.ts';

/**
 * An object that has been converted, as its new version writes it: which fields are written while
 * they are empty differs.
 */
export function asType(apiVersion: string, { metadata, kind, ...fields }: Stored): Stored {
  const { apiVersion: _, ...given } = fields;
  const read = decodeTyped(builtInType(apiVersion, kind), given);
  if (read.kind === 'refused') throw new Error(`converting ${kind} ${metadata.name} to ${apiVersion}: ${read.message}`);
  const { metadata: _metadata, ...rest } = read.object;
  return { ...rest, apiVersion, kind, metadata };
}
