import { describe, expect, it } from 'vitest';
import { affectedTests, withinSeconds } from './affected.ts';
import type { ModuleGraph } from './module-graph.ts';

const reach: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  'a.test.ts': [
    ['a.test.ts', 0],
    ['src/near.ts', 1],
    ['src/far.ts', 2],
  ],
  'b.test.ts': [
    ['b.test.ts', 0],
    ['src/far.ts', 1],
    ['deploy/crds/', 1],
  ],
  'c.envtest.test.ts': [['c.envtest.test.ts', 0]],
};
const graph: ModuleGraph = {
  needs: () => new Set(),
  reach: (path) => new Map(reach[path]),
};
const affected = (...changed: readonly string[]) =>
  affectedTests(changed, Object.keys(reach), graph).map(({ path, steps }) => `${steps} ${path}`);

describe('the tests that a change affects', () => {
  it.each([
    ['need the changed file, the nearest first', ['src/far.ts'], ['1 b.test.ts', '2 a.test.ts']],
    ['count the nearest of several files', ['src/far.ts', 'src/near.ts'], ['1 a.test.ts', '1 b.test.ts']],
    ['are themselves changed', ['c.envtest.test.ts'], ['0 c.envtest.test.ts']],
    ['read a folder in which a file changed', ['deploy/crds/new.yaml'], ['1 b.test.ts']],
    ['are none where nothing needs the file', ['docs/page.md'], []],
    [
      'are all after a change of versions',
      ['package-lock.json'],
      ['0 a.test.ts', '0 b.test.ts', '0 c.envtest.test.ts'],
    ],
    ['are those on real servers after another version of them', ['envtest/go.mod'], ['0 c.envtest.test.ts']],
    ['are the others after a change of how these run', ['vitest.config.ts'], ['0 a.test.ts', '0 b.test.ts']],
  ])('%s', (_, changed, expected) => {
    expect(affected(...changed)).toEqual(expected);
  });
});

it('are those that install the chart after a change of a chart', () => {
  const tests = ['scripts/generate/chart/chart.envtest.test.ts', 'b.envtest.test.ts'];
  expect(affectedTests(['deploy/charts/isthmus/values.yaml'], tests, graph)).toEqual([{ path: tests[0], steps: 0 }]);
});

describe('the tests that run within some seconds', () => {
  const tests = [
    { path: 'far', steps: 3 },
    { path: 'long', steps: 1 },
    { path: 'near', steps: 1 },
  ];
  const seconds: Readonly<Record<string, number>> = { far: 10, long: 60, near: 20 };

  it.each([
    [100, ['near', 'long', 'far'], []],
    [80, ['near', 'long'], ['far']],
    [40, ['near', 'far'], ['long']],
    [0, [], ['near', 'long', 'far']],
  ])('of %s are the nearest, the shorter ones first', (limit, fit, left) => {
    expect(withinSeconds(tests, (path) => seconds[path] ?? 0, limit)).toEqual({ fit, left });
  });
});
