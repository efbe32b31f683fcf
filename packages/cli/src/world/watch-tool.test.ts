import { expect, test } from 'vitest';
import { watchTool } from './watch-tool.ts';

test('hands on the lines of a program as they come, the first part of long ones, and how it ended', async () => {
  const lines: string[] = [];
  const script =
    "process.stdout.write('one\\ntwo\\n' + 'x'.repeat(1e6) + '\\nend\\n', () => { console.error('over'); process.exit(3); })";
  const why = await watchTool(
    process.execPath,
    ['-e', script],
    (line) => lines.push(line),
    new AbortController().signal,
  );
  expect(lines.map((line) => (line.startsWith('x') ? line.length : line))).toEqual(['one', 'two', 2000, 'end']);
  expect(why).toBe('over');
});

test('ends the program when its signal aborts', async () => {
  const stop = new AbortController();
  const script = "console.log('ready'); setInterval(() => {}, 1000)";
  expect(await watchTool(process.execPath, ['-e', script], () => stop.abort(), stop.signal)).toBe(
    'it was ended by SIGTERM',
  );
});

test('reports which signal ended a program that crashed', async () => {
  const crash = 'process.kill(process.pid, "SIGSEGV")';
  expect(await watchTool(process.execPath, ['-e', crash], () => {}, new AbortController().signal)).toBe(
    'it was ended by SIGSEGV',
  );
});

test('reports that a program cannot be run', async () => {
  expect(await watchTool('/no/such/program', [], () => {}, new AbortController().signal)).toContain(
    'cannot run /no/such/program',
  );
});
