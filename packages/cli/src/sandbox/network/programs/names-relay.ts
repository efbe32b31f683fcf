import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createFrames, framed } from '@isthmus/dataplane';
import type { NamesAnswer, NamesQuery } from '../names/names-lines.ts';
import { namesWord } from '../names/names-lines.ts';

/** Receives the DNS queries of the Pods of a Node, and passes them on. */
export interface NamesRelay {
  /** Reads a line of the other process. False: it is about something else. */
  take(line: string): boolean;
  /**
   * Listens over UDP and TCP. Resolves to the port. Errors: rejects where the address cannot be
   * had.
   */
  listen(host: string, port: number): Promise<number>;
}

const idleMs = 10_000;
const mostQueryBytes = 4_096;
/** Queries whose answers are waited for; more are dropped, as a busy server does. */
const mostWaiting = 1_000;

export function createNamesRelay(write: (line: string) => void): NamesRelay {
  const waiting = new Map<number, (message: Uint8Array | undefined) => void>();
  let last = 0;
  const ask = (message: Uint8Array, transport: 'udp' | 'tcp') =>
    new Promise<Uint8Array | undefined>((resolve) => {
      if (waiting.size >= mostWaiting) return resolve(undefined);
      const number = ++last;
      waiting.set(number, resolve);
      const query: NamesQuery = { number, transport, message: Buffer.from(message).toString('base64') };
      write(`${namesWord}${JSON.stringify(query)}\n`);
    });

  function serveConnection(socket: Socket): void {
    const frames = createFrames(mostQueryBytes);
    let before = Promise.resolve();
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const messages = frames.push(chunk);
      if (messages === undefined) return void socket.destroy();
      for (const message of messages) {
        const asked = ask(message, 'tcp');
        // In the order of the queries.
        before = before.then(async () => {
          const found = await asked;
          if (found === undefined) socket.destroy();
          else socket.write(framed(found));
        });
      }
    });
  }

  return {
    take(line) {
      if (!line.startsWith(namesWord)) return false;
      const { number, message } = JSON.parse(line.slice(namesWord.length)) as NamesAnswer;
      waiting.get(number)?.(message === undefined ? undefined : Buffer.from(message, 'base64'));
      waiting.delete(number);
      return true;
    },
    async listen(host, port) {
      const tcp = createServer(serveConnection);
      await new Promise<void>((resolve, reject) => {
        tcp.once('error', reject).listen({ host, port }, () => resolve());
      });
      const { port: bound } = tcp.address() as AddressInfo;
      const udp = createSocket('udp4');
      udp.on('message', (message, from) => {
        // Raw packets can come from there, and nothing can be sent there.
        if (from.port === 0) return;
        void ask(message, 'udp').then((found) => found && udp.send(found, from.port, from.address));
      });
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject).bind(bound, host, () => resolve());
      });
      // A datagram that cannot be sent is lost, as on any way.
      udp.removeAllListeners('error').on('error', () => {});
      return bound;
    },
  };
}
