import { existsSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runProgram } from './run-program.ts';

const { signal } = new AbortController();
const node = (script: string, env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: ['-e', script],
  env,
  interactive: false,
});

describe('a program', () => {
  it('runs with the arguments and the environment given, without input', async () => {
    const script =
      "process.stdin.on('data', () => {}).on('end', () => { console.log(process.env.A); console.error('b'); process.exitCode = 3; })";
    expect(await runProgram(node(script, { A: 'a' }), signal)).toEqual({ exitCode: 3, stdout: 'a\n', stderr: 'b\n' });
  });

  it('that does not exist is an error with the code ENOENT', async () => {
    const missing = { ...node(''), command: 'isthmus-no-such-program' };
    await expect(runProgram(missing, signal)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is ended by the signal', async () => {
    const stop = new AbortController();
    const running = runProgram(node('setInterval(() => {}, 1000)'), stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  // As a shell that waits for another program, and one that has gone before it.
  it.each([
    ['while it waits for that child', ''],
    ['when it has ended itself', 'process.exit();'],
  ])('whose child holds its output open is given up at the signal, %s', async (_, end) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isthmus-program-'));
    const file = join(folder.path, 'pid');
    const stop = new AbortController();
    // The child ends by itself, so that a failed run leaves none. A caller that waits for it finds
    // its last output.
    const last = `setTimeout(() => require('node:fs').writeFileSync('${file}.ended', ''), 20000)`;
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(last)}], { stdio: 'inherit' });
      require('node:fs').writeFileSync('${file}.new', String(child.pid));
      require('node:fs').renameSync('${file}.new', '${file}');
      ${end}`;
    const running = runProgram(node(script), stop.signal);
    await vi.waitUntil(() => existsSync(file), { timeout: 600_000 });
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(existsSync(`${file}.ended`)).toBe(false);
    process.kill(Number(readFileSync(file, 'utf8')));
  });

  it('that prints without end is ended', async () => {
    const endless =
      "const more = () => { while (process.stdout.write('x'.repeat(65536))); process.stdout.once('drain', more); }; more()";
    await expect(runProgram(node(endless), signal)).rejects.toThrow('it printed more than 1 MiB');
  });
});
