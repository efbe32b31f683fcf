import type { BindAddress, Log } from '@isthmus/kube';
import { createLog, levelOfVerbosity, parseBindAddress } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { ExitCode } from '../command/exit-code.ts';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';

// Functions that commands share which run until they are stopped.

export interface LogFlags {
  readonly v?: number | undefined;
  readonly 'log-format'?: 'json' | 'text' | undefined;
}

/**
 * The log of such a command, on stderr. Unless flags set another format, it is text on a terminal,
 * and JSON elsewhere.
 */
export function openLog({ stderr, clock }: Pick<Io, 'stderr' | 'clock'>, flags: LogFlags): Log {
  const format = flags['log-format'] ?? (stderr.isTTY ? 'text' : 'json');
  return createLog({ destination: stderr, level: levelOfVerbosity(flags.v ?? 0), format, clock });
}

/**
 * The first signal asks everything to end; a second one ends the process at once. Returns a
 * function that stops listening.
 */
export function stopOnSignal(io: Pick<Io, 'onStop' | 'exit'>, log: Log, stop: AbortController): () => void {
  return io.onStop((signal) => {
    if (stop.signal.aborted) {
      log.warn('received a second signal; exiting at once', { signal });
      return io.exit(ExitCode.failed);
    }
    log.info('stopping', { signal });
    stop.abort(new Error(`stopped by ${signal}`));
  });
}

/**
 * The address in a flag; undefined for 0, which means none. Errors: {@link UsageError} that names
 * the flag.
 */
export function bindAddressOf(flag: string, text: string): BindAddress | undefined {
  try {
    return parseBindAddress(text);
  } catch (error) {
    throw new UsageError(`--${flag}: ${errorMessage(error)}`, { cause: error });
  }
}
