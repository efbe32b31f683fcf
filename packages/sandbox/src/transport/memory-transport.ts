import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import type { Answer } from '../answer/answer.ts';
import { ByteQueue } from '../answer/byte-queue.ts';

/**
 * A transport without a network. Answers come with microtasks alone. An abort breaks the body off,
 * as does `close`.
 */
export function memoryTransport(handle: (request: ApiRequest) => Promise<Answer>, userAgent: string): Transport {
  const open = new Set<ByteQueue>();
  let closed = false;
  return {
    async send(request, signal): Promise<ApiResponse> {
      signal.throwIfAborted();
      if (closed) throw new Error(`${request.method} ${request.path}: the transport is closed`);
      const headers = { 'user-agent': userAgent, ...request.headers };
      const answer = await handle({ ...request, headers });
      const isHead = (request.method as string) === 'HEAD';
      const body = typeof answer.body === 'string' ? bodyOf(isHead ? '' : answer.body) : answer.body;
      if (body.isOpen) {
        open.add(body);
        const onAbort = () => body.abort(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        body.onEnd(() => {
          open.delete(body);
          signal.removeEventListener('abort', onAbort);
        });
        if (signal.aborted) onAbort();
      }
      signal.throwIfAborted();
      return { status: answer.status, headers: { 'content-type': answer.contentType, ...answer.headers }, body };
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
