import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { readyLine } from './names.ts';

/**
 * The program in a container of a sandbox without a command. It answers each HTTP request with the
 * name of its Pod, and returns what other connections and UDP packets send. It listens on each port
 * of the container, or 8080. Arguments: cluster/namespace/pod, and the ports as `TCP:8080`.
 */
export async function runPodProgram([name = '', ...ports]: readonly string[]): Promise<void> {
  const http = createHttpServer((request, response) => {
    const client = clientOf(request.socket.remoteAddress);
    process.stdout.write(`${request.method} ${request.url} from ${client}\n`);
    const text = `${name}\nclient ${client}\n${request.method} ${request.url}\n`;
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  });
  // Before it listens: a caller that sees it ready may ask it to end.
  process.on('SIGTERM', () => process.exit(0));
  await Promise.all(
    ports.map((one) => {
      const [protocol = 'TCP', port = '8080'] = one.split(':');
      return protocol === 'UDP' ? listenUdp(Number(port)) : listenTcp(http, Number(port));
    }),
  );
  process.stdout.write(`${readyLine}\n`);
}

const clientOf = (address = '') => address.replace(/^::ffff:/, '');

/** HTTP begins with a method; anything else is sent back. */
function answer(http: Server, socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.once('data', (first) => {
    socket.pause();
    if (/^[A-Z]+ \S+ HTTP\/1\.[01]\r?\n/.test(first.toString('latin1'))) {
      socket.unshift(first);
      http.emit('connection', socket);
    } else {
      socket.write(first);
      socket.pipe(socket);
    }
    socket.resume();
  });
}

function listenTcp(http: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    createServer((socket) => answer(http, socket))
      .once('error', reject)
      .listen({ port, host: '0.0.0.0' }, () => resolve());
  });
}

function listenUdp(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.on('message', (bytes, { address, port: from }) => {
      // A raw packet may come from port 0, which cannot be answered. An answer that cannot be sent
      // is lost.
      if (from !== 0) socket.send(bytes, from, address, () => {});
    });
    socket.bind(port, '0.0.0.0', () => resolve());
  });
}
