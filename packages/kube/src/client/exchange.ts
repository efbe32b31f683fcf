import { sleep } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import { orAborted } from '../waiting/or-aborted.ts';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { readText } from './body.ts';
import type { Call } from './call.ts';
import { connectionFailureOf, describeFailure } from './connection-failure.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { MalformedAnswer } from './decode.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { ConnectionFailure } from './errors.ts';
import { statusOfRefusal } from './refusal.ts';
import { decideRetry, parseRetryAfter, retryAfterOf } from './retry.ts';

/** One exchange as it went, for metrics. Repetitions count one by one. */
export interface Exchanged {
  readonly verb: string;
  /** `plural.group`, with the subresource; the path of a raw request. */
  readonly resource: string;
  /** The HTTP code, or why there was none. */
  readonly result: number | ConnectionFailure | 'aborted';
  /** From sending until the headers came, or until it failed. */
  readonly ms: number;
}

export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** How messages name the API server. */
  readonly server: string;
  /** How much of a refusal is read. */
  readonly errorBytes: number;
  readonly onExchange?: ((exchanged: Exchanged) => void) | undefined;
}

/**
 * Sends requests and sorts out what comes back: an answer, an {@link ApiError}, a
 * {@link ConnectionError}, the caller's abort.
 */
export interface Exchange {
  /**
   * Returns the answer with a success code, its body unread. Repeats a rejected request as {@link
   * decideRetry} decides.
   */
  open(call: Call, request: ApiRequest, deadline: Deadline): Promise<ApiResponse>;
  /**
   * Sends under a deadline of its own and makes `read` of the body, which is at most `limitBytes`
   * long.
   */
  read<T>(call: Call, request: ApiRequest, options: ReadOptions<T>): Promise<T>;
  /**
   * Returns the error to throw for an error in this call: the caller's own reason if the caller
   * aborted it.
   */
  toError(call: Call, error: unknown, deadline: Deadline, waitedMs: number): unknown;
}

interface ReadOptions<T> {
  readonly limitBytes: number;
  readonly signal: AbortSignal | undefined;
  /** The head of the answer has come, with a success code. */
  readonly onOpen?: (() => void) | undefined;
  /** Turns the body into the result. May throw {@link MalformedAnswer}. */
  readonly decode: (text: string, status: number) => T;
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { transport, clock, timeoutMs, server, errorBytes, onExchange } = options;

  const toError = (call: Call, error: unknown, deadline: Deadline, waitedMs: number): unknown => {
    if (error instanceof ApiError || error instanceof ConnectionError) return error;
    if (deadline.expired) return new ConnectionError(call, 'timeout', `no answer from ${server} within ${waitedMs} ms`);
    if (deadline.signal.aborted) return deadline.signal.reason;
    if (error instanceof MalformedAnswer) {
      return new ConnectionError(call, 'protocol', `${server} did not answer like an API server: ${error.message}`);
    }
    const kind = connectionFailureOf(error);
    return new ConnectionError(call, kind, describeFailure(error, kind), { cause: error });
  };

  const send = async (call: Call, request: ApiRequest, deadline: Deadline): Promise<ApiResponse> => {
    const startedAt = clock.monotonic();
    const tell = (result: Exchanged['result']) =>
      onExchange?.({ verb: call.verb, resource: call.resource, result, ms: clock.monotonic() - startedAt });
    try {
      deadline.signal.throwIfAborted();
      const response = await orAborted(transport.send(request, deadline.signal), deadline.signal);
      tell(response.status);
      return response;
    } catch (error) {
      const failure = toError(call, error, deadline, timeoutMs);
      tell(failure instanceof ConnectionError ? failure.kind : 'aborted');
      throw failure;
    }
  };

  const refusalOf = async (call: Call, response: ApiResponse, deadline: Deadline): Promise<Error> => {
    if (response.status < 400) {
      const why = `${server} answered with HTTP ${response.status}, and redirects are not followed; check the server address`;
      await readText(response.body, errorBytes, deadline.signal).catch(() => '');
      return new ConnectionError(call, 'protocol', why);
    }
    const text = await readText(response.body, errorBytes, deadline.signal);
    const status = statusOfRefusal(response.status, text);
    const header = parseRetryAfter(response.headers['retry-after'], clock.now());
    return new ApiError(call, status, header ?? retryAfterOf(status));
  };

  const open = async (call: Call, request: ApiRequest, deadline: Deadline): Promise<ApiResponse> => {
    for (let attempts = 1; ; attempts++) {
      const response = await send(call, request, deadline);
      if (response.status >= 200 && response.status < 300) return response;
      const failure = await refusalOf(call, response, deadline);
      const waitMs = decideRetry({
        method: request.method,
        code: response.status,
        retryAfterMs: parseRetryAfter(response.headers['retry-after'], clock.now()),
        attempts,
        remainingMs: deadline.remainingMs(),
      });
      if (waitMs === undefined) throw failure;
      await sleep(clock, waitMs, deadline.signal);
    }
  };

  return {
    open,
    toError,
    async read(call, request, { limitBytes, signal, onOpen, decode }) {
      const deadline = startDeadline(clock, timeoutMs, signal);
      try {
        const response = await open(call, request, deadline);
        onOpen?.();
        const result = decode(await readText(response.body, limitBytes, deadline.signal), response.status);
        deadline.end();
        return result;
      } catch (error) {
        const failure = toError(call, error, deadline, timeoutMs);
        deadline.end('abort');
        throw failure;
      }
    },
  };
}
