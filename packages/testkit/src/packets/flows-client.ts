/**
 * A program in a Pod of a lab: keeps flows to a flow server open, and measures their pauses. It
 * creates the file `ready` when each flow has had a message. When a file `stop` exists, it waits
 * until each flow has had another message, or for twenty seconds, and prints a {@link FlowReport}.
 * One of the modules that may touch the world (dgram, fs, net, process, timers).
 */
import { createSocket } from 'node:dgram';
import { existsSync, writeFileSync } from 'node:fs';
import { connect, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FlowReport, FlowRequest } from './flows.ts';

const { address, port, tcp, udp, directory } = JSON.parse(await text(process.stdin)) as FlowRequest;
const everyMs = 100;

interface Flow {
  readonly what: string;
  messages: number;
  lastAt: number;
  worstPauseMs: number;
  error: string | undefined;
}

const flows: Flow[] = [];

/** `push`: the server sends, every 100 ms. `pull`: the client sends, and the server answers. */
function open(protocol: 'TCP' | 'UDP', mode: 'push' | 'pull'): void {
  const flow: Flow = {
    what: `${protocol} ${mode}`,
    messages: 0,
    lastAt: performance.now(),
    worstPauseMs: 0,
    error: undefined,
  };
  flows.push(flow);
  const received = () => {
    const now = performance.now();
    if (flow.messages > 0) flow.worstPauseMs = Math.max(flow.worstPauseMs, now - flow.lastAt);
    flow.messages++;
    flow.lastAt = now;
  };
  const failed = ({ message }: Error) => (flow.error ??= message);
  if (protocol === 'TCP') {
    const attempt = () => {
      const socket = connect({ host: address, port, noDelay: true }, () => socket.write(mode));
      socket.on('data', received).on('error', (error: NodeJS.ErrnoException) => {
        // A server that has just been started does not listen yet.
        if (error.code === 'ECONNREFUSED' && flow.messages === 0) setTimeout(attempt, 200);
        else failed(error);
      });
      if (mode === 'pull') {
        const asking = setInterval(() => socket.write('pull'), everyMs);
        socket.on('close', () => clearInterval(asking));
      }
    };
    attempt();
  } else {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.on('message', received).on('error', failed);
    const ask = () => socket.send(mode, port, address);
    ask();
    // Packets may be lost: the client asks for pushes until one arrives.
    setInterval(() => (mode === 'pull' || flow.messages === 0) && ask(), everyMs);
  }
}

for (let i = 0; i < tcp; i++) open('TCP', i % 2 === 0 ? 'push' : 'pull');
for (let i = 0; i < udp; i++) open('UDP', i % 2 === 0 ? 'push' : 'pull');

const until = async (isSo: () => boolean, ms: number) => {
  const end = performance.now() + ms;
  while (!isSo() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
};

await until(() => flows.every(({ messages }) => messages > 0), 120_000);
writeFileSync(join(directory, 'ready'), '');
// The limit only ends the program if its test was killed.
await until(() => existsSync(join(directory, 'stop')), 3_600_000);
const stopped = performance.now();
await until(() => flows.every(({ lastAt }) => lastAt > stopped), 20_000);
const lost = flows.filter(({ lastAt }) => lastAt <= stopped);
const report: FlowReport = {
  flows: flows.length,
  lost: lost.map(({ what, error, messages }) => `${what}: ${error ?? `silent after ${messages} messages`}`),
  worstPauseMs: Math.round(Math.max(...flows.map(({ worstPauseMs }) => worstPauseMs))),
};
process.stdout.write(JSON.stringify(report), () => process.exit(0));
