import { describe, expect, it } from 'vitest';
import { bundleOf, digest, readBundle, written } from '../testing/bundle-of.ts';
import { fillIn } from './fill-in.ts';
import { wantedArtifacts } from './wanted-artifacts.ts';

const artifact = (name: string, uri: string, more: object = {}) => ({ name, kind: 'image', uri, ...more });
const part = (id: string, ...artifacts: readonly object[]) => written({ id, artifacts });
const manifest = (name: string, uri: string) => artifact(name, uri, { kind: 'manifest' });

const spec = {
  components: [
    part('a', artifact('one', 'r.example/one:v1'), artifact('two', 'r.example/two:v1', { digest: digest(2) })),
    part('b', manifest('m', 'https://x.example/m.yaml'), manifest('beside', 'm/b.yaml')),
  ],
  perKubernetes: { '1.31': { components: [part('c', artifact('one', 'r.example/one:v1'))] }, '1.32': {} },
};

describe('the artifacts to ask for', () => {
  it('are those without a digest, each location once with all its artifacts', () => {
    const wanted = wantedArtifacts(bundleOf(spec), { isAll: false });
    expect(wanted.map(({ uri, source, places }) => [uri, source.kind, ...places.map(({ path }) => path)])).toEqual([
      ['https://x.example/m.yaml', 'url', 'spec.components[1].artifacts[0]'],
      ['m/b.yaml', 'file', 'spec.components[1].artifacts[1]'],
      [
        'r.example/one:v1',
        'image',
        'spec.components[0].artifacts[0]',
        'spec.perKubernetes[1.31].components[0].artifacts[0]',
      ],
    ]);
    expect(wantedArtifacts(bundleOf(spec), { isAll: true })).toHaveLength(4);
  });

  it('are none of a component that is switched off', () => {
    const off = part('x', artifact('one', '<placeholder>'), artifact('two', 'r.example/x:v1'));
    expect(wantedArtifacts(bundleOf({ components: [off] }), { isAll: true })).toEqual([]);
  });

  it.each([
    [artifact('x', 'r.example/UPPER'), 'it is not an image reference: "UPPER"'],
    [manifest('x', 'http://x.example/m.yaml'), 'its location is not an https URL'],
    [manifest('x', 'file:///etc/passwd'), 'its location is not an https URL'],
    [manifest('x', 'https://u:p@x.example/m.yaml'), 'contains a user name or password'],
  ])('report why one cannot be asked for: %#', (one, problem) => {
    const [wanted] = wantedArtifacts(bundleOf({ components: [part('x', one)] }), { isAll: false });
    expect(wanted?.source).toEqual({ kind: 'unknown', problem: expect.stringContaining(problem) });
  });
});

describe('a bundle with digests filled in', () => {
  const resolved = new Map([
    ['r.example/one:v1', { digest: digest(1), size: 10 }],
    ['r.example/two:v1', { digest: digest(2), size: 20 }],
    ['https://x.example/m.yaml', { digest: digest(3) }],
  ]);

  it('has them at each of its artifacts, for every Kubernetes, and is otherwise as it was written', () => {
    const { written: before } = readBundle(spec);
    const { written: after, filled, lostSignature } = fillIn(before, resolved);
    expect({ filled, lostSignature }).toEqual({ filled: 4, lostSignature: false });
    expect(after.json).toEqual({
      ...(before.json as object),
      spec: {
        ...(before.json as { readonly spec: object }).spec,
        components: [
          part(
            'a',
            artifact('one', 'r.example/one:v1', { digest: digest(1), size: 10 }),
            artifact('two', 'r.example/two:v1', { digest: digest(2), size: 20 }),
          ),
          part(
            'b',
            { ...manifest('m', 'https://x.example/m.yaml'), digest: digest(3) },
            manifest('beside', 'm/b.yaml'),
          ),
        ],
        perKubernetes: {
          '1.31': { components: [part('c', artifact('one', 'r.example/one:v1', { digest: digest(1), size: 10 }))] },
          '1.32': {},
        },
      },
    });
  });

  it('keeps a digest that differs, without a size', () => {
    const { written: before } = readBundle({
      components: [part('a', artifact('two', 'r.example/two:v1', { digest: digest(9) }))],
    });
    expect(fillIn(before, resolved)).toEqual({ written: before, filled: 0, lostSignature: false });
  });

  it('loses its signature where something was filled in, and keeps it where nothing was', () => {
    const { written: before } = readBundle(spec);
    const signed = { json: { ...(before.json as object), signature: { value: 'x' } } };
    expect(fillIn(signed, resolved)).toMatchObject({
      lostSignature: true,
      written: { json: { kind: 'ComponentBundle' } },
    });
    expect(fillIn(signed, resolved).written.json).not.toHaveProperty('signature');
    expect(fillIn(signed, new Map())).toEqual({ written: signed, filled: 0, lostSignature: false });
  });
});
