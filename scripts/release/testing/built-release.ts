import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { takesTurn } from '../../../tools/turn.ts';
import { blocksOf } from '../../pages/blocks.ts';
import { linkCheckout } from './link-checkout.ts';

/** A build writes it when everything else is written. */
const lastFile = 'SHA256SUMS';

/**
 * The folder with the artifacts of this version, for tests of what is released: that of
 * `ISTHMUS_DIST`, which the files of one run share (scripts/test-envtest.ts), or else `dist` in
 * `folder`. The first that needs them builds them, with the command that docs/release.md prints;
 * the others wait for it. Errors: the build failed, with what it wrote.
 */
export async function builtRelease(folder: string): Promise<string> {
  const dist = env['ISTHMUS_DIST'] ?? join(folder, 'dist');
  const building = `${dist}.building`;
  mkdirSync(dirname(dist), { recursive: true });
  while (!existsSync(join(dist, lastFile))) {
    if (!takesTurn(building)) {
      await delay(500);
      continue;
    }
    try {
      const checkout = `${dist}.checkout`;
      linkCheckout(checkout);
      await promisify(execFile)('sh', ['-ec', printedBuild()], { cwd: checkout, maxBuffer: 2 ** 28 });
      renameSync(join(checkout, 'dist'), dist);
      rmSync(checkout, { recursive: true });
    } finally {
      rmSync(building);
    }
  }
  return dist;
}

/** The first block of docs/release.md. */
export function printedBuild(): string {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/release.md', import.meta.url)), 'utf8');
  const [block] = blocksOf(page);
  if (block?.heading !== 'Build a release')
    throw new Error('docs/release.md does not begin with the command that builds a release');
  return block.text;
}
