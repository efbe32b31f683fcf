import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';

/** What happens to a request on its way. */
export type Fate =
  | 'pass'
  | 'hang'
  | 'hang-watches'
  | 'refuse'
  | 'garbage'
  | 'not-json'
  | 'closed'
  | 'lose-answer'
  | 'slow-answer'
  | ((request: ApiRequest) => ApiResponse | undefined);

/** A transport whose connection to the server a test can break and restore at any time. */
export interface BreakableTransport extends Transport {
  /** Decides of each request from now on. */
  set(fate: Fate): void;
  /** Breaks the answers that are being read or on their way. */
  breakOpen(): void;
  readonly sent: readonly ApiRequest[];
}

/** How long `slow-answer` takes. */
export const SLOW_MS = 3_000;

export function breakableTransport(inner: Transport, clock: Clock): BreakableTransport {
  let fate: Fate = 'pass';
  const sent: ApiRequest[] = [];
  let breaks = new AbortController();
  return {
    sent,
    set: (next) => void (fate = next),
    breakOpen() {
      breaks.abort(new Error('connection reset'));
      breaks = new AbortController();
    },
    async send(request, signal) {
      sent.push(request);
      const broken = breaks.signal;
      if (typeof fate === 'function') return fate(request) ?? passed(await inner.send(request, signal), broken);
      switch (fate) {
        case 'hang-watches': {
          const response = await inner.send(request, signal);
          return request.query?.['watch'] === 'true' ? { ...response, body: nothing(signal) } : response;
        }
        case 'pass':
          return passed(await inner.send(request, signal), broken);
        case 'hang':
          return await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          );
        case 'refuse':
          throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6443'), { code: 'ECONNREFUSED' });
        case 'garbage':
          return answer(200, '\u0000\u0001<html>\n{{{{\n');
        case 'not-json':
          return answer(502, '<html>bad gateway</html>');
        case 'lose-answer':
          await inner.send(request, signal);
          throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        case 'slow-answer': {
          const response = await inner.send(request, signal);
          await sleep(clock, SLOW_MS, signal);
          return passed(response, broken);
        }
        case 'closed':
          return answer(200, '');
      }
    },
    close: () => inner.close(),
  };
}

/** A whole answer with this text. */
export function answer(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: once(text) };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** An open stream in which nothing comes. */
async function* nothing(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function passed(response: ApiResponse, broken: AbortSignal): ApiResponse {
  return { ...response, body: breakable(response.body, broken) };
}

async function* breakable(body: AsyncIterable<Uint8Array>, broken: AbortSignal): AsyncGenerator<Uint8Array> {
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {});
  const onBreak = () => end.reject(broken.reason);
  if (broken.aborted) onBreak();
  broken.addEventListener('abort', onBreak, { once: true });
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), end.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    broken.removeEventListener('abort', onBreak);
    await chunks.return?.();
  }
}
