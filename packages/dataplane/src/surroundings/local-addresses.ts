import type { RunProgram } from '../kernel/write-network.ts';

/**
 * The addresses that the kernel of this Node considers its own or broadcast addresses, by their
 * texts, sorted: on any device, whatever program added them. Ranges, such as that of the loopback
 * device, are left out. Empty for a family that the Node does not have. Errors: throws if `ip`
 * cannot be run, or prints unexpected output.
 */
export async function readLocalAddresses(run: RunProgram): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const family of ['-4', '-6']) {
    const args = ['-j', family, 'route', 'show', 'table', 'local'];
    const { code, stdout, stderr } = await run('ip', args, '');
    if (code !== 0 && isWithoutFamily(stderr)) continue;
    if (code !== 0) throw new Error(`cannot read the addresses of this Node: ip ${args.join(' ')}: ${stderr.trim()}`);
    if (stdout.trim() === '') continue;
    for (const { dst } of JSON.parse(stdout) as readonly { readonly dst?: string }[])
      if (dst !== undefined && !dst.includes('/')) found.add(dst);
  }
  return [...found].toSorted();
}

/** The output of `ip` if the kernel lacks the family, or no device that is up has it. */
const isWithoutFamily = (stderr: string) => /not supported|FIB table does not exist/i.test(stderr);
