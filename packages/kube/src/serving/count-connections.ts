import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { OpenConnection, OpenConnections } from './open-connections.ts';

/**
 * Counts each connection of the server from its first packet on: Node's own lists begin after the
 * handshake. The function finds the connection under a TLS socket.
 */
export function countConnections(
  server: Server,
  connections: OpenConnections,
): (socket: Socket) => OpenConnection | undefined {
  // Node does not expose the connection under a TLS socket; both have the addresses of the two
  // ends.
  const underway = new Map<string, OpenConnection>();
  const secured = new WeakMap<Socket, OpenConnection>();
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    const connection = connections.opened(socket);
    underway.set(ends, connection);
    socket.once('close', () => {
      connection.closed();
      if (underway.get(ends) === connection) underway.delete(ends);
    });
  });
  server.on('secureConnection', (socket) => {
    const connection = underway.get(endsOf(socket));
    if (connection !== undefined) secured.set(socket, connection);
  });
  return (socket) => secured.get(socket);
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`;
}
