import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForNodes } from '@isthmus/testkit';
import { nodeProgram } from '../packages/testkit/src/testbed/programs.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

describe.skipIf(missing.length > 0)('npm run testbed', () => {
  const home = mkdtempSync(join(tmpdir(), 'isthmus-testbed-command-'));
  const folder = join(home, 'release');
  const testbed = (args: readonly string[], invokedFrom?: string) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
      const { INIT_CWD: _, ...environment } = process.env;
      const child = execFile(
        process.execPath,
        [fileURLToPath(new URL('testbed.ts', import.meta.url)), ...args],
        {
          cwd: folder,
          env: {
            ...environment,
            XDG_STATE_HOME: home,
            ...(invokedFrom !== undefined && { INIT_CWD: invokedFrom }),
          },
        },
        (_error, out, err) => resolve({ code: child.exitCode ?? 255, out: out + err }),
      );
    });

  beforeAll(async () => {
    mkdirSync(join(folder, 'dist'), { recursive: true });
    copyFileSync(nodeProgram('pause.tar', process.env), join(folder, 'dist/image.tar'));
    const { code, out } = await testbed(['up', '--clusters', 'east', '--nodes', '1']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/All Nodes are Ready[^]*east: /) });
  }, 300_000);

  afterAll(async () => {
    const { code } = await testbed(['down']);
    expect(code).toBe(0);
    rmSync(home, { recursive: true });
  }, 300_000);

  it('imports an archive whose path is relative to the folder in which npm was started', async () => {
    const imported = { code: 0, out: expect.stringMatching(/Importing .*image\.tar into east-1[^]*pause/) };
    expect(await testbed(['load', 'east', 'dist/image.tar'])).toEqual(imported);
    expect(await testbed(['load', 'east', 'image.tar'], join(folder, 'dist'))).toEqual(imported);
  }, 300_000);

  it('names an archive that does not exist, and a cluster that does not run', async () => {
    expect(await testbed(['load', 'east', 'dist/none.tar'])).toEqual({
      code: 2,
      out: expect.stringContaining(`no archive ${join(folder, 'dist/none.tar')}`),
    });
    expect(await testbed(['load', 'north', 'dist/image.tar'])).toEqual({
      code: 2,
      out: expect.stringContaining('north is not a cluster of the test bed: east'),
    });
  }, 300_000);
});
