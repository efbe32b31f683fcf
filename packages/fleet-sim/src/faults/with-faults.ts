import type { Clock } from '@isthmus/machinery';
import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import { ByteQueue } from '@isthmus/sandbox';
import type { Fault, FaultRule } from './fault.ts';
import { answer, connectionError, expiredWatch, refusal } from './made-up-answers.ts';

/**
 * The fate of the n-th write: `pass` sends it; `die-before` ends the process before it is sent;
 * `die-after` ends the process after it was applied and before the answer arrives.
 */
export type WriteVerdict = 'pass' | 'die-before' | 'die-after';

/** A transport that can be tormented. */
export interface FaultyTransport extends Transport {
  /**
   * Adds a rule. If several match, the one added first applies. Returns the function that removes
   * it.
   */
  add(rule: FaultRule): () => void;
  /**
   * Cuts the link. `refuse`: requests fail at once, open streams break. `silence`: packets vanish.
   * Then requests wait and open streams are silent, and all continue when the link heals.
   */
  cut(how: 'refuse' | 'silence'): void;
  heal(): void;
  /**
   * Stops the server as SIGSTOP does: it receives requests but answers none, and open streams are
   * silent. When it thaws, it carries out all requests that it received, including writes whose
   * senders have given up.
   */
  freeze(): void;
  thaw(): void;
  /**
   * Called before each write (POST, PUT, PATCH, DELETE) with its number, from 1. After a verdict to
   * die, nothing leaves or arrives here any more: pending requests wait for their signal. The test
   * must abort the process.
   */
  onWrite(decide: (n: number, request: ApiRequest) => WriteVerdict): void;
  /** The number of writes so far. */
  readonly writes: number;
  /** Whether the process has died by a verdict. */
  readonly dead: boolean;
}

