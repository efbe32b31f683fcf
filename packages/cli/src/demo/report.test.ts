import { describe, expect, it } from 'vitest';
import type { Output } from '../render/output.ts';
import { textOf } from '../render/paint.ts';
import type { DemoReport, StepResult } from './report.ts';
import { jsonReporter, textReporter } from './report.ts';

const step: StepResult = {
  name: 'west exports',
  ms: 12,
  phase: 'story',
  objects: [
    { cluster: 'north', object: 'ResourceExport/west', says: 'Service' },
    { cluster: 'east', object: 'Service/cart', says: '10.97.0.1' },
  ],
};
const done: DemoReport = { ok: true, apiServer: 'real', network: false, storyMs: 12, steps: [step] };
const failed: DemoReport = { ...done, ok: false, error: 'nothing has changed for 60 s' };

const escape = String.fromCodePoint(27);

/** All that a reporter writes about one step and an end. */
function written(create: (output: Output) => ReturnType<typeof jsonReporter>, report: DemoReport, colours = false) {
  let text = '';
  const reporter = create({ isTTY: colours, write: (...pieces) => void (text += textOf(pieces, colours)) });
  for (const { objects } of report.steps) reporter.objects(objects);
  reporter.end(report);
  return text;
}

describe('the report of the demo for a person', () => {
  it('has the objects of a step in columns, and the time of all steps at the end', () => {
    expect(written(textReporter, done)).toBe(
      [
        '      north  ResourceExport/west  Service',
        '      east   Service/cart         10.97.0.1',
        'ok  the steps after the start took 12 ms together',
        '',
      ].join('\n'),
    );
  });

  it('ends with the reason where the story failed, and with no time', () => {
    const text = written(textReporter, failed);
    expect(text.endsWith('\nfailed  nothing has changed for 60 s\n')).toBe(true);
    expect(text).not.toContain('together');
  });

  it('has colours where they are wanted', () => {
    expect(written(textReporter, done, true)).toContain(`${escape}[32mok${escape}[39m  the steps`);
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
