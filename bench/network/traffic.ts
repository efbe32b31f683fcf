import { fileURLToPath } from 'node:url';
import type { LabPod } from '@isthmus/testkit';

/** Where a program runs, as a Pod or a Node of a lab. */
export interface Runs {
  run(program: string, args: readonly string[]): ReturnType<LabPod['run']>;
}

export const ports = { stream: 80, pingPong: 81, connections: 82 };

const program = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));

/** The commands of the servers that the measurements need, on the ports of {@link ports}. */
export const servers: readonly (readonly [program: string, args: readonly string[]])[] = [
  ['iperf3', ['--server', '--port', String(ports.stream)]],
  ['sockperf', ['server', '--tcp', '--port', String(ports.pingPong)]],
  [process.execPath, [program('connect-server'), String(ports.connections)]],
];

/** The programs of others without which nothing is measured; each is a package of Debian. */
export const packages = ['iperf3', 'sockperf'] as const;

/** One TCP stream for two seconds, after one that does not count: Gbit/s at the receiver. */
export async function streamGbits(from: Runs, address: string): Promise<number> {
  const args = ['--client', address, '--port', String(ports.stream), '--time', '2', '--omit', '1', '--json'];
  const report = JSON.parse(await output(from, 'iperf3', args)) as {
    readonly end: { readonly sum_received: { readonly bits_per_second: number } };
  };
  return report.end.sum_received.bits_per_second / 1e9;
}

/**
 * A message of 14 bytes there and back over one TCP connection, again and again for two seconds:
 * the median, in microseconds.
 */
export async function roundTripMicros(from: Runs, address: string): Promise<number> {
  const args = ['ping-pong', '--tcp', '--ip', address, '--port', String(ports.pingPong), '--time', '2', '--full-rtt'];
  const text = await output(from, 'sockperf', args);
  const median = /percentile 50\.000 =\s+([\d.]+)/.exec(text)?.[1];
  if (median === undefined) throw new Error(`sockperf printed no median:\n${text}`);
  return Number(median);
}

/** TCP connections that are opened and ended, 32 at a time: how many a second. */
export async function connectionsPerSecond(from: Runs, address: string): Promise<number> {
  const args = [program('connect-client'), address, String(ports.connections), '4000', '32'];
  return Number(await output(from, process.execPath, args));
}

async function output(from: Runs, name: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await from.run(name, args);
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout;
}
