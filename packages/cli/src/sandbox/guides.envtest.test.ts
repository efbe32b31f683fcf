import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));
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

describe.each(['quick-start.md', 'user-guide.md'])('The guide %s, typed with a real kubectl', (guide) => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-guide-'));
  const { blocks, sandbox } = blocksOf(guide);
  let child: ChildProcess;

  beforeAll(async () => {
    // Of the guide that starts it, the line that does; npm ci has been run.
    const args = /npx isthmus (sandbox up .*)/.exec(
      sandbox ?? 'npx isthmus sandbox up --clusters north:leader,east,west',
    );
    child = spawn(process.execPath, [launcher, ...(args?.[1] ?? '').split(' ')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Press Ctrl-C to stop the clusters.')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}:\n${said}`)));
    await ready;
  });
  afterAll(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(blocks.map((block, index) => [index + 1, block] as const))('block %d succeeds', async (_number, block) => {
    const env = {
      HOME: folder,
      KUBECONFIG: join(folder, 'isthmus-sandbox.kubeconfig'),
      PATH: `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`,
    };
    const ran = await new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
      const shell = execFile('sh', ['-ec', block], { cwd: folder, env }, (_error, out, err) =>
        resolve({ code: shell.exitCode, said: out + err }),
      );
    });
    expect({ ...ran, block }).toMatchObject({ code: 0 });
  });

  it('has blocks', () => {
    expect(blocks.length).toBeGreaterThan(4);
  });
});
