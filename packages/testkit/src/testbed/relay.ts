/**
 * A program that runs in a network namespace. It connects clients of a socket in its parent's
 * namespace to the same port of 127.0.0.1 here. A socket stays in the namespace in which it was
 * made, so the parent listens, and passes the socket. The program ends with its parent.
 *
 * This module uses net and process because it implements them for the others.
 */
import { connect } from 'node:net';
import type { Server, Socket } from 'node:net';

function relay(port: number): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', (_message, server) => {
    (server as Server).on('connection', (incoming: Socket) => {
      const outgoing = connect({ host: '127.0.0.1', port, noDelay: true });
      incoming.setNoDelay(true);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        from.pipe(to);
        from.once('error', () => to.destroy());
        from.once('close', () => to.destroy());
      }
    });
    // The parent may be gone already.
    process.send?.('relaying', () => {});
  });
}

if (import.meta.main) {
  const port = Number(process.argv[2]);
  if (!Number.isInteger(port)) throw new Error('usage: relay.ts <port>');
  relay(port);
}
