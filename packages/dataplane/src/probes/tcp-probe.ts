/** Of the modules that may touch the world: it opens connections (net). */
import { connect } from 'node:net';
import type { Clock } from '@isthmus/machinery';
import type { Probe } from './probe.ts';

/**
 * Probes by opening a connection to a port where nothing listens: the kernel at the other end refuses it, whether an agent runs there or not. It needs no
 * capability, and unlike ICMP errors refusals are not limited in number.
 */
export function createTcpProbe(clock: Clock): Probe {
  return ({ device, address, port }, timeoutMs) =>
    new Promise((resolve) => {
      const startedMs = clock.monotonic();
      const socket = connect({ host: `${address}%${device}`, port });
      const end = (result: Awaited<ReturnType<Probe>>) => {
        cancel();
        socket.destroy();
        resolve(result);
      };
      const answered = () => end({ kind: 'answered', roundTripMs: clock.monotonic() - startedMs });
      let cancel = clock.after(timeoutMs, () => {
        // On a busy machine an answer may wait in the socket: it is read before the next timer.
        cancel = clock.after(0, () => end({ kind: 'missed' }));
      });
      socket.on('connect', answered).on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return answered();
        if (notSent.has(code)) return end({ kind: 'impossible', why: message });
        // A route or host that cannot be reached is no better than silence.
        end({ kind: 'missed' });
      });
    });
}

/** There is no device, or it has no address of IPv6 (yet); or this process may not open more connections. */
const notSent = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EINVAL',
  'EMFILE',
  'ENETUNREACH',
  'ENFILE',
  'ENODEV',
  'ENOBUFS',
  'EPERM',
  'EACCES',
]);
