/**
 * The checks of one pair in a process of their own, so that none of them ends the corpus:
 * `node run-checks.ts FILE`. FILE has the arguments of each check, and takes how they ended.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeIo } from '../../packages/cli/src/world/node-process.ts';
import { runCli } from '../../packages/cli/src/run-cli.ts';
import type { CheckRun } from './checks.ts';

/** Processor time of this process, and the most memory that it had. */
function usage(): { readonly cpuMs: number; readonly memoryMb: number } {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, memoryMb: maxRSS / 1024 };
}

async function runAll(path: string): Promise<void> {
  const lines = JSON.parse(readFileSync(path, 'utf8')) as readonly (readonly string[])[];
  const runs: CheckRun[] = [];
  // A user who runs a single check pays for the start as well.
  const startMs = usage().cpuMs;
  for (const args of lines) {
    const before = usage().cpuMs;
    const printed = { stdout: '', stderr: '' };
    const output = (name: keyof typeof printed) => ({
      isTTY: false,
      write: (...pieces: readonly (string | { readonly text: string })[]) =>
        void (printed[name] += pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')),
    });
    const io = {
      ...nodeIo(fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))),
      stdout: output('stdout'),
      stderr: output('stderr'),
    };
    const exit = await runCli(io, ['upgrade', 'check', ...args]);
    const { cpuMs, memoryMb } = usage();
    runs.push({ exit, ...printed, cpuMs: startMs + cpuMs - before, memoryMb });
    writeFileSync(path, JSON.stringify(runs));
  }
}

if (import.meta.main) await runAll(process.argv[2] ?? '');
