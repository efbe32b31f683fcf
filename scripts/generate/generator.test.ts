import { describe, expect, it } from 'vitest';
import { staleFiles } from './generator.ts';
import type { Generator } from './generator.ts';
import { table } from './markdown.ts';

const generator = (name: string, folder: string, files: Readonly<Record<string, string>>): Generator => ({
  name,
  owns: (path) => path.startsWith(folder),
  files: () => files,
});

describe('generated files', () => {
  const crds = generator('crds', 'deploy/', { 'deploy/b.yaml': 'b', 'deploy/a.yaml': 'a' });

  it('are not stale where they are as the generators make them', () => {
    expect(
      staleFiles(
        [crds],
        new Map([
          ['deploy/a.yaml', 'a'],
          ['deploy/b.yaml', 'b'],
          ['docs/by-hand.md', 'x'],
        ]),
      ),
    ).toEqual([]);
  });

  it('are named in order where they are missing, differ, or are made no more', () => {
    expect(
      staleFiles(
        [crds],
        new Map([
          ['deploy/b.yaml', 'old'],
          ['deploy/c.yaml', 'c'],
        ]),
      ),
    ).toEqual([
      { path: 'deploy/a.yaml', generator: 'crds', why: 'missing', text: 'a' },
      { path: 'deploy/b.yaml', generator: 'crds', why: 'differs', text: 'b' },
      { path: 'deploy/c.yaml', generator: 'crds', why: 'no longer generated' },
    ]);
  });

  it('have one generator each, which owns them', () => {
    expect(() => staleFiles([crds, generator('other', 'deploy/', { 'deploy/a.yaml': 'z' })], new Map())).toThrow(
      'deploy/a.yaml is made by both crds and other',
    );
    expect(() => staleFiles([generator('odd', 'docs/', { 'deploy/a.yaml': 'z' })], new Map())).toThrow(
      'odd makes deploy/a.yaml, which it does not own',
    );
  });
});

describe('a table', () => {
  it('keeps cells in their row and HTML harmless, code as it is', () => {
    expect(table(['a', 'b'], [['x|y\nz', 'spec.<key> and `spec.<key>`']])).toBe(
      '| a | b |\n|---|---|\n| x\\|y z | spec.&lt;key> and `spec.<key>` |',
    );
  });
});
