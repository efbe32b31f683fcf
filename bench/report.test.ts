import { describe, expect, it } from 'vitest';
import type { BenchReport, Figure } from './report.ts';
import { inOrder, renderReport } from './report.ts';

const figure = (row: string, rest: Partial<Figure> = {}): Figure => ({
  row,
  what: 'so long',
  value: '1 s',
  goal: '',
  met: undefined,
  data: undefined,
  ...rest,
});

const report = (figures: readonly Figure[], kubernetes?: string): BenchReport => ({
  ok: true,
  error: undefined,
  at: '2026-11-21T10:00:00.000Z',
  seconds: 61.4,
  machine: { cores: 2, cpu: 'Z80', memoryGiB: 24, node: 'v24', loadAtStart: 0.5, loadAtEnd: 1, kubernetes },
  figures,
});

it('figures come by row, in the order of the rows, and as they were measured within one', () => {
  const figures = [figure('b', { value: '1' }), figure('a', { value: '2' }), figure('b', { value: '3' })];
  expect(inOrder(figures, ['a', 'b', 'c']).map(({ value }) => value)).toEqual(['2', '1', '3']);
});

describe('the table', () => {
  it('reports of each goal whether it is met, and of a figure without one nothing', () => {
    const figures = [
      figure('1', { goal: 'under 2 s', met: true }),
      figure('2', { goal: 'none', met: false }),
      figure('3'),
    ];
    expect(renderReport(report(figures)).split('\n').slice(0, 4)).toEqual([
      'row  what     measured  goal',
      '1    so long  1 s       under 2 s  met',
      '2    so long  1 s       none       missed',
      '3    so long  1 s',
    ]);
  });

  it.each([
    ['v1.36.3', 'Node v24; Kubernetes v1.36.3; load 0.5 at the start, 1 at the end; 61 s in all'],
    [undefined, 'Node v24; load 0.5 at the start, 1 at the end; 61 s in all'],
  ])('names the machine, and the real API server where one was there: %s', (kubernetes, facts) => {
    expect(renderReport(report([], kubernetes))).toContain(`2 cores (Z80), 24 GiB; ${facts}`);
  });
});
