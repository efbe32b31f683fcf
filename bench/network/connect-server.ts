/**
 * A program in a Pod of a lab: accepts connections on the port that it is given, writes one byte to
 * each and ends it.
 */
import { createServer } from 'node:net';

createServer((socket) => {
  socket.on('error', () => {});
  socket.end('x');
}).listen(Number(process.argv[2]), '::', 4096);
