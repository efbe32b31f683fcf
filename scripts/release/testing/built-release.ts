import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env, execPath, kill, pid } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A build writes it when everything else is written. */
const lastFile = 'SHA256SUMS';

/**
 * The folder with the artifacts of this version, for tests of what is released: that of `ISTHMUS_DIST`, which the files of one run share
 * (scripts/test-envtest.ts), or else `dist` in `folder`. The first that needs them builds them; the others wait for it.
 * Errors: the build failed, with what it wrote.
 */
export async function builtRelease(folder: string): Promise<string> {
  const dist = env['ISTHMUS_DIST'] ?? join(folder, 'dist');
  const building = `${dist}.building`;
  mkdirSync(dirname(dist), { recursive: true });
  while (!existsSync(join(dist, lastFile))) {
    if (!takes(building)) {
      await delay(500);
      continue;
    }
    try {
      const program = fileURLToPath(new URL('../build.ts', import.meta.url));
      await promisify(execFile)(execPath, [program, '--out', dist], { maxBuffer: 2 ** 28 });
    } finally {
      rmSync(building);
    }
  }
  return dist;
}

/** Whether this process builds now: nobody does, or who did has ended in the middle of it. */
function takes(file: string): boolean {
  try {
    writeFileSync(file, String(pid), { flag: 'wx' });
    return true;
  } catch {
    if (isRunning(file)) return false;
    rmSync(file, { force: true });
    return false;
  }
}

/** Whether the process that a file names still runs; a file that is just being written or has just gone counts as such. */
function isRunning(file: string): boolean {
  try {
    const builder = Number(readFileSync(file, 'utf8'));
    return builder === 0 || kill(builder, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
