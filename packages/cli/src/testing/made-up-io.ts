import type {
  BindAddress,
  FileContent,
  HealthRequest,
  HealthResponse,
  HttpRequestHead,
  Transport,
} from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import { createVirtualClock } from '@isthmus/testkit';
import type { Io, Network, StopSignal } from '../world/io.ts';
import type { UnfollowedLink } from '../world/list-files.ts';
import { textOf } from '../render/paint.ts';
import { nodeCrypto } from '../world/node-crypto.ts';

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

/** Short, so that what is read by chunks is cut in odd places; a prime, so that it is so everywhere. */
const chunkLength = 8191;

function leadsOut(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
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
  const servers = new Map<number, (request: HealthRequest) => Promise<HealthResponse>>();
  const secure = new Map<number, (request: HttpRequestHead) => Promise<HealthResponse>>();
  return {
    stdout: { write: (...pieces) => void (written.out += textOf(pieces, false)), isTTY },
    stderr: { write: (...pieces) => void (written.err += textOf(pieces, false)), isTTY },
    env: options.env ?? {},
    home: options.home,
    hostname: 'host-1',
    pid: options.pid ?? 1,
    async readFile(path): Promise<FileContent> {
      const text = files.get(path);
      if (text !== undefined) return { text };
      const cause = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      throw new Error(`cannot read ${path}: no such file`, { cause });
    },
    async listFiles(path) {
      if (files.has(path)) return { files: [path], links: [] };
      const below = [...files.keys()].filter((file) => file.startsWith(`${path.replace(/\/+$/, '')}/`));
      const leading = (options.links ?? []).filter((link) => link.path.startsWith(`${path.replace(/\/+$/, '')}/`));
      if (below.length + leading.length === 0) throw new Error(`cannot read ${path}: no such file or folder`);
      return { files: below.toSorted(), links: leading };
    },
    async readBelow(folder, path) {
      if (leadsOut(path)) return { kind: 'outside', path };
      const text = files.get(`${folder}${path}`);
      return text === undefined ? { kind: 'missing' } : { kind: 'text', path: `${folder}${path}`, text };
    },
    async bytesBelow(folder, path) {
      if (leadsOut(path)) return { kind: 'outside', path };
      const text = files.get(`${folder}${path}`);
      return text === undefined ? { kind: 'missing' } : { kind: 'bytes', chunks: bytesOf(text) };
    },
    async *readChunks(path) {
      const text = files.get(path);
      if (text === undefined) {
        const cause = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
        throw new Error(`cannot read ${path}: no such file`, { cause });
      }
      for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength);
    },
    privateFiles: {
      obstacle: async (path) => (path.startsWith('/missing/') ? 'directory /missing does not exist' : undefined),
      write: async (path, text) => !files.has(path) && files.set(path, text).has(path),
      remove: async (path) => void files.delete(path),
    },
    writableFiles: {
      append: async (path, text) => void files.set(path, (files.get(path) ?? '') + text),
      replace: async (path, text) => void files.set(path, text),
      remove: async (path) => void files.delete(path),
    },
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
    network: {
      connect: async () => transport,
      dial: () => transport,
      openWebSocket: () => Promise.reject(new Error('connect ECONNREFUSED 192.0.2.1:6443')),
      createAuthority: () => Promise.reject(new Error('no authority is made up here')),
      openDirect: () => Promise.reject(new Error('there is no network')),
      serveNames: () => Promise.reject(new Error('no names are served here')),
      serve: () => Promise.reject(new Error('nothing is served here')),
      async listen(bind: BindAddress, handler) {
        servers.set(bind.port, handler);
        return {
          address: { host: bind.host ?? '0.0.0.0', port: bind.port },
          [Symbol.asyncDispose]: async () => void servers.delete(bind.port),
        };
      },
      async listenSecurely(bind, handler) {
        secure.set(bind.port, handler);
        return {
          address: { host: bind.host ?? '0.0.0.0', port: bind.port },
          [Symbol.asyncDispose]: async () => void secure.delete(bind.port),
        };
      },
      ...options.network,
    },
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
    async ask(port, url, headers) {
      const secureHandler = secure.get(port);
      if (secureHandler !== undefined) return secureHandler({ method: 'GET', url, headers: headers ?? {} });
      const handler = servers.get(port);
      if (handler === undefined) throw new Error(`nobody listens on port ${port}`);
      return handler({ method: 'GET', url });
    },
  };
}
