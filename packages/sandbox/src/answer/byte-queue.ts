/**
 * A response body in memory: bytes are pushed on one side and read on the other, in chunks as they
 * were pushed. For one reader. Nothing is lost that is pushed before the reading starts.
 */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #onEnd: (() => void)[] = [];
  #state:
    | { readonly kind: 'open' }
    | { readonly kind: 'ended' }
    | { readonly kind: 'failed'; readonly error: unknown } = { kind: 'open' };
  #wake: (() => void) | undefined;
  #waitingBytes = 0;
  #bound: { readonly extraBytes: number; limitBytes: number } | undefined;

  get isOpen(): boolean {
    return this.#state.kind === 'open';
  }

  push(chunk: string | Uint8Array): void {
    if (!this.isOpen) return;
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    this.#chunks.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake?.();
    if (this.#bound !== undefined && this.#waitingBytes > this.#bound.limitBytes) this.end();
  }

  /**
   * Limits the unread bytes to `extraBytes` more than those that wait now; more end the queue. The
   * bytes that wait now count until they are read.
   */
  bound(extraBytes: number): void {
    this.#bound = { extraBytes, limitBytes: this.#waitingBytes + extraBytes };
  }

  /** The reader gets the pushed bytes, then the end. */
  end(): void {
    this.#finish({ kind: 'ended' });
  }

  /** The reader gets the pushed bytes, then the error: the connection broke. */
  fail(error: unknown): void {
    this.#finish({ kind: 'failed', error });
  }

  /** The reader gets the error next: it has ended the body itself. */
  abort(error: unknown): void {
    if (this.isOpen) this.#chunks.length = 0;
    this.#finish({ kind: 'failed', error });
  }

  /** Runs once, when the queue ends, fails, or its reader leaves. */
  onEnd(callback: () => void): void {
    if (this.isOpen) this.#onEnd.push(callback);
    else callback();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        while (this.#chunks.length === 0 && this.isOpen) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
        const value = this.#chunks.shift();
        if (value !== undefined) {
          this.#waitingBytes -= value.length;
          const bound = this.#bound;
          if (bound !== undefined) bound.limitBytes = Math.min(bound.limitBytes, this.#waitingBytes + bound.extraBytes);
          return { done: false, value };
        }
        if (this.#state.kind === 'failed') throw this.#state.error;
        return { done: true, value: undefined };
      },
      return: async () => {
        this.#chunks.length = 0;
        this.end();
        return { done: true, value: undefined };
      },
    };
  }

  #finish(state: { readonly kind: 'ended' } | { readonly kind: 'failed'; readonly error: unknown }): void {
    if (!this.isOpen) return;
    this.#state = state;
    this.#wake?.();
    for (const callback of this.#onEnd.splice(0)) callback();
  }
}
