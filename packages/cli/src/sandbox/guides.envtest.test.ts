import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startStory, typeBlock } from '../../../../scripts/pages/testing/story.ts';
import { startSandboxProcess } from '../testing/sandbox-process.ts';
import type { SandboxProcess } from '../testing/sandbox-process.ts';

const cannotHaveNetworks = missingForNodes(process.env).length > 0;
const pages = [
  'docs/guides/quick-start.md',
  'docs/guides/user-guide.md',
  'docs/guides/join.md',
  'docs/guides/grant-fleet.md',
  ...(cannotHaveNetworks ? [] : (['docs/guides/sandbox-network.md'] as const)),
] as const;

/** `npx`, as in a checkout: it runs the `isthmus` of this one. */
function putNpx(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec ${process.execPath} ${launcher} "$@"\n`, { mode: 0o755 });
  return bin;
}

describe.each(pages)('%s, typed with a real kubectl', (page) => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-guide-'));
  const story = startStory(import.meta.url, page);
  const first = story.blocks.find(({ info }) => info === 'sh sandbox');
  const readme = first === undefined ? startStory(import.meta.url, 'README.md') : undefined;
  let running: SandboxProcess | undefined;
  let path: string;

  beforeAll(async () => {
    // In a terminal of its own; npm ci has been run. The user guide leaves it to others.
    const start = (block: string) =>
      startSandboxProcess(folder, /npx isthmus sandbox up (.*)/.exec(block)?.[1]?.split(' '));
    running = await (first === undefined
      ? readme?.run('See it work', start, 4)
      : story.run(first.heading, start, first.number));
    path = `${putNpx(folder)}:${running?.env['PATH']}`;
  });
  afterAll(async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const blocks = story.blocks.filter((block) => block !== first);
  it.each(blocks.map(({ heading, number }) => [heading, number] as const))(
    '"%s", block %d succeeds',
    async (heading, number) => {
      await story.run(
        heading,
        (block) => typeBlock(block, { cwd: folder, env: { ...running?.env, PATH: path } }),
        number,
      );
    },
  );
});
