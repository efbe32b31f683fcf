/**
 * One of the modules that may touch the world: it starts programs, and waits for them by files (fs,
 * os, process, timers).
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packetProgram } from './packet-program.ts';
import type { Host } from './probe.ts';

export interface FlowOptions {
  readonly address: string;
  readonly port: number;
  /**
   * The number of TCP connections. In every second one the server sends, in the others the client.
   */
  readonly tcp: number;
  /** The number of UDP flows, likewise. */
  readonly udp: number;
}

export interface FlowRequest extends FlowOptions {
  /** The directory of the client's files `ready` and `stop`. */
  readonly directory: string;
}

export interface FlowReport {
  readonly flows: number;
  /** Flows without any further message, each with the reason. */
  readonly lost: readonly string[];
  /** The longest time without a message on any flow. */
  readonly worstPauseMs: number;
}

/** Flows that stay open. */
export interface Flows {
  /** Ends them. Resolves when each flow has had another message, or twenty seconds later. */
  stop(): Promise<FlowReport>;
}

/** The command of the server of flows. */
export function flowServer(): readonly [program: string, args: readonly string[]] {
  return [process.execPath, [packetProgram('flow-server')]];
}

/**
 * Opens flows from a host to a flow server; resolves when each has had a message. Errors: the
 * client ended, with what it wrote.
 */
export async function openFlows(host: Host, options: FlowOptions): Promise<Flows> {
  const directory = mkdtempSync(join(tmpdir(), 'isthmus-flows-'));
  const request: FlowRequest = { ...options, directory };
  let ended: string | undefined;
  const running = host
    .run(process.execPath, [packetProgram('flows-client')], JSON.stringify(request))
    .then((result) => {
      ended = result.stderr;
      return result;
    });
  while (!existsSync(join(directory, 'ready'))) {
    if (ended !== undefined) throw new Error(`opening flows: ${ended}`);
    await delay(20);
  }
  return {
    async stop() {
      writeFileSync(join(directory, 'stop'), '');
      const { code, stdout, stderr } = await running;
      rmSync(directory, { recursive: true, force: true });
      if (code !== 0) throw new Error(`keeping flows open: ${stderr}`);
      return JSON.parse(stdout) as FlowReport;
    },
  };
}
