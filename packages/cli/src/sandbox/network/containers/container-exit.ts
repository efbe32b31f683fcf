import type { ContainerExit } from '@isthmus/sandbox';
import type { ProgramExit } from '../../../world/io.ts';

const signalNumbers: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15, SIGSEGV: 11, SIGINT: 2 };

/** How a container ended, as a shell gives the codes of signals: 128 and the number of the signal. */
export function exitOf({ code, signal }: ProgramExit, atMs: number): ContainerExit {
  if (signal === undefined) return { code: code ?? 0, atMs };
  return { code: 128 + (signalNumbers[signal] ?? 0), atMs, message: `ended by ${signal}` };
}
