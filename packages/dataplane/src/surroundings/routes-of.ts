import type { RunProgram } from '../kernel/write-network.ts';

/**
 * The routes of one family (`-4` or `-6`) in a table; empty for a family that the Node does not
 * have. T: their fields, which are not checked. Errors: throws if `ip` cannot be run, or prints
 * unexpected output.
 */
export async function routesOf<T>(run: RunProgram, family: '-4' | '-6', table: string): Promise<readonly T[]> {
  const args = ['-j', family, 'route', 'show', 'table', table];
  const { code, stdout, stderr } = await run('ip', args, '');
  if (code !== 0 && isWithoutFamily(stderr)) return [];
  if (code !== 0) throw new Error(`cannot read the routes of this Node: ip ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as readonly T[]);
}

/** The output of `ip` if the kernel lacks the family, or no device that is up has it. */
const isWithoutFamily = (stderr: string) => /not supported|FIB table does not exist/i.test(stderr);
