import type { EndpointSlice, ResourceImport } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { readImports, sliceSourceOf } from '@isthmus/wire';
import type { ReadOptions, RemoteService } from '@isthmus/wire';

/**
 * How long one of our leaders may take from the withdrawal of one cluster's endpoints to the merged
 * list without them.
 */
const graceMs = 2_000;

/**
 * Reads imports. If a merged list has only additions to the imports of single clusters, it is not
 * used at once.
 */
export interface MergedLists {
  /**
   * `existing`: the EndpointSlices of the import in this cluster. `lookAgainMs`: when the list will
   * be used if nothing changes.
   */
  read(
    key: string,
    imports: readonly ResourceImport[],
    existing: readonly EndpointSlice[],
    /** See {@link readImports}. */
    parts?: ReadOptions['existing'],
  ): { readonly offered: RemoteService; readonly lookAgainMs: number | undefined };
}

/** Remembers since when lists have additions. A restart loses it, which costs the wait. */
export function createMergedLists({ monotonic }: Pick<Clock, 'monotonic'>): MergedLists {
  const since = new Map<string, number>();
  return {
    read(key, imports, existing, parts) {
      const offered = readImports(imports, { existing: parts });
      // A slice without source was made from a list that was used before.
      const wasMergedUsed = existing.some((slice) => sliceSourceOf(slice) === undefined);
      if (offered.incomplete !== true && !(offered.arriving === true && wasMergedUsed)) {
        since.delete(key);
        return { offered, lookAgainMs: undefined };
      }
      const sinceMs = since.get(key) ?? monotonic();
      since.set(key, sinceMs);
      const leftMs = wasMergedUsed ? 0 : sinceMs + graceMs - monotonic();
      return leftMs > 0
        ? { offered, lookAgainMs: leftMs }
        : { offered: readImports(imports, { preferMerged: true, existing: parts }), lookAgainMs: undefined };
    },
  };
}
