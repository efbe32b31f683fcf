import { describe, expect, it } from 'vitest';
import { groupTimes, slowest, timesText, withTimes } from './times.ts';

const files = [
  { path: 'packages/kube/src/a.test.ts', seconds: 1 },
  { path: 'packages/api/src/b.test.ts', seconds: 2.5 },
  { path: 'packages/kube/src/c.test.ts', seconds: 4 },
];
const packageOf = (path: string) => path.split('/')[1] ?? '';

describe('the times of a run', () => {
  it('lists the slowest files first, as many as asked for', () => {
    expect(slowest(files, 2).map(({ path }) => path)).toEqual([
      'packages/kube/src/c.test.ts',
      'packages/api/src/b.test.ts',
    ]);
  });

  it('adds up the files of each group, the longest group first', () => {
    expect(groupTimes(files, packageOf)).toEqual([
      { group: 'kube', files: 2, seconds: 5 },
      { group: 'api', files: 1, seconds: 2.5 },
    ]);
  });

  it('keeps the times of files and suites that did not run', () => {
    const before = { unit: { 'old.test.ts': 3, 'packages/kube/src/a.test.ts': 9 }, envtest: { 'x.test.ts': 1 } };
    expect(withTimes(before, 'unit', files.slice(0, 1))).toEqual({
      unit: { 'old.test.ts': 3, 'packages/kube/src/a.test.ts': 1 },
      envtest: { 'x.test.ts': 1 },
    });
  });

  it('are printed with the slowest files and every group', () => {
    expect(timesText(files, groupTimes(files, packageOf), 1)).toEqual([
      'slowest 1 of 3 files:',
      '     4.0 s  packages/kube/src/c.test.ts',
      'groups (sum of the times of their files, which run side by side):',
      '     5.0 s  kube, 2 files',
      '     2.5 s  api, 1 file',
    ]);
  });
});
