/**
 * A program in a Pod of a lab: on port 8080, the server of the flows of a flows client. It sends a
 * message every 100 ms to a client that sent `push`, and an answer to each `pull`. One of the
 * modules that may touch the world (dgram, net, process, timers).
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const everyMs = 100;

createServer({ noDelay: true }, (socket) => {
  let pushing: ReturnType<typeof setInterval> | undefined;
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearInterval(pushing));
  socket.on('data', (data) => {
    if (String(data).startsWith('push')) pushing ??= setInterval(() => socket.write('tick'), everyMs);
    else socket.write('tick');
  });
}).listen({ port: 8080, host: '::', backlog: 1024 });

serveUDP();

function serveUDP(): void {
  const udp = createSocket({ type: 'udp6' });
  const pushed = new Set<string>();
  udp.on('message', (data, { address, port }) => {
    if (String(data) !== 'push') return udp.send('tick', port, address);
    if (pushed.has(`${address} ${port}`)) return;
    pushed.add(`${address} ${port}`);
    setInterval(() => udp.send('tick', port, address), everyMs);
  });
  udp.on('error', () => {});
  udp.bind(8080, '::');
}
