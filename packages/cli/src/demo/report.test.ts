import { describe, expect, it } from 'vitest';
import type { DemoReport, StepResult } from './report.ts';
import { jsonReporter, textReporter, wantsColour } from './report.ts';

const step: StepResult = {
  name: 'west exports',
  ms: 12,
  phase: 'story',
  objects: [
    { cluster: 'north', object: 'ResourceExport/west', says: 'Service' },
    { cluster: 'east', object: 'Service/cart', says: '10.97.0.1' },
  ],
};
const done: DemoReport = { ok: true, apiServer: 'real', storyMs: 12, steps: [step] };
const failed: DemoReport = { ...done, ok: false, error: 'not so within 20000 ms' };

const escape = String.fromCodePoint(27);

/** All that a reporter writes about one step and an end. */
function written(create: (write: (text: string) => void) => ReturnType<typeof jsonReporter>, report: DemoReport) {
  let text = '';
  const reporter = create((piece) => (text += piece));
  for (const one of report.steps) reporter.step(one);
  reporter.end(report);
  return text;
}

describe('the report of the demo for a person', () => {
  it('has a line per step, its objects in columns below, and the time of all at the end', () => {
    expect(written((write) => textReporter(write, false), done)).toBe(
      [
        'ok  west exports  12 ms',
        '      north  ResourceExport/west  Service',
        '      east   Service/cart         10.97.0.1',
        'ok  the steps after the start took 12 ms together',
        '',
      ].join('\n'),
    );
  });

  it('ends with the reason where the story failed, and with no time', () => {
    const text = written((write) => textReporter(write, false), failed);
    expect(text.endsWith('\nfailed  not so within 20000 ms\n')).toBe(true);
    expect(text).not.toContain('together');
  });

  it('has colours where they are wanted, whatever the process itself writes to', () => {
    const text = written((write) => textReporter(write, true), done);
    expect(text).toContain(`${escape}[32mok${escape}[39m  ${escape}[1mwest exports`);
  });
});

describe('the report of the demo for a program', () => {
  it.each([
    ['that went well', done],
    ['that failed', failed],
  ])('is one JSON document on a story %s', (_, report) => {
    expect(JSON.parse(written(jsonReporter, report))).toEqual(report);
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
    expect(wantsColour(env, isTTY)).toBe(wanted);
  });
});
