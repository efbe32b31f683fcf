import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { Output } from './output.ts';
import { printableOutput } from './printable-output.ts';
import { madeUpIo } from '../testing/made-up-io.ts';
import { textOf, wantsColours } from './paint.ts';
import { showSteps, stepsOnTerminal } from './steps.ts';

/**
 * Steps that are printed to one text, as on a terminal that shows standard output and standard
 * error.
 */
function shown(colours = false) {
  const written = { text: '' };
  const output: Output = { isTTY: colours, write: (...pieces) => void (written.text += textOf(pieces, colours)) };
  const clock = createVirtualClock({ startMs: 0 });
  const stop = new AbortController();
  return { written, output, clock, stop, steps: showSteps({ output, clock, signal: stop.signal }) };
}

describe('a step', () => {
  it('is shown when it begins, and on the same line how long it took', async () => {
    const { written, clock, steps } = shown();
    const work = Promise.withResolvers<number>();
    const result = steps.run('start the API servers', () => work.promise);
    expect(written.text).toBe('start the API servers ... ');
    await clock.advance(369);
    work.resolve(3);
    expect(await result).toBe(3);
    expect(written.text).toBe('start the API servers ... ok  369 ms\n');
  });

  it.each([
    ['failed', false],
    ['stopped', true],
  ])('that rejects is shown as %s where the command was interrupted: %s', async (verdict, isInterrupted) => {
    const { written, clock, stop, steps } = shown();
    const work = Promise.withResolvers<never>();
    const result = steps.run('join', () => work.promise);
    await clock.advance(61_240);
    if (isInterrupted) stop.abort();
    work.reject(new Error('no answer'));
    await expect(result).rejects.toThrow('no answer');
    expect(written.text).toBe(`join ... ${verdict}  61.2 s\n`);
  });

  it('leaves what is written meanwhile on lines of its own, and repeats its name', async () => {
    const { written, output, steps } = shown();
    const other = steps.beside(output);
    await steps.run('join', async () => {
      other.write('a warning\n');
      other.write('another one\n');
    });
    other.write('the end\n');
    expect(written.text).toBe('join ... \na warning\nanother one\njoin ... ok  0 ms\nthe end\n');
  });

  it('has colours where they are wanted, whose escape sequences nothing in its name can be', async () => {
    const { written, output, clock } = shown(true);
    await showSteps({ output: printableOutput(output), clock }).run('read \u001b[2J', async () => {});
    expect(written.text).toBe(
      '\u001b[1mread \\u001b[2J\u001b[22m ... \u001b[32mok\u001b[39m  \u001b[2m0 ms\u001b[22m\n',
    );
  });
});

describe('the steps of a command whose result goes to standard output', () => {
  it.each([
    [true, 'check the objects ... ok  0 ms\n'],
    [false, ''],
  ])('are shown on standard error where that is a terminal: %s', async (isTTY, text) => {
    const io = madeUpIo({ isTTY });
    expect(await stepsOnTerminal(io)('check the objects', async () => 3)).toBe(3);
    expect([io.out, io.err]).toEqual(['', text]);
  });
});

describe('colours', () => {
  it.each([
    [true, {}, true],
    [true, { TERM: 'xterm' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '0' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
    [false, {}, false],
    [false, { TERM: 'xterm' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [false, { FORCE_COLOR: '0' }, false],
    [undefined, {}, false],
  ])('on a terminal: %s, with %j: %s', (isTTY, env, wanted) => {
    expect(wantsColours(env, isTTY)).toBe(wanted);
  });
});
