/**
 * One of the modules that may touch the world: it looks up the path of a program (environment).
 */
import type { RunResult } from '../testbed/machine.ts';
import { nodeProgram } from '../testbed/programs.ts';

/** A request to an echo server. */
export interface Probe {
  /** SCTP uses a whole association, in which the server sends first, then the client. */
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly address: string;
  readonly port: number;
  /** The size of the request in bytes. Default: 4. */
  readonly bytes?: number | undefined;
  /** The wait for an answer. Default: 20,000 ms, which only ends a probe that hangs. */
  readonly waitMs?: number | undefined;
}

/** A host of programs: a Node or a Pod of a lab. */
export interface Host {
  run(program: string, args: readonly string[], input?: string): Promise<RunResult>;
}

const packets = () => nodeProgram('packets', process.env);

/**
 * The command of an echo server that answers with `name` and the client's address, on port 8080 of
 * TCP, UDP and SCTP.
 */
export function echoServer(name: string): readonly [program: string, args: readonly string[]] {
  return [packets(), ['serve', name]];
}

/**
 * Sends probes from a host, in parallel. Resolves to the answers in the order of the probes:
 * `<name> <client>`, or the error.
 */
export async function askFrom(host: Host, probes: readonly Probe[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await host.run(packets(), ['ask'], JSON.stringify(probes));
  if (code !== 0) throw new Error(`asking echo servers: ${stderr}`);
  return JSON.parse(stdout) as readonly string[];
}
