import { abortable } from './abortable.ts';

/** Requests and streams that wait for the same change. */
export class Waiters {
  readonly #resolves = new Set<() => void>();

  /** Waits for the next {@link release}. Rejects if the signal aborts first. */
  wait(signal: AbortSignal): Promise<void> {
    return abortable(signal, (resolve) => {
      this.#resolves.add(resolve);
      return () => this.#resolves.delete(resolve);
    });
  }

  /** Continues all that wait now. */
  release(): void {
    const resolves = Array.from(this.#resolves);
    this.#resolves.clear();
    for (const resolve of resolves) resolve();
  }
}
