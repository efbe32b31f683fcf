import { generateKeyPairSync } from 'node:crypto';
import { componentBundle, lintBundle, readFile, verifyBundle } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../packages/cli/src/world/node-crypto.ts';
import { releaseBundle } from './release-bundle.ts';
import { signedBundle } from './signed-bundle.ts';

const file = (path: string, text = path) => ({ path, data: Buffer.from(text) });
const parts = {
  version: '1.2.3',
  createdAt: '2026-11-01T00:00:00Z',
  node: '24.1.0',
  kubernetes: { min: '1.30', max: '1.36' },
  image: { digest: `sha256:${'a'.repeat(64)}`, size: 49_000_000 },
  leader: file('manifests/leader.yaml', 'abc'),
  member: file('manifests/member.yaml'),
  package: file('isthmus-1.2.3.tgz'),
};
const read = (text: string) => {
  const result = readFile(componentBundle, text, 'bundle.yaml');
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.problems));
  return result;
};
const bundleOf = (version: string) => read(releaseBundle({ ...parts, version })).value;

describe('the ComponentBundle of a release', () => {
  it('has nothing that the lint finds', () => {
    const context = {
      lineOf: () => 1,
      older: [],
      engineVersion: '1.2.3',
      policies: ['isthmus'],
      policyDigests: new Map(),
      now: parts.createdAt,
    };
    expect(lintBundle(bundleOf('1.2.3'), context)).toEqual([]);
  });

  it('names each file by its path and the digest of its bytes', () => {
    const leader = bundleOf('1.2.3').spec.components.find(({ id }) => id === 'isthmus-leader');
    expect(leader?.artifacts).toEqual([
      { name: 'image', kind: 'image', uri: 'isthmus/controller:1.2.3', ...parts.image },
      {
        name: 'manifest',
        kind: 'manifest',
        uri: 'manifests/leader.yaml',
        digest: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        size: 3,
      },
    ]);
  });

  it('has numbers in the order of versions, and a channel for release candidates', () => {
    const versions = ['0.1.0', '0.1.1', '0.2.0-rc.1', '0.2.0-rc.10', '0.2.0', '0.10.0', '1.0.0'];
    const specs = versions.map((version) => bundleOf(version).spec);
    const numbers = specs.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(versions.length);
    expect(versions.filter((_, at) => specs[at]?.channel === 'candidate')).toEqual(['0.2.0-rc.1', '0.2.0-rc.10']);
  });

  it.each(['1.2', 'v1.2.3', '1.2.3-beta.1', '1.2.1000'])('is not made of version %s', (version) => {
    expect(() => releaseBundle({ ...parts, version })).toThrow(
      `the version ${version} is neither x.y.z nor x.y.z-rc.n`,
    );
  });

  it('is signed, and the signature ends with a changed bundle', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const text = signedBundle(
      releaseBundle(parts),
      String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      nodeCrypto,
    );
    const keys = [String(publicKey.export({ type: 'spki', format: 'pem' }))];
    const verdictOf = (one: string) => {
      const { value, written } = read(one);
      return verifyBundle(written, value.signature, keys, nodeCrypto).kind;
    };
    expect([verdictOf(text), verdictOf(text.replace("max: '1.36'", "max: '1.37'"))]).toEqual(['valid', 'invalid']);
  });
});
