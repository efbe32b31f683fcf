import type { ByteQueue } from './byte-queue.ts';

/** An answer before it is sent. */
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

/**
 * The longest length of an answer's warnings together, and of each warning if they are longer
 * together.
 */
const longest = { together: 4_096, each: 256 };
/** No answer has more warnings. */
export const mostWarnings = longest.together;

/** The answer with `Warning` headers, cut as an API server cuts them. */
export function withWarnings(warnings: readonly string[], answer: Answer): Answer {
  const texts = [...new Set(warnings)].filter((text) => text !== '');
  if (texts.length === 0) return answer;
  const warning = cut(texts)
    .map((text) => `299 - ${JSON.stringify(text)}`)
    .join(', ');
  return { ...answer, headers: { ...answer.headers, warning } };
}

/** All texts, or the beginnings of as many as fit into the limit. */
function cut(texts: readonly string[]): readonly string[] {
  let length = 0;
  const first = texts.findIndex((text) => {
    length += lengthOf(text);
    return length > longest.together;
  });
  if (first === -1) return texts;
  const kept: string[] = [];
  length = 0;
  for (const text of texts) {
    // Texts that already fit are all kept.
    if (kept.length > first && length >= longest.together) break;
    const short = beginningOf(text);
    length += lengthOf(short);
    kept.push(short);
  }
  return kept;
}

/** The length in characters, not in UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function beginningOf(text: string): string {
  let [kept, length] = ['', 0];
  for (const character of text) {
    if (length++ === longest.each) break;
    kept += character;
  }
  return kept;
}