/** `inner` with faults. Without rules it is `inner`. */
export function withFaults(inner: Transport, clock: Clock): FaultyTransport {
  const rules: { readonly rule: FaultRule; left: number }[] = [];
  const waiting = new Set<() => void>();
  const streams = new Set<ByteQueue>();
  let link: 'up' | 'refuse' | 'silence' = 'up';
  let decideWrite: (n: number, request: ApiRequest) => WriteVerdict = () => 'pass';
  let writes = 0;
  let dead = false;
  let frozen = false;
  const frozenWork = new Set<() => void>();

  function faultFor(request: ApiRequest): Fault | undefined {
    const found = rules.find(({ rule, left }) => left > 0 && rule.match(request));
    if (found === undefined) return undefined;
    found.left--;
    return found.rule.fault;
  }

  /** Until the link carries something again; never, when dead. */
  async function linkUp(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (link === 'refuse' && !dead) throw connectionError('ECONNREFUSED', 'connect ECONNREFUSED: the link is cut');
      if (link === 'up' && !dead) return;
      await abortable(signal, (resolve) => {
        waiting.add(resolve);
        return () => waiting.delete(resolve);
      });
    }
  }

  /** Until the server runs. */
  async function running(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (!frozen) return;
      await abortable(signal, (resolve) => {
        frozenWork.add(resolve);
        return () => frozenWork.delete(resolve);
      });
    }
  }

  /** The server does it, now or when it thaws. */
  async function served(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    if (!frozen) return inner.send(request, signal);
    if (request.method === 'GET') {
      await running(signal);
      return inner.send(request, signal);
    }
    const never = new AbortController().signal;
    const sent = running(never).then(() => inner.send(request, never));
    return abortable<Promise<ApiResponse>>(signal, (resolve) => {
      sent.then(
        () => resolve(sent),
        () => resolve(sent),
      );
      return () => void sent.then(({ body }) => body[Symbol.asyncIterator]().return?.()).catch(() => {});
    });
  }

  async function forward(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const response = await served(request, signal);
    // An answer with its whole body has arrived already.
    if (response.body instanceof ByteQueue && !response.body.isOpen) return response;
    return { ...response, body: relayed(response.body, signal, undefined) };
  }

  /** The body as the link lets it through: broken, held back, or ended after some lines. */
  function relayed(
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    limit: Limit | undefined,
  ): AsyncIterable<Uint8Array> {
    const out = new ByteQueue();
    const source = body[Symbol.asyncIterator]();
    streams.add(out);
    const onAbort = () => out.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    out.onEnd(() => {
      streams.delete(out);
      signal.removeEventListener('abort', onAbort);
      // The reader left or the stream broke, so the source is closed. An error of a source that is
      // already done is ignored.
      void source.return?.().catch(() => {});
    });
    void pump(source, out, signal, limit).catch((error: unknown) => out.fail(error));
    return out;
  }

  async function pump(
    source: AsyncIterator<Uint8Array>,
    out: ByteQueue,
    signal: AbortSignal,
    limit: Limit | undefined,
  ): Promise<void> {
    for (let lines = 0; ;) {
      if (limit !== undefined && lines >= limit.afterLines) {
        if (limit.kind === 'stall-stream') return;
        if (limit.kind === 'end-stream') return out.end();
        throw connectionError('ECONNRESET', `the stream broke after ${lines} lines`);
      }
      const next = await source.next();
      if (!out.isOpen) return;
      await linkUp(signal);
      await running(signal);
      if (next.done === true) return out.end();
      out.push(next.value);
      if (limit !== undefined) lines += next.value.reduce((count, byte) => count + (byte === newline ? 1 : 0), 0);
    }
  }

  async function suffer(fault: Fault, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    switch (fault.kind) {
      case 'latency':
        await abortable(signal, (resolve) => clock.after(fault.ms, resolve));
        await linkUp(signal);
        return forward(request, signal);
      case 'hang':
        return abortable<never>(signal, () => () => {});
      case 'refuse':
        throw connectionError('ECONNREFUSED', 'connect ECONNREFUSED: nobody listens');
      case 'status':
        return refusal(fault.code, fault);
      case 'lose-answer': {
        const response = await inner.send(request, signal);
        await response.body[Symbol.asyncIterator]().return?.();
        throw connectionError('ECONNRESET', 'socket hang up: the connection broke before the answer');
      }
      case 'expired':
        return request.query?.['watch'] === undefined ? refusal(410) : expiredWatch();
      case 'time-out':
        if (fault.applied) await (await inner.send(request, signal)).body[Symbol.asyncIterator]().return?.();
        await abortable(signal, (resolve) => clock.after(fault.afterMs, resolve));
        return refusal(504);
      case 'end-stream':
      case 'break-stream':
      case 'stall-stream': {
        const response = await inner.send(request, signal);
        return { ...response, body: relayed(response.body, signal, fault) };
      }
      case 'garbage':
        return answer(
          200,
          { 'content-type': 'text/html' },
          fault.bytes ?? '<html><body>Welcome to the proxy</body></html>\n',
        );
    }
  }

  return {
    async send(request, signal) {
      signal.throwIfAborted();
      await linkUp(signal);
      const verdict = request.method === 'GET' ? 'pass' : decideWrite(++writes, request);
      if (verdict !== 'pass') dead = true;
      if (verdict === 'die-after') await (await inner.send(request, signal)).body[Symbol.asyncIterator]().return?.();
      if (verdict !== 'pass') return abortable<never>(signal, () => () => {});
      const fault = faultFor(request);
      return fault === undefined ? forward(request, signal) : suffer(fault, request, signal);
    },
    close: () => inner.close(),
    add(rule) {
      const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
      rules.push(entry);
      return () => void (entry.left = 0);
    },
    cut(how) {
      link = how;
      if (how !== 'refuse') return;
      for (const stream of Array.from(streams))
        stream.fail(connectionError('ECONNRESET', 'read ECONNRESET: the link was cut'));
      release();
    },
    heal() {
      link = 'up';
      release();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      const resolves = Array.from(frozenWork);
      frozenWork.clear();
      for (const resolve of resolves) resolve();
    },
    onWrite(decide) {
      decideWrite = decide;
    },
    get writes() {
      return writes;
    },
    get dead() {
      return dead;
    },
  };

  function release(): void {
    const resolves = Array.from(waiting);
    waiting.clear();
    for (const resolve of resolves) resolve();
  }
}

type Limit = Extract<Fault, { readonly afterLines: number }>;

const newline = 10;

/**
 * Waits for the promise of `start`. Rejects if the signal aborts first, and then calls the function
 * that `start` returned.
 */
function abortable<T = void>(signal: AbortSignal, start: (resolve: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = start((value) => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
