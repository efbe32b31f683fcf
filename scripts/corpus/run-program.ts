import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckRun, RunChecks } from './checks.ts';

/** How a program ended, and what it printed. */
export interface ProgramRun {
  readonly exit: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. Rejects where it cannot be started. */
export function runProgram(program: string, args: readonly string[], env = process.env): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        exit: code ?? undefined,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
      }),
    );
  });
}

/**
 * Runs the checks of each pair in a process, as fast as the launcher of `isthmus` starts it the
 * second time. `folder` takes its files.
 */
export function checksInProcess(folder: string): RunChecks {
  const program = fileURLToPath(new URL('run-checks.ts', import.meta.url));
  const cache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
  const path = join(folder, 'checks.json');
  return async (lines): Promise<readonly CheckRun[]> => {
    writeFileSync(path, JSON.stringify(lines));
    const { stderr } = await runProgram(process.execPath, [program, path], {
      ...process.env,
      NODE_COMPILE_CACHE: cache,
    });
    const written = JSON.parse(readFileSync(path, 'utf8')) as readonly (CheckRun | readonly string[])[];
    const runs = written.flatMap((one) => (Array.isArray(one) ? [] : [one as CheckRun]));
    // The check that ended the process, and those that did not begin for it.
    const lost = lines.slice(runs.length).map(() => ({ exit: undefined, stdout: '', stderr, cpuMs: 0, memoryMb: 0 }));
    return [...runs, ...lost];
  };
}
