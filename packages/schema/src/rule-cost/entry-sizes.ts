import type { Size } from './saturating.ts';
import { eitherSize } from './saturating.ts';

/** How large the entries of a list or map can be that an expression makes. */
export interface EntrySizes {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

/** The entries of both; unknown where one is. */
export function eitherEntry(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: eitherSize(a.key, b.key), value: eitherSize(a.value, b.value) };
}
