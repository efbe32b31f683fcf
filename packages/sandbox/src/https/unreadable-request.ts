import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The time that Go waits for the client to read the rejection. */
const lingerMs = 500;

/**
 * Answers a request that Node's parser rejects, as Go does, and ends the connection: 431 for too
 * many bytes of headers, 400 otherwise. For a method that the parser does not know, it answers 405,
 * as a real server does on every path, without authentication.
 */
export function answerUnreadable(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy();
  // The request is answered already; further bytes of the client are rejected again.
  if (!socket.writable) return;
  socket.end(answerTo(error));
  // An immediate close would reset the connection if the client still sends, before it reads the
  // answer.
  if ('setTimeout' in socket) (socket as Socket).setTimeout(lingerMs, () => socket.destroy());
}

function answerTo({ code, rawPacket }: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): string {
  if (code === 'HPE_HEADER_OVERFLOW') return plain('431 Request Header Fields Too Large');
  const line = rawPacket?.subarray(0, 4096).toString('latin1') ?? '';
  if (code === 'HPE_INVALID_METHOD' && /^[!#-'*+.^-z|~\dA-Z]+ \/\S* HTTP\/1\.[01]\r\n/.test(line))
    return methodNotAllowed;
  if (code === 'HPE_INVALID_VERSION') {
    return plain('505 HTTP Version Not Supported: unsupported protocol version');
  }
  return plain('400 Bad Request');
}

function plain(text: string): string {
  return `HTTP/1.1 ${text}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}

const refusal = `${JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  details: {},
  code: 405,
})}\n`;

const methodNotAllowed = `HTTP/1.1 405 Method Not Allowed\r\nCache-Control: no-cache, private\r\nContent-Type: application/json\r\nContent-Length: ${refusal.length}\r\nConnection: close\r\n\r\n${refusal}`;
