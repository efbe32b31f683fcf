import { createVirtualClock } from '@isthmus/fleet-sim';
import { createLog } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { logSummary } from './log-summary.ts';

function logged(format: 'json' | 'text') {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLog({ destination, format, clock: createVirtualClock({ startMs: 0 }) }) };
}

describe('the summary of a log', () => {
  it.each([
    ['text', 'cluster=east cache=pods why="no answer"'],
    ['json', '"cluster":"east","cache":"pods","why":"no answer"'],
  ] as const)('has each warning once, in lines of %s, with its number and the fields of the last', (format, last) => {
    const { lines, log } = logged(format);
    log.info('started');
    log.error('reconcile failed', new Error('why'));
    for (const cache of ['nodes', 'services', 'pods'])
      log.with({ cluster: 'east' }).warn('the cache is disconnected', { cache, why: 'no answer' });
    log.warn('no fields');
    expect(logSummary(['a line of another program', ...lines])).toEqual([
      'warnings of the controllers:',
      `  3 × the cache is disconnected (last: ${last})`,
      expect.stringContaining('  1 × reconcile failed (last: '),
      '  1 × no fields',
    ]);
  });

  it('is a few lines, whatever was logged, and none where nothing was', () => {
    const { lines, log } = logged('text');
    for (let one = 0; one < 20; one++) log.warn(`message ${one}`, { text: 'x'.repeat(1_000) });
    expect(logSummary(lines)).toHaveLength(7);
    expect(logSummary(lines).at(-1)).toBe('  and 15 other messages');
    expect(logSummary(lines).join('').length).toBeLessThan(2_000);
    expect(logSummary([])).toEqual([]);
  });
});
