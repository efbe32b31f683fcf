import { describe, expect, it } from 'vitest';
import { citationProblems, sectionsOf } from './citations.ts';

const repository = {
  specifications: new Map([['docs/spec/wire.md', '# The wire\n\n## 1. Names\n\n### 1.1 Derived\n\n## 2. Kinds\n']]),
  pages: new Set(['README.md', 'docs/spec/wire.md', 'docs/upgrade/bundles.md']),
};
const problemsOf = (text: string, path = 'a.ts') => citationProblems({ path, text }, repository);

describe('the check of citations', () => {
  it('reads the numbers of headings', () => {
    expect([...sectionsOf('# 0. no\n## 3. Rules\n### 3.1 One\n## Sources\n')]).toEqual(['3', '3.1']);
  });

  it.each([
    '// By docs/spec/wire.md §1, §1.1 and §2: names.',
    '// See README.md and [bundles](../upgrade/bundles.md).',
    "const source = 'Antrea, docs/versioning.md';",
    '// The whole of docs/spec/wire.md.',
    '// RFC 8785 §3.2.3',
    "globSync('docs/*.md')",
    '// `https://index.docker.io/v1/` is how docker writes Docker Hub.',
    '/** Metrics: http://127.0.0.1:8080. */',
    "const server = 'https://example.com/path'; // no comment with a page",
  ])('accepts %s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['// docs/spec/wire.md §3', 'a.ts:1: docs/spec/wire.md has no section 3'],
    ['// docs/spec/wire.md §1, §1.2', 'a.ts:1: docs/spec/wire.md has no section 1.2'],
    ['// docs/spec/wires.md §1', 'a.ts:1: docs/spec/wires.md does not exist'],
    ['\n// architecture.md §5', 'a.ts:2: the page architecture.md is not in the repository'],
    ['// docs/gone.md', 'a.ts:1: the page docs/gone.md is not in the repository'],
    [
      ' * As `this` and https://example.com/rules.',
      'a.ts:1: https://example.com/rules. can change or go: put the reason in docs/spec, with this source, and cite that',
    ],
  ])('reports %j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it.each(["  it('75 · blocks', f);", "    'B7: adds', ", "it('case 12: x', f)", "describe('§2 has', f)"])(
    'reports the number of a case in the title %s of a test',
    (line) => {
      expect(problemsOf(line, 'a.test.ts')).toHaveLength(1);
      expect(problemsOf(line)).toEqual([]);
    },
  );
});
