import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { channelIndex, compareRevisions, componentBundle, lintBundle, parseVersion, readFile } from '@isthmus/upgrade';
import type { ReadResult, VersionScheme } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../command/parse-command-line.ts';
import { rootCommand } from '../../root-command.ts';

const page = readFileSync(fileURLToPath(new URL('../../../../../docs/upgrade/bundles.md', import.meta.url)), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

function readIn<T>(result: ReadResult<T>): Extract<ReadResult<T>, { readonly kind: 'read' }> {
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.problems));
  return result;
}

describe('the page on bundles', () => {
  const [bundle = '', index = ''] = blocks('yaml');

  it('shows a bundle without findings', () => {
    const { value, lineOf } = readIn(readFile(componentBundle, bundle, 'page'));
    const context = { lineOf, older: [], engineVersion: '0.1.0', policies: ['antrea'], now: '2026-11-21T00:00:00Z' };
    expect(lintBundle(value, context)).toEqual([]);
  });

  it('shows an index of it', () => {
    const { value } = readIn(readFile(channelIndex, index, 'page'));
    expect(value.spec.bundles.map(({ name }) => name)).toEqual(['bundle-12']);
  });

  it('shows commands that there are', () => {
    const lines = blocks('sh').flatMap((text) => text.split('\n').filter((line) => line.startsWith('isthmus ')));
    expect(lines).toHaveLength(7);
    for (const line of lines) {
      const words = line.split(' > ')[0]?.split(' ').slice(1) ?? [];
      expect(parseCommandLine(rootCommand, words, { version: 'x' })).toMatchObject({ kind: 'run' });
    }
  });

  it.each<readonly [VersionScheme, string]>([
    ['semver', 'a later pre-release: patch'],
    ['eks-suffix', 'another packaging of the same release: rebuild, newer'],
    ['calver', 'a later pre-release: patch'],
    ['opaque', 'unknown'],
  ])('shows what a suffix is under %s', (scheme, said) => {
    const side = (text: string) => ({ version: parseVersion(text, scheme), digests: {} });
    const { relation } = compareRevisions(side('v1.18.1-1'), side('v1.18.1-2'));
    expect(said).toContain(relation);
    expect(page).toMatch(new RegExp(`^\\| \`${scheme}\`[^|]*\\| ${said} \\|`, 'm'));
  });

  it.each([
    ['v2.0.0', 'major', 'newer'],
    ['v1.14.0', 'minor', 'newer'],
    ['v1.13.3', 'patch', 'newer'],
    ['v1.13.1', 'downgrade', 'older'],
  ])('shows what it is to go from v1.13.2 to %s', (to, relation, order) => {
    const [a, b] = ['v1.13.2', to].map((text) => ({ version: parseVersion(text), digests: {} }));
    expect(compareRevisions(a, b ?? { version: parseVersion(''), digests: {} })).toMatchObject({ relation, order });
    expect(page).toMatch(
      new RegExp(`^\\| \`v1\\.13\\.2\` → [^|]*\`${to}\`[^|]*\\| [^|]*${relation}[^|]*\\| ${order}`, 'm'),
    );
  });

  it.each([
    ['v1.13.2+build.9', 'v1.13.2+build.10', 'rebuild', 'newer'],
    ['v1.13.2+a34c207', 'v1.13.2+c0da11a', 'rebuild', 'unknown'],
  ])('shows what it is to go from %s to %s', (from, to, relation, order) => {
    const [a, b] = [from, to].map((text) => ({ version: parseVersion(text), digests: {} }));
    expect(compareRevisions(a, b ?? { version: parseVersion(''), digests: {} })).toMatchObject({ relation, order });
    expect(page).toContain(`| \`${from}\` → \`${to}\` | ${relation} | ${order}`);
  });
});
