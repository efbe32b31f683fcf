/**
 * A program in a Node of a lab. It sends the datagrams that its lines of input name, and writes a
 * line for each datagram that it receives. Argument: the port. Ends with its standard input.
 */
import { createInterface } from 'node:readline';
import type { DirectPeer } from '../probes/direct-probe.ts';
import { openDirectSocket } from '../probes/udp-socket.ts';

const socket = await openDirectSocket(Number(process.argv[2]));
socket.onMessage((text, from) => process.stdout.write(`${JSON.stringify([text, from])}\n`));
for await (const line of createInterface({ input: process.stdin })) {
  const [text, to] = JSON.parse(line) as readonly [string, DirectPeer];
  socket.send(text, to).catch(() => {});
}
process.exit(0);
