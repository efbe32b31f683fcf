import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { KeyPair } from '../authority.ts';
import type { HttpsSandbox } from '../serve-https.ts';
import { spdyClientFrames } from './spdy-client-frames.ts';

export interface SpdySeen {
  /** The text received on each stream. */
  readonly streams: Record<string, string>;
  /** The streams that the server closed, in order of their names. */
  readonly lasts: string[];
  replies: number;
  readonly pongs: number[];
}

/**
 * Requests a program in Pod `p` as a client of SPDY/3.1 does. Errors: rejects with the body of an
 * answer that is not an upgrade.
 */
export async function openSpdy(server: HttpsSandbox, as: KeyPair, query: string, protocol = 'v4.channel.k8s.io') {
  const { hostname, port } = new URL(server.url);
  const asking = httpsRequest({
    host: hostname,
    port,
    method: 'POST',
    path: `/api/v1/namespaces/default/pods/p/exec?${query}`,
    ca: server.caData,
    cert: as.certData,
    key: as.keyData,
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': ['v5.channel.k8s.io', protocol],
    },
  });
  const upgraded = Promise.withResolvers<{ socket: Duplex; head: Buffer }>();
  asking.on('error', upgraded.reject);
  asking.on('response', (answer) => {
    let body = '';
    answer.setEncoding('utf8').on('data', (text: string) => (body += text));
    answer.on('end', () => upgraded.reject(new Error(body)));
  });
  asking.on('upgrade', (_, socket: Duplex, head: Buffer) => upgraded.resolve({ socket, head }));
  asking.end();
  const { socket, head } = await upgraded.promise;
  const frames = spdyClientFrames();
  const ids = new Map<string, number>();
  const seen: SpdySeen = { streams: {}, lasts: [], replies: 0, pongs: [] };
  let waiting = head;
  let onChange = () => {};
  const take = (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    while (waiting.length >= 8) {
      const length = waiting.readUIntBE(5, 3);
      if (waiting.length < 8 + length) break;
      const payload = waiting.subarray(8, 8 + length);
      const [first, flags] = [waiting.readUInt32BE(0), waiting.readUInt8(4)];
      waiting = waiting.subarray(8 + length);
      if (first === 0x8003_0002) seen.replies++;
      else if (first === 0x8003_0006) seen.pongs.push(payload.readUInt32BE(0));
      else {
        const name = [...ids].find(([, id]) => id === first)?.[0] ?? `stream ${first}`;
        if (payload.length > 0) seen.streams[name] = (seen.streams[name] ?? '') + payload.toString();
        if ((flags & 1) !== 0) seen.lasts.push(name);
      }
    }
    onChange();
  };
  socket.on('data', take);
  socket.on('error', () => {});
  const ended = new Promise<SpdySeen>((resolve) =>
    socket.once('close', () => resolve({ ...seen, lasts: seen.lasts.toSorted() })),
  );
  socket.once('end', () => socket.end());
  return {
    ended,
    async open(...kinds: readonly string[]) {
      for (const kind of kinds) {
        const id = 1 + 2 * ids.size;
        ids.set(kind, id);
        socket.write(await frames.open(id, { streamtype: kind }));
      }
    },
    send: (kind: string, text: string, isLast = false) =>
      void socket.write(frames.data(ids.get(kind) ?? 0, Buffer.from(text), isLast)),
    ping: (id: number) => void socket.write(frames.control(6, Uint8Array.of(0, 0, 0, id))),
    garbage: () => void socket.write(frames.control(1, Buffer.alloc(30))),
    leave: () => void socket.destroy(),
    until: (kind: string, text: string) =>
      new Promise<void>((resolve) => {
        onChange = () => void (seen.streams[kind] === text && resolve());
        onChange();
      }),
  };
}
