import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';

/** The parts of a packet of a connection that its route depends on. */
export interface Packet {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly source: Address;
  readonly sourcePort: number;
  readonly destination: Address;
  readonly destinationPort: number;
}

/** The packet as text: `TCP 10.10.1.2:40000 → 10.99.0.1:80`. */
export const packetText = ({ protocol, source, sourcePort, destination, destinationPort }: Packet): string =>
  `${protocol} ${endText(source, sourcePort)} → ${endText(destination, destinationPort)}`;

/** An address and a port, as in a URL. */
export const endText = (address: Address, port: number): string =>
  address.family === 'IPv4' ? `${addressText(address)}:${port}` : `[${addressText(address)}]:${port}`;

export const sameAddress = (a: Address, b: Address): boolean => a.family === b.family && a.value === b.value;

/** The packet that answers this one. */
export const answerTo = ({ protocol, source, sourcePort, destination, destinationPort }: Packet): Packet => ({
  protocol,
  source: destination,
  sourcePort: destinationPort,
  destination: source,
  destinationPort: sourcePort,
});
