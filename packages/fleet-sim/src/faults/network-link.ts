import type { ByteQueue } from '@isthmus/sandbox';
import { connectionError } from './made-up-answers.ts';
import { Waiters } from './waiters.ts';

/** The way of packets between a client and a server. */
export class NetworkLink {
  /** The open streams, which break with the link. */
  readonly streams = new Set<ByteQueue>();
  readonly #waiters = new Waiters();
  #state: 'up' | 'refuse' | 'silence' = 'up';
  #dead = false;

  /** Whether the process at its end has died: nothing leaves or arrives any more. */
  get dead(): boolean {
    return this.#dead;
  }

  die(): void {
    this.#dead = true;
  }

  /**
   * Waits until the link carries packets; if the process has died, until the signal aborts. Errors:
   * rejects if the link refuses connections.
   */
  async up(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#state === 'refuse' && !this.#dead)
        throw connectionError('ECONNREFUSED', 'connect ECONNREFUSED: the link is cut');
      if (this.#state === 'up' && !this.#dead) return;
      await this.#waiters.wait(signal);
    }
  }

  cut(how: 'refuse' | 'silence'): void {
    this.#state = how;
    if (how !== 'refuse') return;
    for (const stream of Array.from(this.streams))
      stream.fail(connectionError('ECONNRESET', 'read ECONNRESET: the link was cut'));
    this.#waiters.release();
  }

  heal(): void {
    this.#state = 'up';
    this.#waiters.release();
  }
}
