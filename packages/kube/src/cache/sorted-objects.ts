/**
 * Objects by key, readable in the bytewise order of their keys. The order is worked out when it is
 * asked for and kept until a key comes or goes; a changed object under a known key costs no
 * sorting.
 *
 * Cost: put and remove O(1); `values` O(1) when nothing changed, otherwise O(n) plus the sorting of
 * the new keys.
 */
export class SortedObjects<T> {
  readonly #byKey = new Map<string, T>();
  #order: readonly string[] = [];
  #added = new Set<string>();
  #removed = false;
  #values: readonly T[] | undefined = [];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  put(key: string, object: T): void {
    if (!this.#byKey.has(key)) this.#added.add(key);
    this.#byKey.set(key, object);
    this.#values = undefined;
  }

  remove(key: string): void {
    if (!this.#byKey.delete(key)) return;
    if (!this.#added.delete(key)) this.#removed = true;
    this.#values = undefined;
  }

  /** A frozen snapshot: later changes do not touch it. */
  values(): readonly T[] {
    this.#values ??= Object.freeze(this.#keys().map((key) => this.#byKey.get(key) as T));
    return this.#values;
  }

  #keys(): readonly string[] {
    if (this.#removed) {
      // A key that was removed and put again is among the added ones, so it must not be in the old
      // order too.
      this.#order = this.#order.filter((key) => this.#byKey.has(key) && !this.#added.has(key));
      this.#removed = false;
    }
    if (this.#added.size > 0) {
      this.#order = merged(this.#order, [...this.#added].sort(bytewise));
      this.#added = new Set();
    }
    return this.#order;
  }
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function merged(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0) return b;
  const all: string[] = [];
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined || right !== undefined; left = a[i], right = b[j]) {
    if (right === undefined || (left !== undefined && left < right)) {
      all.push(left as string);
      i++;
    } else {
      all.push(right);
      j++;
    }
  }
  return all;
}
