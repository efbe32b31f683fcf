import { describe, expect, it } from 'vitest';
import { apiChanges, apiProblems } from './changes.ts';
import { apiReport } from './report.ts';

const library = '@isthmus/kube';
const report = (version: string, declarations: string) => apiReport({ name: library, version }, declarations);

const before = `interface Size { readonly big: boolean }
interface Options { readonly size: Size }
export declare function make(options: Options): void;
export declare function take(): void;
export declare const limit: number;`;
const without = before.replace('export declare const limit: number;', '');
const more = `${before}\nexport declare const more: 1;`;

describe('changes of a public surface', () => {
  it('are names that are added or removed, and names whose declaration or what it refers to changed', () => {
    expect(apiChanges(before, more)).toEqual({ added: ['more'], removed: [], changed: [] });
    expect(apiChanges(before, without)).toEqual({ added: [], removed: ['limit'], changed: [] });
    expect(apiChanges(before, before.replace('take(): void', 'take(): 1'))).toMatchObject({ changed: ['take'] });
    expect(apiChanges(before, before.replace('big: boolean', 'big: string'))).toMatchObject({ changed: ['make'] });
    expect(apiChanges(before, before.replace('export declare const limit', 'declare const limit'))).toMatchObject({
      removed: ['limit'],
    });
  });

  const problems = (from: string, to: string, after: string, changelog = '') =>
    apiProblems({ library, before: report(from, before), after: report(to, after), changelog });

  it('are none where only comments and the version differ', () => {
    expect(problems('1.2.0', '1.2.1', `/** More. */\n${before}`)).toEqual([]);
  });

  it('are not allowed in a patch release', () => {
    expect(problems('0.3.0', '0.3.1', more)).toEqual([
      '@isthmus/kube 0.3.1 is a patch release of 0.3.0 and changes `more`: a patch release changes no exported name',
    ]);
    expect(problems('1.2.0', '1.2.1', without, '## 1.2.1\n\n- `limit`\n')).toHaveLength(1);
  });

  it('may be additions in a minor release, and before 1.0 everything that the changelog names', () => {
    expect(problems('1.2.0', '1.3.0', more)).toEqual([]);
    expect(problems('1.2.0', '1.3.0', without, '## 1.3.0\n\n- `limit`\n')).toEqual([
      '@isthmus/kube 1.3.0 removes or changes `limit`: only a new major may',
    ]);
    expect(problems('0.2.0', '0.3.0', without, '## 0.3.0\n\n- `limit` is gone.\n')).toEqual([]);
    expect(problems('0.2.0', '0.3.0', without, '## 0.3.0\n\n- More.\n\n## 0.2.0\n\n- `limit`\n')).toEqual([
      '@isthmus/kube removes or changes `limit` since 0.2.0: name each in CHANGELOG.md, in the section 0.3.0',
    ]);
  });

  it('need their line in the changelog before the next version is decided, too', () => {
    expect(problems('1.2.0', '1.2.0', without)).toEqual([
      '@isthmus/kube removes or changes `limit` since 1.2.0: name each in CHANGELOG.md, in the section Unreleased',
    ]);
    expect(problems('1.2.0', '1.2.0', without, '## Unreleased\n\n- `limit` is gone.\n')).toEqual([]);
  });

  it('have the section of the release in a release candidate, and are all allowed in a major', () => {
    expect(problems('1.2.0', '2.0.0-rc.1', without, '## 2.0.0\n\n- `limit` is gone.\n')).toEqual([]);
    expect(problems('1.2.0', '2.0.0', without)).toHaveLength(1);
  });
});
