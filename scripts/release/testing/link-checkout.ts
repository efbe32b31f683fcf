import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes a folder that looks like the checkout to npm and its scripts: what they write by relative
 * paths, such as `dist`, is then there and not in the checkout.
 */
export function linkCheckout(folder: string): void {
  const checkout = fileURLToPath(new URL('../../..', import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of ['package.json', 'node_modules', 'packages', 'scripts', 'deploy', 'docs'])
    symlinkSync(join(checkout, part), join(folder, part));
}
