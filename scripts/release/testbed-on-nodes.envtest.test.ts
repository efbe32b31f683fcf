import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForNodes } from '@isthmus/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { startStory, typeBlock } from '../pages/testing/story.ts';
import { builtRelease } from './testing/built-release.ts';
import { linkCheckout } from './testing/link-checkout.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);
const isSkipped = missing.length > 0;

describe.skipIf(isSkipped)('the commands of the test bed', () => {
  const page = startStory(import.meta.url, 'docs/testbed.md');
  const folder = isSkipped ? '' : mkdtempSync(join(tmpdir(), 'isthmus-testbed-page-'));
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  afterAll(async () => {
    // Where a command has failed before the last one.
    await typeBlock('npm run testbed -- down || true', { cwd: folder, env });
    rmSync(folder, { recursive: true, force: true });
  });

  it('start clusters, show their Nodes, import an image, run a command on a Node, and end everything', async () => {
    linkCheckout(folder);
    symlinkSync(await builtRelease(join(folder, 'built')), join(folder, 'dist'));
    const said = await page.run('Clusters with real Nodes on one machine', (block) =>
      typeBlock(block, { cwd: folder, env }),
    );
    for (const node of ['east-1', 'east-2']) expect(said).toMatch(new RegExp(`^${node} +Ready `, 'm'));
    expect(said).toMatch(/^table (?:ip|inet) /m);
  });
});
