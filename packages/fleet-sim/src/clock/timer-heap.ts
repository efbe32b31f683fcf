/**
 * A callback and the moment at which it is due.
 */
export interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

interface Entry extends Timer {
  readonly sequence: number;
  cancelled: boolean;
}

/**
 * Timers by (time, order of setting). Setting and taking cost O(log n), cancelling O(1) over time.
 */
export class TimerHeap {
  #entries: Entry[] = [];
  #sequence = 0;
  #live = 0;

  /** Timers neither taken nor cancelled. */
  get size(): number {
    return this.#live;
  }

  /** The returned function cancels; it does nothing once the timer was taken. */
  push(at: number, callback: () => void): () => void {
    const entry: Entry = { at, callback, sequence: this.#sequence++, cancelled: false };
    this.#entries.push(entry);
    this.#up(this.#entries.length - 1);
    this.#live++;
    return () => this.#cancel(entry);
  }

  /** The first timer, which stays. */
  peek(): Timer | undefined {
    while (this.#entries[0]?.cancelled === true) this.#shift();
    return this.#entries[0];
  }

  /** Takes the first timer. */
  pop(): Timer | undefined {
    if (this.peek() === undefined) return undefined;
    const entry = this.#shift();
    if (entry !== undefined) {
      entry.cancelled = true;
      this.#live--;
    }
    return entry;
  }

  #cancel(entry: Entry): void {
    if (entry.cancelled) return;
    entry.cancelled = true;
    this.#live--;
    // Most timeouts are cancelled long before they are due: without this they would accumulate.
    if (this.#entries.length > 64 && this.#live * 2 < this.#entries.length) {
      this.#entries = this.#entries.filter((each) => !each.cancelled).sort((a, b) => (before(a, b) ? -1 : 1));
    }
  }

  #shift(): Entry | undefined {
    const first = this.#entries[0];
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) {
      this.#entries[0] = last;
      this.#down();
    }
    return first;
  }

  #up(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #down(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const [l, r] = [this.#entries[left], this.#entries[right]];
      if (l === undefined) return;
      const least = r !== undefined && before(r, l) ? right : left;
      if (!this.#swapIfBefore(least, index)) return;
      index = least;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [c, p] = [this.#entries[child], this.#entries[parent]];
    if (c === undefined || p === undefined || !before(c, p)) return false;
    this.#entries[child] = p;
    this.#entries[parent] = c;
    return true;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at !== b.at ? a.at < b.at : a.sequence < b.sequence;
}
