import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import { abortable } from './abortable.ts';
import { Waiters } from './waiters.ts';

/** A server that can be stopped as SIGSTOP does. */
export class FreezableServer {
  readonly inner: Transport;
  readonly #waiters = new Waiters();
  #frozen = false;

  constructor(inner: Transport) {
    this.inner = inner;
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    this.#waiters.release();
  }

  /** Waits until the server runs. */
  async running(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (!this.#frozen) return;
      await this.#waiters.wait(signal);
    }
  }

  /**
   * Sends a request, which the server carries out now or when it thaws. A write that the server has
   * received is carried out even if its sender gives up.
   */
  async serve(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    if (!this.#frozen) return this.inner.send(request, signal);
    if (request.method === 'GET') {
      await this.running(signal);
      return this.inner.send(request, signal);
    }
    const never = new AbortController().signal;
    const sent = this.running(never).then(() => this.inner.send(request, never));
    return abortable<Promise<ApiResponse>>(signal, (resolve) => {
      sent.then(
        () => resolve(sent),
        () => resolve(sent),
      );
      return () => void sent.then(dropBody).catch(() => {});
    });
  }
}

/** Ends the body of an answer that is not read. */
export function dropBody({ body }: ApiResponse): Promise<unknown> | undefined {
  return body[Symbol.asyncIterator]().return?.();
}
