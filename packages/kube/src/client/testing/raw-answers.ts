import type { ApiRequest, ApiResponse, Transport } from '../../transport/transport.ts';

/** The answer to one request. `hang`: nothing ever comes, until the caller aborts. */
export type Answer =
  | 'hang'
  | Error
  | {
      readonly status?: number | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Text or JSON at once, or chunks as they come. */
      readonly body?: unknown;
      readonly chunks?: AsyncIterable<Uint8Array | string> | readonly (Uint8Array | string)[] | undefined;
      /** After the last chunk nothing comes any more, and the body does not end. */
      readonly thenHang?: boolean | undefined;
    };

export interface RawAnswers extends Transport {
  readonly sent: readonly ApiRequest[];
  /** How many bodies were closed before their end. */
  readonly closedEarly: number;
}

/**
 * A transport for tests at the level of the wire: it records what the client sends, and answers
 * with raw bytes, a failure or silence, which no working server would send. What a good server does
 * is tested on the sandbox.
 */
export function rawAnswers(script: (request: ApiRequest, index: number) => Answer): RawAnswers {
  const sent: ApiRequest[] = [];
  let closedEarly = 0;
  const aborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  async function* bodyOf(
    answer: Exclude<Answer, Error | string>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    let ended = false;
    try {
      const { body } = answer;
      const whole = body === undefined ? [] : [typeof body === 'string' ? body : JSON.stringify(body)];
      for await (const chunk of answer.chunks ?? whole) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (answer.thenHang === true) await aborted(signal);
      ended = true;
    } finally {
      if (!ended) closedEarly++;
    }
  }
  return {
    sent,
    get closedEarly() {
      return closedEarly;
    },
    async send(request, signal): Promise<ApiResponse> {
      sent.push(request);
      const answer = script(request, sent.length - 1);
      if (answer === 'hang') return aborted(signal);
      if (answer instanceof Error) throw answer;
      return { status: answer.status ?? 200, headers: answer.headers ?? {}, body: bodyOf(answer, signal) };
    },
    close() {},
  };
}
