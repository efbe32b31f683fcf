import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { createCacheReport } from './cache-report.ts';

function reported() {
  const log = memoryLog();
  const registry = createMetricsRegistry();
  const report = createCacheReport({ name: 'services', log, metrics: registry.declare(runtimeMetrics) });
  const lines = () => log.entries.map(({ level, message, fields }) => [level, message, fields]);
  return { report, lines, registry };
}

describe('the report of a cache', () => {
  it.each([
    ['listenerFailed', 'a cache listener failed'],
    ['stateListenerFailed', 'a cache state listener failed'],
    ['limitListenerFailed', 'a listener for cache limits failed'],
  ] as const)('logs each error of %s', (kind, message) => {
    const { report, lines } = reported();
    report[kind](new Error('first'));
    report[kind](new Error('second'));
    expect(lines()).toEqual([
      ['error', message, expect.objectContaining({ cache: 'services' })],
      ['error', message, expect.objectContaining({ cache: 'services' })],
    ]);
  });

  it('logs one error for each index', () => {
    const { report, lines } = reported();
    for (const index of ['owner', 'owner', 'node', 'owner']) report.indexFailed(index, new Error('broken'));
    expect(lines().map(([level, , fields]) => [level, (fields as { index: string }).index])).toEqual([
      ['error', 'owner'],
      ['error', 'node'],
    ]);
  });

  it('counts every object that is left out, and logs the first', async () => {
    const { report, lines, registry } = reported();
    report.leftOut('it has no metadata');
    report.leftOut('it has no usable name');
    expect(lines()).toEqual([
      [
        'warn',
        'the server sent an invalid object; it and similar objects are ignored',
        { cache: 'services', why: 'it has no metadata' },
      ],
    ]);
    expect(await registry.render()).toContain('isthmus_cache_skipped_object_total{cache="services"} 2\n');
  });
});
