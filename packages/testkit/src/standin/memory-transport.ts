import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import { ByteQueue } from '../byte-queue.ts';

/** An answer before it goes on its way: JSON text, plain text, or a stream of lines. */
export type Answer =
  | { readonly code: number; readonly json: string }
  | { readonly code: number; readonly text: string }
  | { readonly code: number; readonly stream: ByteQueue };

export function answerJson(code: number, value: unknown): Answer {
  return { code, json: JSON.stringify(value) };
}

/**
 * A transport without a network. A request is handled at once, in the order of the calls; the answer comes with the next microtasks. An
 * abort breaks the body off, as does `close`.
 */
export function memoryTransport(handle: (request: ApiRequest) => Answer): Transport {
  const open = new Set<ByteQueue>();
  let closed = false;
  return {
    async send(request, signal): Promise<ApiResponse> {
      signal.throwIfAborted();
      if (closed) throw new Error(`${request.method} ${request.path}: the transport is closed`);
      const answer = handle(request);
      const body = 'stream' in answer ? answer.stream : bodyOf('json' in answer ? answer.json : answer.text);
      if (body.isOpen) {
        open.add(body);
        const onAbort = () => body.abort(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        body.onEnd(() => {
          open.delete(body);
          signal.removeEventListener('abort', onAbort);
        });
      }
      return {
        status: answer.code,
        headers: { 'content-type': 'text' in answer ? 'text/plain' : 'application/json' },
        body,
      };
    },
    close() {
      closed = true;
      for (const body of Array.from(open)) body.abort(new Error('the transport is closed'));
    },
  };
}

function bodyOf(text: string): ByteQueue {
  const body = new ByteQueue();
  body.push(text);
  body.end();
  return body;
}
