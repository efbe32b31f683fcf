import type {
  BindAddress,
  ConnectionSettings,
  HealthRequest,
  HealthResponse,
  HealthServer,
  HttpRequestHead,
  SecureServerOptions,
  HttpsTransportOptions,
  Log,
  OpenWebSocket,
  ReadFile,
  RefusedWebSocket,
  Transport,
  WebSocketOptions,
} from '@isthmus/kube';
import type { Clock, Random } from '@isthmus/machinery';
import type { Authority, HttpsSandbox, Sandbox } from '@isthmus/sandbox';
import type { DirectSocket, DnsServer, DnsServerOptions, Probe, RunProgram, WatchProgram } from '@isthmus/dataplane';
import type { BundleCrypto } from '@isthmus/upgrade';
import type { ListFiles } from './list-files.ts';
import type { Output } from '../render/output.ts';
import type { BytesBelow, ReadBelow } from './read-below.ts';
import type { ReadChunks } from './read-chunks.ts';

/** The signals that ask a process to end. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** The ways out of the process. */
export interface Network {
  /**
   * A transport to the API server that the settings name; errors as those of `connect` in
   * `@isthmus/kube`.
   */
  connect(settings: ConnectionSettings, userAgent: string): Promise<Transport>;
  /**
   * A transport to a server, with a given certificate authority and credentials. Throws if the
   * options allow no transport.
   */
  dial(options: HttpsTransportOptions): Transport;
  /**
   * Opens a connection of messages to an API server; errors as those of `openWebSocket` in
   * `@isthmus/kube`.
   */
  openWebSocket(options: WebSocketOptions): Promise<OpenWebSocket | RefusedWebSocket>;
  /** Serves a handler over HTTP until the result is disposed. */
  listen(
    bind: BindAddress,
    handler: (request: HealthRequest) => Promise<HealthResponse>,
    log: Log,
  ): Promise<HealthServer>;
  /** Serves a handler over HTTPS, with a certificate of its own, until the result is disposed. */
  listenSecurely(
    bind: BindAddress,
    handler: (request: HttpRequestHead) => Promise<HealthResponse>,
    options: SecureServerOptions,
  ): Promise<HealthServer>;
  /**
   * Listens on a UDP port of all addresses, for agents of other clusters, until the result is
   * disposed. Errors: rejects where the port cannot be had.
   */
  openDirect(port: number): Promise<DirectSocket & AsyncDisposable>;
  /** The addresses of a host, as this machine looks them up. Errors: rejects if there are none. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Answers DNS queries until the result is disposed. */
  serveNames(options: DnsServerOptions): Promise<DnsServer>;
  /** A certificate authority of its own, with its key in memory. */
  createAuthority(commonName: string): Promise<Authority>;
  /** Serves a sandbox over HTTPS on a free port of loopback until the result is disposed. */
  serve(sandbox: Sandbox, authority: Authority): Promise<HttpsSandbox>;
}

/** Files that only their owner may read. */
export interface PrivateFiles {
  /**
   * Why no file can be written to `path`; undefined if nothing is in the way. Looks at the
   * directory, not at the file itself.
   */
  obstacle(path: string): Promise<string | undefined>;
  /**
   * Writes a file in one step, mode 0600; false if something exists at `path` already. Errors name
   * it.
   */
  write(path: string, text: string): Promise<boolean>;
  /** Removes it; one that is not there is no error. */
  remove(path: string): Promise<void>;
}

/** Files that commands write. Errors name them. */
export interface WritableFiles {
  /** Adds text to the end of a file, which is created where it is missing. */
  append(path: string, text: string): Promise<void>;
  /** Writes a file in one step: readers see the old or the new content. */
  replace(path: string, text: string): Promise<void>;
  /** Removes it; one that is not there is no error. */
  remove(path: string): Promise<void>;
}

/** The memory of the process. */
export interface ProcessMemory {
  /**
   * Bytes that the heap of objects has from the system, and of them those in use, garbage included.
   */
  heap(): { readonly totalBytes: number; readonly usedBytes: number };
  /**
   * Processor time since the last call, as a share of the time that has passed; above 1 where
   * several threads work.
   */
  busyShare(): number;
  /**
   * Collects garbage and moves the rest together, so that free memory goes back to the system
   * within seconds. The process is blocked meanwhile.
   */
  compact(): void;
  /**
   * Has V8 optimize from now on what runs often, which costs memory that does not come back.
   * Without effect where it does so already.
   */
  optimize(): void;
}

/** A program that runs on. */
export interface RunningProgram {
  readonly pid: number;
  /** Resolves when it has ended and all that it wrote was handed on; never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** Writes to its standard input. */
  write(data: string | Uint8Array): void;
  endInput(): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** How a program ended: by itself, with a code, or by a signal. */
export interface ProgramExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** The options of a program that is started. */
export interface StartOptions {
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Called with what it writes. No more is read before the result resolves. */
  readonly onStdout?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  readonly onStderr?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
}

/**
 * Starts a program of the machine, without a shell and in a session of its own. Rejects where it
 * cannot be started.
 */
export type StartProgram = (program: string, args: readonly string[], options: StartOptions) => Promise<RunningProgram>;

/** The world of a command: all that it may touch. Real in `main`, made up in tests. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home folder of the user, where there is one. */
  readonly home: string | undefined;
  readonly hostname: string;
  /** The number of the process; 1 for the first one of a container. */
  readonly pid: number;
  readonly readFile: ReadFile;
  readonly listFiles: ListFiles;
  readonly readBelow: ReadBelow;
  readonly bytesBelow: BytesBelow;
  readonly readChunks: ReadChunks;
  readonly privateFiles: PrivateFiles;
  readonly writableFiles: WritableFiles;
  /** The path from the root. */
  absolutePath(path: string): string;
  /** 256 random bits that cannot be guessed, hexadecimal. */
  secret(): string;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  /** Called once, by what runs for long. */
  memory(): Promise<ProcessMemory>;
  /** Runs programs that change the network of the machine. */
  readonly runTool: RunProgram;
  /** Starts programs that run on; they do not end with this process. */
  readonly startProgram: StartProgram;
  /** The command that runs this program. */
  readonly ownCommand: readonly [program: string, ...args: string[]];
  /** The platform of Node, as `linux`, and whether the process has the rights of root. */
  readonly platform: string;
  readonly isRoot: boolean;
  /** Runs programs that follow what happens in the network of the machine. */
  readonly watchTool: WatchProgram;
  /** Sends a probe to the other end of a tunnel of the machine. */
  readonly probe: Probe;
  /** Hashes and signatures of bundles. */
  readonly bundleCrypto: BundleCrypto;
  /**
   * Calls the listener for each signal that asks to end, instead of ending. Returns the
   * unsubscriber.
   */
  onStop(listener: (signal: StopSignal) => void): () => void;
  /** Ends the process at once, whatever still runs. */
  exit(code: number): void;
}
