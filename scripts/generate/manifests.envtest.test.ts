import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RealApiServer } from '@isthmus/testkit';
import { startApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installTools } from '../../tools/programs.ts';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));

let home: string;
let server: RealApiServer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'isthmus-manifests-'));
  server = await startApiServer({ name: 'manifests' });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

function kubectl(program: string, ...args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: server.kubeconfigPath };
  return new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    execFile(program, args, { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 255, out, err }),
    );
  });
}

it('is applied on the server, by kubectl, without a conflict after each manifest was applied by the client, and no spec changes', async () => {
  const newest = installTools(console.log).at(-1);
  if (newest === undefined) throw new Error('tools/package.json names no kubectl');
  const run = (...args: readonly string[]) => kubectl(newest.kubectl, ...args);
  expect((await run('create', 'namespace', 'antrea-multicluster')).code).toBe(0);
  // Not wireguard.yaml: this API server admits no privileged containers.
  for (const name of [
    'leader',
    'member',
    'leader-strict',
    'leader-events',
    'metrics',
    'agent',
    'agent-policies',
    'dns',
  ]) {
    const file = join(deploy, `${name}.yaml`);
    const specs = () =>
      run('get', '-f', file, '-o', 'jsonpath={range .items[*]}{.kind} {.metadata.name} {.spec}{"\\n"}');
    const first = await run('apply', '-f', file);
    expect({ name, code: first.code, err: first.err }).toEqual({ name, code: 0, err: '' });
    const before = await specs();
    for (const how of [[], ['--server-side'], ['--server-side']]) {
      const { code, err } = await run('apply', ...how, '-f', file);
      expect({ name, how, code, err }).toEqual({ name, how, code: 0, err: '' });
      expect(await specs()).toEqual(before);
    }
  }
});
