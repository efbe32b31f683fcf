/**
 * A program in a Pod of a lab: opens connections one after the other, so many at a time, each until
 * the server has ended it, and prints how many it opened in a second. Arguments: address, port,
 * connections, how many at a time.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

async function run([host = '', port, count, parallel]: readonly string[]): Promise<number> {
  let left = Number(count);
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: Number(parallel) }, async () => {
      while (left-- > 0) {
        const socket = connect({ host, port: Number(port) });
        socket.resume();
        await once(socket, 'close');
        if (socket.bytesRead !== 1)
          throw new Error(`a connection to ${host}:${port} ended after ${socket.bytesRead} bytes`);
      }
    }),
  );
  return Number(count) / ((performance.now() - startedMs) / 1000);
}

process.stdout.write(String(await run(process.argv.slice(2))));
