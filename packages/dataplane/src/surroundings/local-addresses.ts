import type { RunProgram } from '../kernel/write-network.ts';
import { routesOf } from './routes-of.ts';

/**
 * The addresses that the kernel of this Node considers its own or broadcast addresses, by their
 * texts, sorted: on any device, whatever program added them. Ranges, such as that of the loopback
 * device, are left out. Empty for a family that the Node does not have. Errors: those of
 * {@link routesOf}.
 */
export async function readLocalAddresses(run: RunProgram): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const family of ['-4', '-6'] as const)
    for (const { dst } of await routesOf<{ readonly dst?: string }>(run, family, 'local'))
      if (dst !== undefined && !dst.includes('/')) found.add(dst);
  return [...found].toSorted();
}
