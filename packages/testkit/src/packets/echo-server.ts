/**
 * A program in a Pod of a lab: answers each TCP connection and each UDP packet on port 8080, of both families, with its own name and the address that it
 * sees the client at. Of the modules that may touch the world (dgram, net, process).
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const [, , name = '', port = '8080'] = process.argv;
const answer = (address = '') => `${name} ${address.replace(/^::ffff:/, '')}\n`;

// Both families: what a socket of IPv6 accepts of IPv4 is written as a mapped address.
createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', () => socket.write(answer(socket.remoteAddress)));
}).listen({ port: Number(port), host: '::' });

const udp = createSocket({ type: 'udp6' });
udp.on('message', (_, { address, port: from }) => udp.send(answer(address), from, address));
udp.bind(Number(port), '::');
