import { describe, expect, it } from 'vitest';
import { folderProblems, fullFolders, mostFiles } from './full-folders.ts';

const filesIn = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/f${at}.ts`);

describe('a folder', () => {
  it('may have twenty files that ship, and is named if it has more', () => {
    expect(folderProblems(filesIn('p/src/a', 20), {})).toEqual([]);
    expect(folderProblems(filesIn('p/src/a', 21), {})).toEqual([
      'p/src/a has 21 files, and may have 20: give each idea in it a folder',
    ]);
  });

  it('is counted without its tests, its folders and folders that do not ship', () => {
    const files = ['a/x.test.ts', ...filesIn('a/deep', 9), ...filesIn('a/testing', 30), ...filesIn('a/contract', 30)];
    expect(folderProblems([...filesIn('a', 20), ...files], {})).toEqual([]);
  });

  it('may have as many files as its exception allows, and no more', () => {
    expect(folderProblems(filesIn('a', 24), { a: 24 })).toEqual([]);
    expect(folderProblems(filesIn('a', 25), { a: 24 })).toEqual([
      'a has 25 files, and may have 24: give each idea in it a folder',
    ]);
  });

  it('takes its exception along when it gets smaller', () => {
    expect(folderProblems(filesIn('a', 22), { a: 24 })).toEqual([
      'a has 22 files, and its exception in scripts/full-folders.ts is 24: set it to 22',
    ]);
    expect(folderProblems(filesIn('a', 20), { a: 24 })).toEqual([
      'a has 20 files, and its exception in scripts/full-folders.ts is 24: remove it',
    ]);
  });
});

describe('the exceptions', () => {
  it('are those that were there when the rule was made', () => {
    const first = new Map([
      ['packages/api/src/core', 21],
      ['packages/cli/src', 30],
      ['packages/dataplane/src/kernel', 23],
    ]);
    for (const [folder, count] of Object.entries(fullFolders)) {
      expect(count, folder).toBeGreaterThan(mostFiles);
      expect(count, folder).toBeLessThanOrEqual(first.get(folder) ?? 0);
    }
  });
});
