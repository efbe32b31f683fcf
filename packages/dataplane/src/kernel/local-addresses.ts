import type { RunProgram } from './write-network.ts';

/**
 * The addresses that the kernel of this Node takes for its own or for broadcasts, by their texts, sorted: on any device, whoever put them there. Ranges, such as that of the loopback device, are
 * left out. Nothing for a family that the Node does not have. Errors: throws where `ip` cannot be run, or prints something else than it should.
 */
export async function readLocalAddresses(run: RunProgram): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const family of ['-4', '-6']) {
    const { code, stdout } = await run('ip', ['-j', family, 'route', 'show', 'table', 'local'], '');
    if (code !== 0 || stdout.trim() === '') continue;
    for (const { dst } of JSON.parse(stdout) as readonly { readonly dst?: string }[])
      if (dst !== undefined && !dst.includes('/')) found.add(dst);
  }
  return [...found].toSorted();
}
