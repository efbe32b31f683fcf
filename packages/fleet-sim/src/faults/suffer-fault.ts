import type { ApiRequest, ApiResponse } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { ByteQueue } from '@isthmus/sandbox';
import { abortable } from './abortable.ts';
import type { Fault } from './fault.ts';
import { dropBody } from './freezable-server.ts';
import { answer, connectionError, expiredWatch, refusal } from './made-up-answers.ts';
import type { Way } from './relay-stream.ts';
import { relayStream } from './relay-stream.ts';

/** Sends a request that no rule affects: only the state of the link and the server counts. */
export async function forward(request: ApiRequest, way: Way, signal: AbortSignal): Promise<ApiResponse> {
  const response = await way.server.serve(request, signal);
  // An answer with its whole body has arrived already.
  if (response.body instanceof ByteQueue && !response.body.isOpen) return response;
  return { ...response, body: relayStream(response.body, way, signal) };
}

/** Sends a request with a fault. */
export async function sufferFault(
  fault: Fault,
  request: ApiRequest,
  way: Way & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<ApiResponse> {
  const { inner } = way.server;
  switch (fault.kind) {
    case 'latency':
      await abortable(signal, (resolve) => way.clock.after(fault.ms, resolve));
      await way.link.up(signal);
      return forward(request, way, signal);
    case 'hang':
      return abortable<never>(signal, () => () => {});
    case 'refuse':
      throw connectionError('ECONNREFUSED', 'connect ECONNREFUSED: nobody listens');
    case 'status':
      return refusal(fault.code, fault);
    case 'lose-answer':
      await dropBody(await inner.send(request, signal));
      throw connectionError('ECONNRESET', 'socket hang up: the connection broke before the answer');
    case 'expired':
      return request.query?.['watch'] === undefined ? refusal(410) : expiredWatch();
    case 'time-out':
      if (fault.applied) await dropBody(await inner.send(request, signal));
      await abortable(signal, (resolve) => way.clock.after(fault.afterMs, resolve));
      return refusal(504);
    case 'end-stream':
    case 'break-stream':
    case 'stall-stream': {
      const response = await inner.send(request, signal);
      return { ...response, body: relayStream(response.body, way, signal, fault) };
    }
    case 'garbage':
      return answer(
        200,
        { 'content-type': 'text/html' },
        fault.bytes ?? '<html><body>Welcome to the proxy</body></html>\n',
      );
  }
}
