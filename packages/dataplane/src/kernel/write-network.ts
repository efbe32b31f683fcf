import { errorMessage } from '@isthmus/machinery';
import { failureText } from './failure-hint.ts';
import type { Batch } from '../network/render.ts';

/** Runs a program to its end. Any exit code is a result. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input: string,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

/**
 * How many characters of a program's error output are kept: it may repeat a line for each command
 * in its input.
 */
export const keptErrorLength = 2_000;

/**
 * Writes commands to the kernel, one batch after the other. Each line of `ip` and `bridge` is
 * tried, even if earlier lines failed. Lines of `nft` take effect together or not at all.
 *
 * Errors: throws {@link NotWritten} after all batches were tried, with the error output of each
 * program.
 */
export async function writeBatches(batches: readonly Batch[], run: RunProgram): Promise<void> {
  const failures: string[] = [];
  const failed = new Set<Batch['program']>();
  for (const { program, lines } of batches) {
    try {
      const { code, stderr } = await runBatch(program, lines, run);
      if (code === 0) continue;
      failures.push(`${program} failed for ${lines.length} commands: ${failureText(stderr)}`);
    } catch (error) {
      failures.push(errorMessage(error));
    }
    failed.add(program);
  }
  if (failures.length > 0)
    throw new NotWritten(`cannot write the network of this Node: ${failures.join('\n')}`, failed);
}

/** Only a part of a network was written. */
export class NotWritten extends Error {
  /** The programs that failed. */
  readonly programs: ReadonlySet<Batch['program']>;

  constructor(message: string, programs: NotWritten['programs']) {
    super(message);
    this.programs = programs;
  }
}

function runBatch(program: Batch['program'], lines: readonly string[], run: RunProgram): ReturnType<RunProgram> {
  if (program === 'wg') return runWg(lines, run);
  const [name, args] = commands[program];
  return run(name, args, `${lines.join('\n')}\n`);
}

/** Runs `wg` with all peers of a device as arguments of one command: their keys are public. */
async function runWg(lines: readonly string[], run: RunProgram): ReturnType<RunProgram> {
  const words = lines.map((line) => line.split(' '));
  const byDevice = Map.groupBy(words, ([device = '']) => device);
  const results = [];
  for (const [device, ofDevice] of byDevice)
    results.push(await run('wg', ['set', device, ...ofDevice.flatMap(([, ...rest]) => rest)], ''));
  return {
    code: Math.max(...results.map(({ code }) => code)),
    stdout: '',
    stderr: results.map(({ stderr }) => stderr).join(''),
  };
}

const commands: Readonly<Record<Exclude<Batch['program'], 'wg'>, readonly [name: string, args: readonly string[]]>> = {
  ip: ['ip', ['-force', '-batch', '-']],
  'ip -6': ['ip', ['-6', '-force', '-batch', '-']],
  bridge: ['bridge', ['-force', '-batch', '-']],
  nft: ['nft', ['-f', '-']],
};
