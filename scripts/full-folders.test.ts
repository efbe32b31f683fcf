import { describe, expect, it } from 'vitest';
import { folderProblems } from './full-folders.ts';

const filesIn = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/f${at}.ts`);

describe('a folder', () => {
  it('may have twenty files that ship, and is named if it has more', () => {
    expect(folderProblems(filesIn('p/src/a', 20))).toEqual([]);
    expect(folderProblems(filesIn('p/src/a', 21))).toEqual([
      'p/src/a has 21 files, and may have 20: give each idea a folder',
    ]);
  });

  it('is counted without its tests, its folders and folders that do not ship', () => {
    const files = ['a/x.test.ts', ...filesIn('a/deep', 9), ...filesIn('a/testing', 30), ...filesIn('a/contract', 30)];
    expect(folderProblems([...filesIn('a', 20), ...files])).toEqual([]);
  });
});
