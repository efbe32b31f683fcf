import type { ByteQueue } from './byte-queue.ts';

/** An answer before it goes on its way. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text, or a stream of lines. */
  readonly body: string | ByteQueue;
}

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

export function textAnswer(status: number, body: string): Answer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** The answer with `Warning` headers. */
export function withWarnings(warnings: readonly string[], answer: Answer): Answer {
  if (warnings.length === 0) return answer;
  const warning = [...new Set(warnings)].map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return { ...answer, headers: { ...answer.headers, warning } };
}
