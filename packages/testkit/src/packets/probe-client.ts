/**
 * A program in a Pod or a Node of a lab: asks echo servers, side by side, and prints their answers as JSON, in the order of the questions on standard input. Of
 * the modules that may touch the world (dgram, net, process, timers).
 */
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Probe } from './probe.ts';

const probes = JSON.parse(await text(process.stdin)) as readonly Probe[];
process.stdout.write(JSON.stringify(await Promise.all(probes.map((probe) => ask(probe)))));

function ask({ protocol, address, port, bytes = 4, waitMs = 20_000 }: Probe): Promise<string> {
  return new Promise((resolve) => {
    const end = (answer: string) => {
      clearTimeout(timer);
      clearInterval(again);
      stop();
      resolve(answer.trim());
    };
    const timer = setTimeout(() => end('no answer'), waitMs);
    let again: ReturnType<typeof setInterval> | undefined;
    let stop = () => {};
    const question = 'x'.repeat(bytes);
    if (protocol === 'TCP') {
      // A server that has just been started does not listen yet.
      const attempt = () => {
        const socket = connect({ host: address, port }, () => socket.write(question));
        stop = () => socket.destroy();
        socket.on('data', (data) => end(String(data)));
        socket.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNREFUSED') return end(error.message);
          const retry = setTimeout(attempt, 200);
          stop = () => clearTimeout(retry);
        });
      };
      attempt();
    } else {
      const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
      stop = () => socket.close();
      socket.on('message', (data) => end(String(data)));
      socket.on('error', ({ message }) => end(message));
      socket.send(question, port, address);
      again = setInterval(() => socket.send(question, port, address), 1_000);
    }
  });
}
