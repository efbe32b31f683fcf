import type { IncomingMessage } from 'node:http';

/** Counts the held bytes of a body; false: there is not enough room for that many more bytes. */
type Hold = (bytes: number) => boolean;

/** A body as far as it is kept. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** There was more than is worth reading: the connection cannot serve another request. */
  readonly unread: boolean;
}

/**
 * After the limit so much more is read and thrown away, that the client may hear the answer and
 * keep the connection: as Go does.
 */
const drainedBytes = 256 * 1024;

/**
 * Reads a request body. Of bytes beyond `limitBytes` only one is kept, so that the handler sees
 * that the body is too large. Errors: the connection breaks before the end, or there is no room for
 * the body.
 */
export async function receiveBody(request: IncomingMessage, limitBytes: number, hold: Hold): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let kept = 0;
  let received = 0;
  let unread = false;
  // Not `for await` with `break`: that would destroy the connection before the answer.
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (kept <= limitBytes) {
        const part = chunk.subarray(0, limitBytes + 1 - kept);
        if (!hold(part.length)) return reject(new Error('too many bodies at a time'));
        chunks.push(part);
        kept += part.length;
      }
      if (received <= limitBytes + drainedBytes) return;
      unread = true;
      request.pause();
      resolve();
    });
    request.on('end', resolve);
    request.on('error', reject);
    request.on('close', () => {
      if (!request.readableEnded) reject(new Error('the client left before the end of its body'));
    });
  });
  return { bytes: Buffer.concat(chunks), unread };
}
