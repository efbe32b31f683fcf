/** How much of what one owner makes is kept. */
export interface OwnerLimits {
  /** The most objects of one owner. */
  readonly objects: number;
  /** The most bytes of one owner, as JSON. */
  readonly bytes: number;
  /**
   * The most bytes of all owners together. If they have more, the owners with the most bytes are
   * cut to equal shares.
   */
  readonly allBytes: number;
}

/** The usage of one owner, and how much of it is over the limits. */
export interface OwnerUsage {
  readonly owner: string;
  readonly objects: number;
  readonly bytes: number;
  readonly objectsOver: number;
}

export interface OwnedSize {
  readonly owner: string;
  /** Sorts objects by age, the oldest first; the key decides between equal ones. */
  readonly age: string;
  readonly bytes: number;
}

/** Keys of other objects for which the answer has changed. */
export interface Moved {
  readonly out: readonly string[];
  readonly in: readonly string[];
}

interface Entry extends OwnedSize {
  readonly key: string;
}

interface Account {
  /** The oldest first. */
  readonly entries: Entry[];
  bytes: number;
  /** How many of the entries, from the first, are within the limits, and their bytes. */
  within: number;
  bytesWithin: number;
}

/**
 * Decides which objects are within the limits of their owners: for each owner the oldest, up to the
 * first that exceeds a limit. So the result depends on the objects, not on the order in which they
 * come, and a new object never replaces an older one.
 *
 * Cost: O(log n) comparisons for a change. The bytes of all owners together are shared again after
 * their demand has changed by a hundredth.
 */
export class LimitedOwners {
  readonly #limits: OwnerLimits;
  readonly #accounts = new Map<string, Account>();
  readonly #sizes = new Map<string, OwnedSize>();
  /** The bytes that all owners would keep if only the limits of each counted. */
  #demand = 0;
  #sharedDemand = 0;
  #share: number;

  constructor(limits: OwnerLimits) {
    this.#limits = limits;
    this.#share = limits.bytes;
  }

  /** Takes the object, or its present size, into account. */
  put(key: string, size: OwnedSize): Moved {
    const moved = { out: [], in: [] };
    const before = this.#sizes.get(key);
    if (before !== undefined) this.#take(key, before);
    this.#add({ key, ...size });
    if (before !== undefined && before.owner !== size.owner) this.#fit(before.owner, moved);
    this.#fit(size.owner, moved);
    this.#shareAnew(moved);
    return newsOf(moved, key);
  }

  remove(key: string): Moved {
    const moved = { out: [], in: [] };
    const before = this.#sizes.get(key);
    if (before === undefined) return moved;
    this.#take(key, before);
    this.#fit(before.owner, moved);
    this.#shareAnew(moved);
    return moved;
  }

  isWithin(key: string): boolean {
    const size = this.#sizes.get(key);
    const account = size === undefined ? undefined : this.#accounts.get(size.owner);
    if (size === undefined || account === undefined) return true;
    return indexOf(account.entries, { key, ...size }) < account.within;
  }

  /** The owners that have more than is kept of them, by name. */
  over(): readonly OwnerUsage[] {
    const found: OwnerUsage[] = [];
    for (const [owner, { entries, bytes, within }] of this.#accounts) {
      if (within === entries.length) continue;
      found.push({ owner, objects: entries.length, bytes, objectsOver: entries.length - within });
    }
    return found.toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
  }

  #add(entry: Entry): void {
    const { key, owner, bytes } = entry;
    let account = this.#accounts.get(owner);
    if (account === undefined) {
      account = { entries: [], bytes: 0, within: 0, bytesWithin: 0 };
      this.#accounts.set(owner, account);
    }
    const at = indexOf(account.entries, entry);
    account.entries.splice(at, 0, entry);
    this.#resize(account, bytes);
    if (at < account.within) {
      account.within++;
      account.bytesWithin += bytes;
    }
    this.#sizes.set(key, entry);
  }

  #take(key: string, size: OwnedSize): void {
    this.#sizes.delete(key);
    const account = this.#accounts.get(size.owner);
    if (account === undefined) return;
    const at = indexOf(account.entries, { key, ...size });
    account.entries.splice(at, 1);
    this.#resize(account, -size.bytes);
    if (at < account.within) {
      account.within--;
      account.bytesWithin -= size.bytes;
    }
    if (account.entries.length === 0) this.#accounts.delete(size.owner);
  }

  #resize(account: Account, byBytes: number): void {
    const { bytes: most } = this.#limits;
    this.#demand -= Math.min(most, account.bytes);
    account.bytes += byBytes;
    this.#demand += Math.min(most, account.bytes);
  }

  #fit(owner: string, moved: { readonly out: string[]; readonly in: string[] }): void {
    const account = this.#accounts.get(owner);
    if (account === undefined) return;
    const { entries } = account;
    while (account.within > this.#limits.objects || account.bytesWithin > this.#share) {
      const entry = entries[--account.within];
      if (entry === undefined) throw new Error(`more objects of ${owner} are kept than there are`);
      account.bytesWithin -= entry.bytes;
      moved.out.push(entry.key);
    }
    for (let next = entries[account.within]; next !== undefined; next = entries[account.within]) {
      if (account.within === this.#limits.objects || account.bytesWithin + next.bytes > this.#share) return;
      account.within++;
      account.bytesWithin += next.bytes;
      moved.in.push(next.key);
    }
  }

  #shareAnew(moved: { readonly out: string[]; readonly in: string[] }): void {
    const { bytes, allBytes } = this.#limits;
    const isAll = this.#share === bytes && this.#demand <= allBytes;
    if (isAll || Math.abs(this.#demand - this.#sharedDemand) < allBytes / 100) return;
    this.#sharedDemand = this.#demand;
    this.#share = fairShare(
      [...this.#accounts.values()].map((account) => Math.min(bytes, account.bytes)),
      allBytes,
      bytes,
    );
    for (const owner of this.#accounts.keys()) this.#fit(owner, moved);
  }
}

/**
 * The most that each may have, so that together they have no more than `all`: who needs less leaves
 * the rest to the others.
 */
function fairShare(needs: readonly number[], all: number, most: number): number {
  let left = all;
  const sorted = needs.toSorted((a, b) => a - b);
  for (const [index, need] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (need > share) return Math.min(most, share);
    left -= need;
  }
  return most;
}

/**
 * Without the object itself, about which the caller asks, and without what moved out and in again.
 */
function newsOf(moved: Moved, key: string): Moved {
  const [out, back] = [new Set(moved.out), new Set(moved.in)];
  return {
    out: moved.out.filter((one) => one !== key && !back.has(one)),
    in: moved.in.filter((one) => one !== key && !out.has(one)),
  };
}

/** The index of the entry, or of its place if it is missing. */
function indexOf(entries: readonly Entry[], entry: Pick<Entry, 'age' | 'key'>): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = entries[middle];
    const isBefore = at !== undefined && (at.age === entry.age ? at.key < entry.key : at.age < entry.age);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}
