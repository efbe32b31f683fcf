import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import type { Answer } from '../answer/answer.ts';
import type { ByteQueue } from '../answer/byte-queue.ts';

/** Larger bodies are compressed if the client accepts it, as on a real server. */
const compressFromBytes = 128 * 1024;

/**
 * The limit of unread bytes of a watch, beyond the initial ones. Over the limit it is ended; a real
 * server does so after some thousand events.
 */
const watchBacklogBytes = 8 * 1024 * 1024;

export interface SendOptions {
  readonly acceptEncoding: string;
  readonly headers: Readonly<Record<string, string>>;
  /** An answer without its body: to HEAD. */
  readonly bodiless: boolean;
}

/**
 * Writes an answer, and resolves when it is written or its reader is gone. Actions of the reader
 * never make it reject.
 */
export async function sendAnswer(response: ServerResponse, answer: Answer, options: SendOptions): Promise<void> {
  const { status, contentType, body } = answer;
  const isText = contentType.startsWith('text/plain');
  const headers: Record<string, string | number> = {
    'Cache-Control': 'no-cache, private',
    ...(contentType !== '' && { 'Content-Type': contentType }),
    // Health checks set this header themselves.
    ...((isText || status === 403) &&
      !('x-content-type-options' in (answer.headers ?? {})) && { 'X-Content-Type-Options': 'nosniff' }),
    ...options.headers,
    ...inUtf8(answer.headers ?? {}),
  };
  if (typeof body !== 'string') {
    response.writeHead(status, headers);
    return sendStream(response, body);
  }
  const bytes = Buffer.from(terminated(contentType, body));
  const compressible = bytes.length > compressFromBytes && !('content-encoding' in headers);
  const accepted = options.acceptEncoding.split(',').some((one) => one.trim() === 'gzip');
  if (!compressible || !accepted) {
    response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
    response.end(options.bodiless ? undefined : bytes);
    return finished(response);
  }
  const packed = await compressed(bytes);
  const encoded = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding', 'Content-Length': packed.length };
  response.writeHead(status, { ...headers, ...encoded });
  response.end(options.bodiless ? undefined : packed);
  return finished(response);
}

/**
 * Node writes a header's characters as bytes, and throws for those beyond one byte; a warning may
 * name a field in any script.
 */
function inUtf8(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  );
}

/**
 * Objects end with a line end, as the real server's encoder writes them; documents that are laid
 * out over lines do not.
 */
function terminated(contentType: string, text: string): string {
  const isObject = text.startsWith('{') && text[1] !== '\n' && text.endsWith('}');
  return contentType.startsWith('application/json') && isObject ? `${text}\n` : text;
}

function compressed(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    gzip(bytes, { level: 1 }, (error, packed) => (error === null ? resolve(packed) : reject(error))),
  );
}

function finished(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once('close', resolve);
  });
}

/**
 * Sends a stream as fast as the reader reads. Unread bytes wait in the queue, which ends when they
 * are too many.
 */
async function sendStream(response: ServerResponse, body: ByteQueue): Promise<void> {
  body.bound(watchBacklogBytes);
  response.once('close', () => body.end());
  response.flushHeaders();
  try {
    for await (const chunk of body) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
    response.end();
  } catch {
    // The stream broke: the reader must not regard it as ended.
    response.destroy();
  }
  return finished(response);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) return resolve();
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}
