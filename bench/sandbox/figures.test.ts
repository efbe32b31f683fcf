import { describe, expect, it } from 'vitest';
import type { FanOut } from './fan-out.ts';
import type { Measured, MeasuredSandbox } from './figures.ts';
import { sandboxFigures } from './figures.ts';
import type { Rates } from './requests.ts';

const rates = (perSecond: number, serverMs?: number): Rates => {
  const rate = { perSecond, serverMs };
  return { create: rate, get: rate, list: rate, update: rate };
};
const fanOut = (lastMs: readonly number[], perSecond: number): FanOut => ({
  watches: 1000,
  openMs: 1,
  lastMs,
  perSecond,
});

const sandbox: MeasuredSandbox = {
  readyMs: [80, 90, 1200],
  sinceStartMs: [600, 700, 800],
  listeningMs: [1000, 2000, 900],
  rates: rates(1000, 0.5),
  fanOut: fanOut([10, 20, 30], 50_000),
  footprint: { objects: 10_000, seconds: 1, residentMB: [100, 200], heapBytes: [20e6, 120e6] },
  changeMs: [10, 20],
  inMemory: { rates: rates(5000), fanOut: fanOut([1, 2, 3], 60_000) },
  propagation: { members: 200, startMs: 1, each: [100, 200, 1000], last: [1000] },
};
const real: Measured = {
  readyMs: [5000],
  rates: rates(500, 1),
  fanOut: fanOut([20, 40, 60], 25_000),
  footprint: { objects: 10_000, seconds: 1, residentMB: [400, 500], heapBytes: undefined },
  changeMs: [20, 40],
};

const lines = (given: MeasuredSandbox, beside?: Measured) =>
  sandboxFigures(given, beside).map(({ row, value, met }) => `${row}: ${value}${met === undefined ? '' : ` ${met}`}`);

describe("the sandbox's rows", () => {
  it('are shown beside those of the real API server, with the ratio', () => {
    expect(lines(sandbox, real)).toEqual([
      'ready: 90.0 ms; 700 ms true',
      'ready: 1000 ms / real 5000 ms = 0.20 false',
      ...Array.from({ length: 4 }, () => 'requests: 1000/s (0.50 ms) / real 500/s (1.00 ms) = 2.0; in memory 5000/s'),
      'watches: 20.0 ms / real 40.0 ms = 0.50; in memory 2.0 ms',
      'watches: 30.0 ms / real 60.0 ms = 0.50; in memory 3.0 ms',
      'watches: 50000/s / real 25000/s = 2.0; in memory 60000/s',
      'memory: 100 to 200 MB; real 400 to 500 MB',
      'memory: 20 MB to 120 MB; 10.0 kB',
      'members: 200 ms, 1000 ms false',
      'members: 1000 ms, 1000 ms',
      'members: 10.0 ms / real 20.0 ms = 0.50',
      'members: 20.0 ms / real 40.0 ms = 0.50',
    ]);
  });

  it('are shown alone where the real API server was not measured', () => {
    expect(lines(sandbox)).toEqual(
      lines(sandbox, real).map((line) => line.replace(/(?: \/|;) real .*?(?=;| true| false|$)/, '')),
    );
  });

  it('are missing where nothing was measured', () => {
    expect(lines({}, {})).toEqual([]);
  });
});
