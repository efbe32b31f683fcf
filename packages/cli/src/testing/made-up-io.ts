import type { HealthResponse, Transport } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { Io, Network, StopSignal } from '../world/io.ts';
import type { UnfollowedLink } from '../world/list-files.ts';
import { textOf } from '../render/paint.ts';
import { nodeCrypto } from '../world/node-crypto.ts';
import { madeUpFiles } from './made-up-files.ts';
import { madeUpNetwork } from './made-up-network.ts';

export interface MadeUpIoOptions {
  /** The programs of the machine. Default: it has none. */
  readonly runTool?: Io['runTool'] | undefined;
  /** Default: false. */
  readonly isRoot?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Text by path; every other file does not exist, and neither does directory `/missing`. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Links in folders that are not followed. */
  readonly links?: readonly UnfollowedLink[] | undefined;
  readonly home?: string | undefined;
  /** Default 1. */
  readonly pid?: number | undefined;
  readonly isTTY?: boolean | undefined;
  /** What every connection leads to. Default: nothing is there. */
  readonly transport?: Transport | undefined;
  readonly network?: Partial<Network> | undefined;
}

/** An {@link Io} without a process behind it, and what a test does to it. */
export interface MadeUpIo extends Io {
  /** All that was written to standard output. */
  readonly out: string;
  readonly err: string;
  /** The files, as they are by now. */
  readonly files: ReadonlyMap<string, string>;
  /** The codes that it was asked to end with at once. */
  readonly exits: readonly number[];
  /** How many listen for signals. */
  readonly stopListeners: number;
  stopBy(signal: StopSignal): void;
  /** Asks the server that listens on `port`. */
  ask(port: number, url: string, headers?: Readonly<Record<string, string>>): Promise<HealthResponse>;
}

export const nobody: Transport = {
  send: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6443'), { code: 'ECONNREFUSED' })),
  close() {},
};

export function madeUpIo(options: MadeUpIoOptions = {}): MadeUpIo {
  const { transport = nobody, isTTY = false } = options;
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const listeners = new Set<(signal: StopSignal) => void>();
  const files = new Map(Object.entries(options.files ?? {}));
  const { network, ask } = madeUpNetwork(transport, options.network);
  return {
    stdout: { write: (...pieces) => void (written.out += textOf(pieces, false)), isTTY },
    stderr: { write: (...pieces) => void (written.err += textOf(pieces, false)), isTTY },
    env: options.env ?? {},
    home: options.home,
    hostname: 'host-1',
    pid: options.pid ?? 1,
    ...madeUpFiles(files, options.links ?? []),
    absolutePath: (path) => `/home/user/${path}`,
    secret: () => 'made up',
    files,
    clock: options.clock ?? createVirtualClock({ startMs: Date.UTC(2026, 10, 21) }),
    random: seededRandom(1),
    memory: async () => ({
      heap: () => ({ totalBytes: 0, usedBytes: 0 }),
      busyShare: () => 0,
      compact() {},
      optimize() {},
    }),
    watchTool: (program) => Promise.resolve(`cannot run ${program}: not found`),
    probe: () => Promise.resolve({ kind: 'impossible', why: 'there is no network' }),
    runTool: options.runTool ?? ((program) => Promise.reject(new Error(`cannot run ${program}: not found`))),
    startProgram: (program) => Promise.reject(new Error(`cannot run ${program}: not found`)),
    ownCommand: ['isthmus'],
    platform: 'linux',
    isRoot: options.isRoot ?? false,
    bundleCrypto: nodeCrypto,
    network,
    onStop(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    exit: (code) => void exits.push(code),
    get out() {
      return written.out;
    },
    get err() {
      return written.err;
    },
    exits,
    get stopListeners() {
      return listeners.size;
    },
    stopBy: (signal) => listeners.forEach((listener) => listener(signal)),
    ask,
  };
}
