/**
 * One of the modules that may touch the world: it listens and starts a process (net,
 * child_process).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../apiserver/ports.ts';

/** A port of 127.0.0.1 of this process that leads to the same port in another network namespace. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
}

/**
 * Opens a relay into the network namespace of process `pid`. Errors: another process took the port
 * meanwhile; `nsenter` cannot be run.
 */
export async function openRelay(pid: number): Promise<Relay> {
  const port = await freePort();
  const server = createServer();
  server.listen({ host: '127.0.0.1', port, exclusive: true });
  await once(server, 'listening');
  const child = fork(fileURLToPath(new URL('relay.ts', import.meta.url)), [String(port)], {
    execPath: 'nsenter',
    execArgv: [`--net=/proc/${pid}/ns/net`, process.execPath],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = Promise.withResolvers<void>();
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      ended.resolve();
      reject(new Error(`relaying port ${port}: the relay ended with ${signal ?? `code ${code}`}`));
    });
  });
  failed.catch(() => {});
  child.send('listen', server);
  await Promise.race([once(child, 'message'), failed]);
  server.close();
  return {
    port,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended.promise;
    },
  };
}
