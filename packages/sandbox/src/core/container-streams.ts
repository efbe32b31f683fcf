/** A container of a Pod. */
export interface ContainerRef {
  /** `namespace/name` of the Pod. */
  readonly pod: string;
  readonly container: string;
}

/** A line that a container wrote, with its end, if it has one. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** The log of one run of a container. */
export interface ContainerLog {
  /** The lines that are kept. */
  lines(): readonly LogLine[];
  /**
   * Calls `onLine` for each further line, and `onEnd` when the run is over, also if it already is.
   * Returns the unsubscriber.
   */
  follow(onLine: (line: LogLine) => void, onEnd: () => void): () => void;
}

/** The input of a program in a container, and the receivers of its output. */
export interface ExecOptions {
  readonly command: readonly string[];
  readonly hasTerminal: boolean;
  /** No more is read before the result resolves. */
  readonly onStdout: (bytes: Uint8Array) => void | Promise<void>;
  readonly onStderr: (bytes: Uint8Array) => void | Promise<void>;
}

/** A program in a container. */
export interface ExecProcess {
  write(bytes: Uint8Array): void;
  endInput(): void;
  /** Ends it at once. */
  kill(): void;
  /** Resolves to the exit code; that of a shell if a signal ended the program. Never rejects. */
  readonly exited: Promise<number>;
}

/** The way to the containers of Pods. */
export interface ContainerStreams {
  /** The log of the last run, or of the one before; undefined if there was none. */
  log(ref: ContainerRef, run: 'last' | 'previous'): ContainerLog | undefined;
  /**
   * Starts a program in a container; undefined if the container does not run. Errors: rejects if
   * the program cannot be started.
   */
  exec(ref: ContainerRef, options: ExecOptions): Promise<ExecProcess | undefined>;
}
