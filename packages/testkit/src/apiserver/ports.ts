/**
 * One of the modules that may touch the world: it asks the kernel for a port (net) and picks one at
 * random (crypto).
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 on which nothing listened a moment ago.
 *
 * From 10000 to 29999: below the ports that Linux gives to outgoing connections (32768 and up), so
 * that a stopped server finds its port free when it starts again. Another process may still take
 * the port first: the caller must handle a bind that fails. Errors: after 100 ports that were all
 * taken.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(10_000, 30_000);
    if (await canListen(port)) return port;
  }
  throw new Error('finding a free port on 127.0.0.1 between 10000 and 29999: 100 tries, all in use');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
