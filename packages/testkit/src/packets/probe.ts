/** Of the modules that may touch the world: it asks where a program is (environment). */
import type { RunResult } from '../testbed/machine.ts';
import { nodeProgram } from '../testbed/programs.ts';

/** A question to an echo server. */
export interface Probe {
  /** SCTP is a whole association, in which the server speaks first, then the client. */
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly address: string;
  readonly port: number;
  /** How large the question is. Default: 4. */
  readonly bytes?: number | undefined;
  /** How long an answer is waited for. Default: 20,000 ms: it only ends what hangs. */
  readonly waitMs?: number | undefined;
}

/** Where programs run: a Node or a Pod of a lab. */
export interface Host {
  run(program: string, args: readonly string[], input?: string): Promise<RunResult>;
}

const packets = () => nodeProgram('packets', process.env);

/** The command of an echo server that answers with `name` and the client's address, on port 8080 of TCP, UDP and SCTP. */
export function echoServer(name: string): readonly [program: string, args: readonly string[]] {
  return [packets(), ['serve', name]];
}

/** Asks from a host, side by side; resolves to the answers in the order of the probes: `<name> <client>`, or what went wrong. */
export async function askFrom(host: Host, probes: readonly Probe[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await host.run(packets(), ['ask'], JSON.stringify(probes));
  if (code !== 0) throw new Error(`asking echo servers: ${stderr}`);
  return JSON.parse(stdout) as readonly string[];
}
