/** One of the modules that have access to the outside: it opens connections (net). */
import { connect } from 'node:net';
import type { Clock } from '@isthmus/machinery';
import type { Probe } from './probe.ts';

/**
 * Probes by opening a connection to a port without a listener: the kernel at the other end refuses
 * it, whether an agent runs there or not. This needs no capability. Unlike ICMP errors, refusals
 * are not rate-limited.
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
        // On a busy machine an answer may wait in the socket. It is read before the next timer.
        cancel = clock.after(0, () => end({ kind: 'missed' }));
      });
      socket.on('connect', answered).on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return answered();
        if (notSent.has(code)) return end({ kind: 'impossible', why: message });
        // A route or host that cannot be reached counts as a missing answer.
        end({ kind: 'missed' });
      });
    });
}

/**
 * The device does not exist or has no IPv6 address (yet), or this process may not open more
 * connections.
 */
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
