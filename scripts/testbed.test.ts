import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe.runIf(process.platform === 'linux')('the command of the test bed, after its process was killed', () => {
  let home: string;
  let other: ReturnType<typeof spawn>;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'isthmus-testbed-state-'));
    mkdirSync(join(home, 'isthmus-testbed'));
    other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  });
  afterEach(async () => {
    other.kill('SIGKILL');
    if (other.exitCode === null && other.signalCode === null) await once(other, 'exit');
    rmSync(home, { recursive: true, force: true });
  });

  const testbed = (...args: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly err: string }>((resolve) => {
      const program = fileURLToPath(new URL('testbed.ts', import.meta.url));
      execFile(
        process.execPath,
        [program, ...args],
        { env: { ...process.env, XDG_STATE_HOME: home } },
        (error, _out, err) => resolve({ code: error?.code ?? 0, err }),
      );
    });

  it.each([
    ['from another start of the machine', { started: 'x 1' }],
    ['that a former version wrote', {}],
  ])('signals no other process that has its number, with a state %s', async (_what, more) => {
    writeFileSync(
      join(home, 'isthmus-testbed/state.json'),
      JSON.stringify({ pid: other.pid, clusters: { a: { kubeconfig: '', nodes: {} } }, ...more }),
    );
    for (const command of ['down', 'status'])
      expect(await testbed(command)).toEqual({
        code: 2,
        err: 'testbed: no test bed runs. Start one: npm run testbed -- up\n',
      });
    expect(readFileSync(`/proc/${other.pid}/stat`, 'utf8')).not.toMatch(/\) Z/);
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });
});
