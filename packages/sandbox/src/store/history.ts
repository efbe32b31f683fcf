import type { Clock } from '@isthmus/machinery';
import type { StoredChange } from './stored.ts';

/** The changes of the last one to two spans of time, by resource. */
export class History<Change extends StoredChange> {
  readonly #clock: Clock;
  #byResource = new Map<string, Change[]>();
  #compactedTo = 0;
  /**
   * The last resourceVersion at the previous compaction, and its time. Changes up to it are dropped
   * at the next one.
   */
  #mark: { readonly resourceVersion: number; readonly at: number };

  readonly #compactEveryMs: number;

  /** `compactEveryMs`: how long a change is remembered at least, and how often the old ones go. */
  constructor(clock: Clock, compactEveryMs: number) {
    this.#clock = clock;
    this.#compactEveryMs = compactEveryMs;
    this.#mark = { resourceVersion: 0, at: clock.monotonic() };
  }

  get compactedTo(): number {
    return this.#compactedTo;
  }

  /** Needs no timer: each write looks whether it is time to forget. */
  add(change: Change): void {
    const at = this.#clock.monotonic();
    if (at - this.#mark.at >= this.#compactEveryMs) {
      this.compact(this.#mark.resourceVersion);
      this.#mark = { resourceVersion: change.resourceVersion - 1, at };
    }
    const changes = this.#byResource.get(change.storageKey);
    if (changes === undefined) this.#byResource.set(change.storageKey, [change]);
    else changes.push(change);
  }

  since(storageKey: string, resourceVersion: number): readonly Change[] {
    const changes = this.#byResource.get(storageKey) ?? [];
    return changes.slice(firstAfter(changes, resourceVersion));
  }

  compact(resourceVersion: number): void {
    if (resourceVersion <= this.#compactedTo) return;
    this.#compactedTo = resourceVersion;
    this.#byResource = new Map(
      Array.from(this.#byResource, ([storageKey, changes]) => [
        storageKey,
        changes.slice(firstAfter(changes, resourceVersion)),
      ]),
    );
  }
}

/**
 * The index of the first change after a resourceVersion. Changes are in the order of their
 * versions.
 */
function firstAfter(changes: readonly StoredChange[], resourceVersion: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.resourceVersion ?? Number.POSITIVE_INFINITY) <= resourceVersion) low = middle + 1;
    else high = middle;
  }
  return low;
}
