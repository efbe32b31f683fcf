// One of the modules that have access to the outside: it sends and receives datagrams (dgram).
import { createSocket } from 'node:dgram';
import type { RemoteInfo, Socket } from 'node:dgram';
import { once } from 'node:events';
import type { DirectPeer, DirectSocket } from './direct-probe.ts';

/**
 * Listens on a UDP port of all addresses of the Node. Errors: rejects if the port cannot be bound
 * in any family, for example because another process has it.
 */
export async function openDirectSocket(port: number): Promise<DirectSocket & AsyncDisposable> {
  const opened = await Promise.allSettled((['udp4', 'udp6'] as const).map((type) => open(type, port)));
  const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  // A Node may have no IPv6, or no IPv4.
  const [refused] = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (sockets.length === 0 && refused !== undefined) throw refused;
  const socketFor = ({ address }: DirectPeer) =>
    sockets.find(({ type }) => type === (address.includes(':') ? 'udp6' : 'udp4'))?.socket;
  return {
    send: (text, to) =>
      new Promise((resolve, reject) => {
        const socket = socketFor(to);
        if (socket === undefined) return reject(new Error(`the Node has no socket for ${to.address}`));
        socket.send(text, to.port, to.address, (error) => (error === null ? resolve() : reject(error)));
      }),
    onMessage(listener) {
      const received = (bytes: Buffer, { address, port: from }: RemoteInfo) =>
        listener(bytes.toString('latin1'), { address, port: from });
      for (const { socket } of sockets) socket.on('message', received);
      return () => sockets.forEach(({ socket }) => socket.off('message', received));
    },
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of sockets) {
        socket.close();
        await once(socket, 'close');
      }
    },
  };
}

async function open(type: 'udp4' | 'udp6', port: number): Promise<{ readonly type: string; readonly socket: Socket }> {
  const socket = createSocket({ type, ipv6Only: type === 'udp6' });
  try {
    socket.bind(port);
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  // A datagram that cannot be sent is reported by `send`.
  socket.on('error', () => {});
  return { type, socket };
}
