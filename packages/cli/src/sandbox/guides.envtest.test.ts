import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandboxProcess } from '../testing/sandbox-process.ts';
import type { SandboxProcess } from '../testing/sandbox-process.ts';

const guides = new URL('../../../../docs/guides/', import.meta.url);

/** The blocks of commands of a guide, in their order; and the command of a terminal of its own, where it has one. */
function blocksOf(guide: string): { readonly blocks: readonly string[]; readonly sandbox: string | undefined } {
  const text = readFileSync(new URL(guide, guides), 'utf8');
  const found = [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, kind = '', block = '']) => ({ kind, block }));
  expect(found.filter(({ kind }) => kind !== 'sh' && kind !== 'sh sandbox')).toEqual([]);
  return {
    blocks: found.filter(({ kind }) => kind === 'sh').map(({ block }) => block),
    sandbox: found.find(({ kind }) => kind === 'sh sandbox')?.block,
  };
}

const cannotHaveNetworks = missingForNodes(process.env).length > 0;
const run = ['quick-start.md', 'user-guide.md', ...(cannotHaveNetworks ? [] : ['sandbox-network.md'])];

/** `npx`, as in a checkout: it runs the `isthmus` of this one. */
function putNpx(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec ${process.execPath} ${launcher} "$@"\n`, { mode: 0o755 });
  return bin;
}

describe.each(run)('The guide %s, typed with a real kubectl', (guide) => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-guide-'));
  const { blocks, sandbox } = blocksOf(guide);
  let running: SandboxProcess;
  let path: string;

  beforeAll(async () => {
    // Of the guide that starts it, the line that does; npm ci has been run.
    const args = /npx isthmus sandbox up (.*)/.exec(
      sandbox ?? 'npx isthmus sandbox up --clusters north:leader,east,west',
    );
    running = await startSandboxProcess(folder, args?.[1]?.split(' '));
    path = `${putNpx(folder)}:${running.env['PATH']}`;
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(blocks.map((block, index) => [index + 1, block] as const))('block %d succeeds', async (_number, block) => {
    const ran = await new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
      const shell = execFile(
        'sh',
        ['-ec', block],
        { cwd: folder, env: { ...running.env, PATH: path } },
        (_error, out, err) => resolve({ code: shell.exitCode, said: out + err }),
      );
    });
    expect(ran.code, `${block}${ran.said}`).toBe(0);
  });

  it('has blocks', () => {
    expect(blocks.length).toBeGreaterThan(4);
  });
});
