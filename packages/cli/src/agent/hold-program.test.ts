import { expect, it } from 'vitest';
import { startProgram } from '../world/start-program.ts';
import { holdProgram } from './hold-program.ts';

const { PATH } = process.env;

/** A program that repeats its input on its standard error, with its home. */
async function held(script: string) {
  const printed: string[] = [];
  const ended = Promise.withResolvers<string>();
  const hold = holdProgram({ env: { PATH, SECRET: 'x' }, startProgram });
  const child = await hold('sh', ['-c', script], { onError: (text) => printed.push(text), onEnd: ended.resolve });
  return { child, ended: ended.promise, text: () => printed.join('') };
}

it('a program is given text, and ends when its input does, in a home where it can leave nothing', async () => {
  const { child, ended, text } = await held('echo "$HOME $SECRET" >&2; while read line; do echo "got $line" >&2; done');
  child.write('one\n');
  child.write('two\n');
  child.close();
  expect(await ended).toBe('it ended with code 0');
  expect(text()).toBe('/nonexistent \ngot one\ngot two\n');
});

it('a program that a signal ends is reported with the signal', async () => {
  const { ended } = await held('kill -SEGV $$');
  expect(await ended).toBe('it was ended by SIGSEGV');
});

it('a program that cannot be started is an error', async () => {
  const hold = holdProgram({ env: { PATH }, startProgram });
  await expect(hold('isthmus-missing', [], { onError() {}, onEnd() {} })).rejects.toThrow(/cannot run isthmus-missing/);
});
