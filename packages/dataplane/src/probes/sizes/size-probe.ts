/** One of the modules that have access to the outside: it sends datagrams (dgram). */
import { createSocket } from 'node:dgram';
import type { Clock } from '@isthmus/machinery';
import { sizeProbePort } from '../../desired/devices.ts';
import type { Probe } from '../probe.ts';

/** The headers of IPv6 and UDP. */
const headerBytes = 40 + 8;

/**
 * Probes with a datagram of a given size to a port without a listener: the kernel at the other end
 * answers with an ICMP error of at most 1,280 bytes, whether an agent runs there or not. This needs
 * no capability, as the kernel reports the error to a connected socket.
 */
export function createSizeProbe(clock: Clock): Probe {
  return ({ device, address, bytes = headerBytes }, timeoutMs) =>
    new Promise((resolve) => {
      const startedMs = clock.monotonic();
      const socket = createSocket('udp6');
      let hasEnded = false;
      const end = (result: Awaited<ReturnType<Probe>>) => {
        if (hasEnded) return;
        hasEnded = true;
        cancel();
        socket.close();
        resolve(result);
      };
      const cancel = clock.after(timeoutMs, () => end({ kind: 'missed' }));
      const failed = ({ code = '', message }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') return end({ kind: 'answered', roundTripMs: clock.monotonic() - startedMs });
        // A router on the path reports that the packet is too large: it is not lost in silence.
        if (code === 'EMSGSIZE') return end({ kind: 'answered', roundTripMs: clock.monotonic() - startedMs });
        end({ kind: 'impossible', why: message });
      };
      socket.on('error', failed);
      socket.connect(sizeProbePort, `${address}%${device}`, () =>
        socket.send(Buffer.alloc(Math.max(0, bytes - headerBytes)), (error) => {
          if (error !== null) failed(error);
        }),
      );
    });
}
