import { describe, expect, it } from 'vitest';
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

  it('that prints without end is ended', async () => {
    const endless =
      "const more = () => { while (process.stdout.write('x'.repeat(65536))); process.stdout.once('drain', more); }; more()";
    await expect(runProgram(node(endless), signal)).rejects.toThrow('it printed more than 1 MiB');
  });
});
