/** A body, or a line of one, went beyond its bound. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(what: string, limitBytes: number) {
    super(`${what} is larger than ${limitBytes} bytes`);
  }
}

/**
 * Reads a body whole, as UTF-8. Closes it and throws {@link BodyTooLarge} beyond `limitBytes`;
 * rejects when `signal` aborts.
 */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(body, signal)) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw new BodyTooLarge('the answer', limitBytes);
    chunks.push(chunk);
  }
  const only = chunks[0];
  return chunks.length === 1 && only !== undefined ? decodeUtf8(only) : Buffer.concat(chunks, bytes).toString('utf8');
}

/** The text of UTF-8 bytes, without copying them first. */
export function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/**
 * The chunks of a body; rejects when `signal` aborts even where the body does not. Leaving early
 * closes the body.
 */
export async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const iterator = body[Symbol.asyncIterator]();
  // One listener for the whole body: a watch has chunk after chunk.
  let giveUp: (reason: unknown) => void = () => {};
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const nextChunk = () =>
    new Promise<IteratorResult<Uint8Array, unknown>>((resolve, reject) => {
      giveUp = reject;
      if (signal.aborted) onAbort();
      iterator.next().then(resolve, reject);
    });
  let ended = false;
  try {
    for (;;) {
      const next = await nextChunk();
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a body that hangs would hang its closing as well.
    if (!ended) iterator.return?.().catch(() => {});
  }
}
