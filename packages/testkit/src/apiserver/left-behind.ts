/**
 * One of the modules that may touch the world: it reads processes and directories (fs, timers). For
 * tests, on Linux.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A living process. */
export interface FoundProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/**
 * The processes that have `directory` in their command line or as their working directory. Zombies
 * do not count.
 */
export function processesOf(directory: string): readonly FoundProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      const commandLine = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .replaceAll('\0', ' ')
        .trim();
      const workingDirectory = attempt(() => readlinkSync(`/proc/${pid}/cwd`));
      const belongs = commandLine.includes(directory) || workingDirectory.startsWith(directory);
      return belongs ? [{ pid: Number(pid), commandLine }] : [];
    });
}

/** The traces of a cluster: a line for each of its processes, and its directory. */
export function tracesOf(directory: string): readonly string[] {
  const processes = processesOf(directory).map((found) => `process ${found.pid}: ${found.commandLine}`);
  return existsSync(directory) ? [...processes, directory] : processes;
}

/** Waits up to `limitMs` until there are no traces; returns those that it found last. */
export async function tracesLeft(directory: string, limitMs: number): Promise<readonly string[]> {
  const stepMs = 20;
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += stepMs) {
    if (tracesOf(directory).length === 0) break;
    await delay(stepMs);
  }
  return tracesOf(directory);
}

/** Empty if the process has ended meanwhile, or this user may not read it. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
