import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { definitionsIn, readObjects } from './read-objects.ts';
import type { ShownFinding } from '../output/shown-finding.ts';

const read = (files: Readonly<Record<string, string>>, ...paths: readonly string[]) =>
  readObjects(madeUpIo({ files }), paths, []);
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

  it('of a folder do not include those behind links out of it, which are reported', async () => {
    const aside: ShownFinding[] = [];
    const links = [
      { path: 'd/away', to: 'folder' },
      { path: 'd/gone.yaml', to: 'nothing' },
      { path: 'd/LICENSE', to: 'file' },
    ] as const;
    await readObjects(madeUpIo({ files: { 'd/a.yaml': pod('a') }, links }), ['d'], aside);
    expect(aside.map(({ rule, place, why }) => [rule, place, why])).toEqual([
      ['file.not-checked', 'd/away', 'not checked, because it is a link to a folder outside the folder'],
      ['file.not-checked', 'd/gone.yaml', 'not checked, because it is a link to nothing'],
    ]);
  });

  it.each([
    ['bad syntax', 'a: [', /^a\.yaml:1:\d+: Flow sequence/],
    ['a list', '- 1', /^a\.yaml:1: expected an object with apiVersion, kind and metadata\.name/],
    ['no name', 'apiVersion: v1\nkind: Pod\n', /^a\.yaml:1: Pod without metadata\.name/],
  ])('are refused with file and line: %s', async (_what, text, message) => {
    await expect(read({ 'a.yaml': text }, 'a.yaml')).rejects.toThrow(message);
  });

  it('of a folder leave out what is not a Kubernetes object, and report it with its place', async () => {
    const files = {
      'd/a.yaml': `${pod('a')}---\n- 1\n---\nreplicas: 3\n---\n${pod('b')}`,
      'd/template.yaml': 'apiVersion: v1\nkind: {{ .Values.kind }}\n',
      'd/config.yaml': 'apiVersion: v1\nkind: Config\nclusters: []\n',
    };
    const aside: ShownFinding[] = [];
    const found = await readObjects(madeUpIo({ files }), ['d'], aside);
    expect(found.map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
    expect(aside.map(({ rule, severity, place }) => [rule, severity, place])).toEqual([
      ['file.not-checked', 'warn', 'd/a.yaml:5'],
      ['file.not-checked', 'warn', 'd/a.yaml:7'],
      ['file.not-checked', 'warn', 'd/config.yaml:1'],
      ['file.not-checked', 'warn', 'd/template.yaml'],
    ]);
    expect(aside[2]?.why).toContain('Config without metadata.name');
    expect(aside[3]?.unblock).toContain('helm template');
  });

  it('of a folder leave out the file of Kustomize, which needs no kind', async () => {
    const aside: ShownFinding[] = [];
    const text = 'resources: [a.yaml]\n';
    const files = { 'd/kustomization.yaml': text, 'd/e/kustomization.yml': text, 'd/a.yaml': pod('a') };
    expect(await readObjects(madeUpIo({ files }), ['d'], aside)).toHaveLength(1);
    expect(aside).toEqual([]);
    await expect(readObjects(madeUpIo({ files }), ['d/kustomization.yaml'], [])).rejects.toThrow(
      'd/kustomization.yaml:1: expected an object with apiVersion, kind and metadata.name',
    );
  });

  it('of a folder leave out what transformers of Kustomize read', async () => {
    const aside: ShownFinding[] = [];
    const files = { 'd/labels.yaml': 'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: labels}\n' };
    expect([await readObjects(madeUpIo({ files }), ['d'], aside), aside]).toEqual([[], []]);
  });

  it.each([
    ['annotations', ''],
    ['a webhook', 'spec:\n  conversion: {strategy: Webhook}\n'],
  ])('of a folder leave out and report patches of CRDs: %s', async (_, spec) => {
    const patch = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\n${spec}`;
    const files = { 'd/patches/a.yaml': patch, 'd/pod.yaml': pod('a') };
    const aside: ShownFinding[] = [];
    expect(await readObjects(madeUpIo({ files }), ['d'], aside)).toHaveLength(1);
    expect(aside).toMatchObject([{ rule: 'file.not-checked', place: 'd/patches/a.yaml:1' }]);
    await expect(readObjects(madeUpIo({ files }), ['d/patches/a.yaml'], []).then(definitionsIn)).rejects.toThrow(
      'a.b.c is not a CustomResourceDefinition',
    );
  });

  it('in UTF-16 are refused with a next step, and reported in a folder', async () => {
    const files = { 'd/a.yaml': pod('a'), 'd/b.yaml': Buffer.from(`\ufeff${pod('b')}`, 'utf16le').toString('utf8') };
    const aside: ShownFinding[] = [];
    expect(await readObjects(madeUpIo({ files }), ['d'], aside)).toHaveLength(1);
    expect(aside).toMatchObject([{ rule: 'file.not-checked', place: 'd/b.yaml' }]);
    await expect(readObjects(madeUpIo({ files }), ['d/b.yaml'], [])).rejects.toThrow(
      'cannot read d/b.yaml: it is not text in UTF-8. Save it in UTF-8, in PowerShell with Out-File -Encoding utf8',
    );
  });

  it.each([
    ['big.yaml', 'cannot read big.yaml: larger than 10 bytes. Split it, and pass a folder of its parts'],
    ['d', 'cannot read d/big.yaml: larger than 10 bytes. Split it, or keep it outside the folder'],
  ])('of %s that are too large are refused with a next step', async (path, message) => {
    const io = madeUpIo({ files: { 'd/big.yaml': pod('a'), 'big.yaml': pod('a') } });
    const readFile = (file: string) => Promise.reject(new Error(`cannot read ${file}: larger than 10 bytes`));
    await expect(readObjects({ ...io, readFile }, [path], [])).rejects.toThrow(new UsageError(message));
  });

  it('with a key that occurs twice are read as kubectl reads them, and it is reported', async () => {
    const aside: ShownFinding[] = [];
    const text = `${pod('a')}${pod('b')}`;
    const found = await readObjects(madeUpIo({ files: { 'a.yaml': text } }), ['a.yaml'], aside);
    expect(found.map(({ object }) => object.metadata.name)).toEqual(['b']);
    expect(aside.map(({ rule, place }) => `${rule} ${place}`)).toEqual([
      'file.repeated-key a.yaml:4',
      'file.repeated-key a.yaml:5',
      'file.repeated-key a.yaml:6',
    ]);
  });

  it('of kind CustomResourceDefinition have its shape, and all that is wrong is reported with its line', async () => {
    const odd =
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec:\n  group: g\n  scope: 5\n  names: {plural: a, kind: A}\n  versions:\n  - name: v1\n    servd: true\n    storage: "yes"\n';
    const reported = (text: string) => read({ 'a.yaml': text }, 'a.yaml').then(definitionsIn);
    const lines = (first: number) => [
      'x is not a CustomResourceDefinition',
      `a.yaml:${first + 5}: spec.scope must be a string, not a number`,
      `a.yaml:${first + 10}: spec.versions[0].storage must be a boolean, not a string`,
      `a.yaml:${first + 9}: spec.versions[0].servd is not a field of a CustomResourceDefinition`,
    ];
    await expect(reported(odd)).rejects.toThrow(lines(1).join('\n'));
    await expect(reported(`${pod('p')}---\n${odd}`)).rejects.toThrow(lines(5).join('\n'));
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${odd.trimEnd().replaceAll('\n', '\n  ')}\n`;
    await expect(reported(list)).rejects.toThrow(lines(4).join('\n'));
  });

  it.each([
    [
      'a name that YAML reads as true',
      'name: y',
      'metadata.name of a Pod must be a string, not true; put it in quotes',
    ],
    [
      'a Namespace that YAML reads as false',
      'name: a, namespace: n',
      'metadata.namespace of a Pod must be a string, not false',
    ],
    ['a name that is a number', 'name: 5', 'metadata.name of a Pod must be a string, not 5'],
  ])('are refused for %s', async (_what, metadata, message) => {
    const text = `apiVersion: v1\nkind: Pod\nmetadata: {${metadata}}\n`;
    await expect(read({ 'a.yaml': text }, 'a.yaml')).rejects.toThrow(`a.yaml:1: ${message}`);
  });

  it('in lists are named by their place in it, and given the kind of the list where they have none', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: {},
      items: [{ metadata: { name: 'a' } }, { metadata: {} }],
    };
    await expect(read({ 'a.json': JSON.stringify(list) }, 'a.json')).rejects.toThrow(
      'a.json:1: items[1]: Pod without metadata.name',
    );
    const [found] = await read({ 'a.json': JSON.stringify({ ...list, items: list.items.slice(0, 1) }) }, 'a.json');
    expect(found?.object).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    expect(await read({ 'a.json': JSON.stringify({ ...list, items: null }) }, 'a.json')).toEqual([]);
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
