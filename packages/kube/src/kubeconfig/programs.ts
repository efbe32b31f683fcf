/** A program to run to its end. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it may ask the person at the terminal; otherwise its standard input is empty. */
  readonly interactive: boolean;
}

export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The last lines; empty where the person at the terminal has seen them. */
  readonly stderr: string;
}

/** The programs of this machine. */
export interface Programs {
  /** Whether a user can answer questions at standard input. */
  readonly hasTerminal: boolean;
  /**
   * Rejects where the program cannot be started (`code` ENOENT: it does not exist), or with the
   * signal's reason after it was ended.
   */
  run(program: Program, signal: AbortSignal): Promise<ProgramEnd>;
}
