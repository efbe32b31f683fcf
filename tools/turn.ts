import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { kill, pid } from 'node:process';

/**
 * Whether this process has the turn now, until it removes the file: no process has it, or its owner
 * ended in the middle of it. A process keeps its turn for as long as it needs.
 */
export function takesTurn(file: string): boolean {
  try {
    writeFileSync(file, String(pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isRunning(file)) rmSync(file, { force: true });
    return false;
  }
}

/**
 * Whether the process that a file names still runs; a file that is just being written or has just
 * gone counts as such.
 */
function isRunning(file: string): boolean {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    return holder === 0 || kill(holder, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
