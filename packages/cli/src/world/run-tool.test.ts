import { expect, test } from 'vitest';
import { runTool } from './run-tool.ts';

const node = (script: string, input = '') => runTool(process.execPath, ['-e', script], input);

test('a program has its input, and gives what it writes and its code', async () => {
  const echo = 'process.stdin.pipe(process.stdout); console.error("said"); process.exitCode = 3;';
  expect(await node(echo, 'asked')).toEqual({ code: 3, stdout: 'asked', stderr: 'said\n' });
});

test('a program that a signal ends, as one that crashes, has its name at the end of what it wrote', async () => {
  const { code, stderr } = await node('console.error("working"); process.kill(process.pid, "SIGSEGV");');
  expect(code).toBe(-1);
  expect(stderr).toBe('working\nit was ended by SIGSEGV');
});

test('a program that does not exist is an error', async () => {
  await expect(runTool('/no/such/program', [], '')).rejects.toThrow('cannot run /no/such/program');
});
