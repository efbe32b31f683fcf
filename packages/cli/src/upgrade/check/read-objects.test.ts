import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { UsageError } from '../../usage-error.ts';
import { definitionsIn, readObjects } from './read-objects.ts';

const read = (files: Readonly<Record<string, string>>, ...paths: readonly string[]) =>
  readObjects(madeUpIo({ files }), paths);
const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n`;

describe('objects of files', () => {
  it('are those of a folder, with the places where they begin, lists taken apart', async () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c' } }],
    });
    const files = {
      'd/b.yaml': `${pod('a')}---\n---\n${pod('b')}`,
      'd/c/d.json': list,
      'd/README.md': '# no: [',
      'e.yaml': pod('e'),
    };
    const found = await read(files, 'd');
    expect(found.map(({ object, place }) => [object.metadata.name, place])).toEqual([
      ['a', 'd/b.yaml:1'],
      ['b', 'd/b.yaml:6'],
      ['c', 'd/c/d.json:1'],
    ]);
  });

  it.each([
    ['bad syntax', 'a: [', /^a\.yaml:1:\d+: Flow sequence/],
    ['a list', '- 1', /^a\.yaml:1: an object with apiVersion, kind and metadata\.name is expected/],
    ['no name', 'apiVersion: v1\nkind: Pod\n', /^a\.yaml:1: Pod without metadata\.name/],
  ])('are refused with file and line: %s', async (_what, text, message) => {
    await expect(read({ 'a.yaml': text }, 'a.yaml')).rejects.toThrow(message);
  });

  it('of kind CustomResourceDefinition have its shape', async () => {
    const odd =
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {versions: 3}\n';
    const objects = await read({ 'a.yaml': odd }, 'a.yaml');
    expect(() => definitionsIn(objects)).toThrow(/a\.yaml:1: spec\.versions must be a list, not a number/);
  });

  it('never fail but for what a person can change', async () => {
    const words = fc.constantFrom(
      'kind: ',
      'apiVersion: v1\n',
      'metadata: ',
      '{name: x}',
      'items: ',
      '[',
      ']',
      '- ',
      '\n',
      '---\n',
      'List\n',
      '3',
      '"',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 12 }), async (parts) => {
        try {
          const objects = await read({ 'a.yaml': parts.join('') }, 'a.yaml');
          return objects.every(({ object }) => typeof object.metadata.name === 'string');
        } catch (error) {
          return error instanceof UsageError;
        }
      }),
    );
  });
});
