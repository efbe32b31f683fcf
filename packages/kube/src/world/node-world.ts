// The real world: the one module of this package that reads the clock of the machine, its
// randomness and its files. Everything else gets them as arguments (ARCHITECTURE.md, rule 5).
import { open } from 'node:fs/promises';
import type { Clock, Random } from '@isthmus/machinery';
import type { FileContent } from './read-file.ts';

/**
 * The clock of this machine. Waits of any length are kept exactly, also those beyond what one timer
 * of Node can take.
 */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, callback) {
      if (ms === Infinity) return () => {};
      let timer: NodeJS.Timeout;
      const start = (remainingMs: number) => {
        timer =
          remainingMs > longestTimerMs
            ? setTimeout(() => start(remainingMs - longestTimerMs), longestTimerMs)
            : setTimeout(callback, Math.max(0, remainingMs));
      };
      start(ms);
      return () => clearTimeout(timer);
    },
  };
}

/** The randomness of this process; not for secrets. */
export function systemRandom(): Random {
  return { next: () => Math.random() };
}

/**
 * Reads a text file (UTF-8) whole, pipes and mounted Secrets included. Refuses more than 16 MiB, so
 * that a device or a wrong path cannot exhaust memory. Errors name the file.
 */
export async function readFile(path: string): Promise<FileContent> {
  try {
    await using file = await open(path, 'r');
    const { mode } = await file.stat();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(64 * 1024), position: null });
      if (bytesRead === 0) break;
      bytes += bytesRead;
      if (bytes > maxFileBytes) throw new Error(`larger than ${maxFileBytes} bytes`);
      chunks.push(buffer.subarray(0, bytesRead));
    }
    return { text: Buffer.concat(chunks).toString('utf8'), mode: mode & 0o777 };
  } catch (error) {
    // Some programs read standard input for a dash.
    const why = `${fileProblem(error)}${path === '-' ? '; for standard input, pass /dev/stdin' : ''}`;
    throw new Error(`cannot read ${path}: ${why}`, { cause: error });
  }
}

/** Why a file could not be read, in words for a person; the path is the caller's to name. */
export function fileProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'no such file';
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a directory';
    default:
      return error.message;
  }
}

/** A timer of Node keeps its milliseconds in 31 bits. */
const longestTimerMs = 2 ** 31 - 1;
const maxFileBytes = 16 * 1024 * 1024;
