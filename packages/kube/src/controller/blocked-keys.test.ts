import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { runtimeMetrics } from '../metrics/metrics.ts';
import { again, blocked, done } from './outcome.ts';
import { createBlockedKeys } from './blocked-keys.ts';

function setup() {
  const log = memoryLog();
  const registry = createMetricsRegistry();
  const keys = createBlockedKeys({ name: 'test', log, metrics: registry.declare(runtimeMetrics) });
  const gauges = async () => {
    const lines = (await registry.render()).split('\n').filter((line) => line.startsWith('isthmus_controller_blocked'));
    return Object.fromEntries(lines.map((line) => [/reason="(\w+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]));
  };
  return { keys, log, gauges };
}

describe('blocked keys', () => {
  it('are counted per reason, and move to another reason with their key', async () => {
    const { keys, gauges } = setup();
    keys.ended('a', blocked('NoService', 'create it'));
    keys.ended('b', blocked('NoService', 'create it'));
    keys.ended('b', blocked('Invalid', 'mend it'));
    expect(await gauges()).toEqual({ NoService: 1, Invalid: 1 });
  });

  it.each([done, again(1_000, 'waiting')])('are no longer counted when their next run ends with $kind', async (end) => {
    const { keys, gauges, log } = setup();
    keys.ended('a', blocked('NoService', 'create it'));
    keys.ended('a', end);
    keys.ended('a', end);
    expect(await gauges()).toEqual({ NoService: 0 });
    expect(log.entries.map(({ message }) => message)).toEqual([
      'blocked until the reported problem is fixed',
      'no longer blocked',
    ]);
  });

  it('are logged once for each reason and message', async () => {
    const { keys, gauges, log } = setup();
    for (const message of ['create it', 'create it', 'create it soon']) keys.ended('a', blocked('NoService', message));
    expect(log.entries.map(({ fields }) => fields)).toEqual([
      { key: 'a', reason: 'NoService', message: 'create it' },
      { key: 'a', reason: 'NoService', message: 'create it soon' },
    ]);
    expect(await gauges()).toEqual({ NoService: 1 });
  });

  it('are not counted by a controller that has stopped', async () => {
    const { keys, gauges } = setup();
    keys.ended('a', blocked('NoService', 'create it'));
    keys.close();
    expect(await gauges()).toEqual({ NoService: 0 });
  });
});
