import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { loadBundle } from './load-bundle.ts';
import { nodeCrypto } from '../../world/node-crypto.ts';
import { aBundle } from './testing/a-bundle.ts';

const demands = { signature: 'warn', publicKeys: [], expired: 'warn', now: '2026-11-21T00:00:00Z' } as const;
const digest = (text: string) => `sha256:${nodeCrypto.sha256(text)}`;
const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;

/** What is loaded of a bundle whose first component has this artifact in the place of its image. */
async function load(artifact: { readonly kind?: string; readonly uri: string; readonly text: string }, file?: string) {
  const { kind = 'manifest', uri, text } = artifact;
  const written = `kind: ${kind}\n          uri: ${uri}\n          digest: ${digest(text)}`;
  const bundle = aBundle().replace(/kind: image\n.*\n.*/, written);
  const io = madeUpIo({ files: { 'd/b.yaml': bundle, ...(file !== undefined && { [file]: text }) } });
  const { loaded } = await loadBundle(io, 'd/b.yaml', demands);
  return [...loaded.contents].map(([key, objects]) => [
    key === digest(text),
    objects.map(({ metadata }) => metadata.name),
  ]);
}

describe('what is available of a bundle', () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n- {apiVersion: v1, kind: Secret, metadata: {name: c}}\n`;

  it.each([
    ['beside it', 'm.yaml', 'd/m.yaml'],
    ['below it', 'x/m.yaml', 'd/x/m.yaml'],
  ])(
    'are the objects of a manifest %s, in the order of the file, those of a List one by one',
    async (_what, uri, file) => {
      const text = `${namespace('a')}---\n${list}---\n# nothing\n---\n${namespace('d')}`;
      expect(await load({ uri, text }, file)).toEqual([[true, ['a', 'b', 'c', 'd']]]);
    },
  );

  it.each([
    ['a manifest that is not there', { uri: 'm.yaml' }, undefined],
    ['a manifest on the network', { uri: 'https://x.example/m.yaml' }, 'd/https://x.example/m.yaml'],
    ['an image', { uri: 'm.yaml', kind: 'image' }, 'd/m.yaml'],
  ])('is nothing of %s', async (_what, artifact, file) => {
    expect(await load({ text: namespace('a'), ...artifact }, file)).toEqual([]);
  });

  it.each(['/m.yaml', '../m.yaml', 'x/../../m.yaml', '/proc/self/environ'])(
    'is nothing of %s, outside the folder of the bundle, and a finding reports it without its digest',
    async (uri) => {
      const bundle = aBundle().replace(
        /kind: image\n.*\n.*/,
        `kind: manifest\n          uri: ${uri}\n          digest: ${digest('x')}`,
      );
      const io = madeUpIo({
        files: { 'd/b.yaml': bundle, '/m.yaml': namespace('secret'), 'm.yaml': namespace('secret') },
      });
      const { loaded, findings } = await loadBundle(io, 'd/b.yaml', demands);
      expect(loaded.contents.size).toBe(0);
      const outside = findings.filter(({ rule }) => rule === 'bundle.outside');
      expect(outside.map(({ severity, why }) => [severity, why])).toEqual([
        ['warn', `"${uri}" is not a file in the folder of the bundle, so it was not read`],
      ]);
      expect(JSON.stringify(findings)).not.toContain(nodeCrypto.sha256(namespace('secret')));
    },
  );

  it('is what a list of one kind stands for, one by one', async () => {
    const item = (name: string) => `  - metadata:\n      name: ${name}\n`;
    const text = `apiVersion: v1\nkind: NamespaceList\nitems:\n${item('a')}${item('b')}`;
    expect(await load({ uri: 'm.yaml', text }, 'd/m.yaml')).toEqual([[true, ['a', 'b']]]);
  });

  it('is the last value of a key that a manifest has twice, and a finding reports the line', async () => {
    const text = `${namespace('a')}kind: Namespace\nmetadata: {name: b}\n`;
    const written = `kind: manifest\n          uri: m.yaml\n          digest: ${digest(text)}`;
    const bundle = aBundle().replace(/kind: image\n.*\n.*/, written);
    const { loaded, findings } = await loadBundle(
      madeUpIo({ files: { 'd/b.yaml': bundle, 'd/m.yaml': text } }),
      'd/b.yaml',
      demands,
    );
    expect([...loaded.contents.values()].flat().map(({ metadata }) => metadata.name)).toEqual(['b']);
    const repeated = findings.filter(({ rule }) => rule === 'file.repeated-key');
    expect(repeated.map(({ severity, place, why }) => [severity, place, why])).toEqual([
      ['warn', 'd/m.yaml:4', 'the key kind occurs twice: kubectl uses the last one and ignores the other'],
      ['warn', 'd/m.yaml:5', 'the key metadata occurs twice: kubectl uses the last one and ignores the other'],
    ]);
  });

  it.each([
    ['is no YAML', 'a: [', 'd/m.yaml:1:'],
    [
      'holds what is no object of Kubernetes',
      `${namespace('a')}---\na: 1\n`,
      'd/m.yaml:5: expected an object with apiVersion, kind and metadata.name',
    ],
    [
      'holds an object without a name',
      'apiVersion: v1\nkind: Secret\nmetadata: {}\n',
      'd/m.yaml:1: Secret without metadata.name',
    ],
    [
      'holds a List of something else',
      'apiVersion: v1\nkind: List\nitems: [1]\n',
      'd/m.yaml:1: items[0]: expected an object with apiVersion, kind and metadata.name',
    ],
  ])('is refused where a manifest %s', async (_what, text, message) => {
    const loading = load({ uri: 'm.yaml', text }, 'd/m.yaml');
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toBeInstanceOf(UsageError);
  });
});
