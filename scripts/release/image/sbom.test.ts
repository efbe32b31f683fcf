import { describe, expect, it } from 'vitest';
import type { Component } from './sbom.ts';
import { sbomOf } from './sbom.ts';

const component = (name: string, rest: Partial<Component> = {}): Component => ({
  name,
  version: '1',
  purl: `pkg:npm/${name}@1`,
  ...rest,
});
const made = (components: readonly Component[], digest = 'sha256:abc') =>
  JSON.parse(
    sbomOf({
      name: 'isthmus-controller',
      version: '1.2.3',
      architecture: 'arm64',
      digest,
      created: '1970-01-01T00:00:00Z',
      components,
    }),
  ) as {
    readonly documentNamespace: string;
    readonly packages: readonly { readonly SPDXID: string; readonly name: string }[];
    readonly relationships: readonly { readonly relatedSpdxElement: string }[];
  };

describe('the bill of materials', () => {
  it('describes the image, and each package that it contains, with licence, checksum and package URL', () => {
    const checksum = { algorithm: 'SHA512', value: 'ff' } as const;
    const sbom = made([component('a', { licence: 'MIT', checksum }), component('b')]);
    expect(sbom.packages.map(({ name }) => name)).toEqual(['isthmus-controller', 'a', 'b']);
    expect(sbom.packages[1]).toMatchObject({
      versionInfo: '1',
      licenseDeclared: 'MIT',
      checksums: [{ algorithm: 'SHA512', checksumValue: 'ff' }],
      externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:npm/a@1' }],
    });
    expect(sbom.packages[2]).toMatchObject({ licenseDeclared: 'NOASSERTION' });
    expect(sbom.relationships.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(
      sbom.packages.map(({ SPDXID }) => SPDXID),
    );
  });

  it('has identifiers that SPDX accepts and that differ', () => {
    const ids = made([
      component('@a/b'),
      component('a-b', { purl: 'pkg:npm/%40a/b@1' }),
      component('libstdc++6'),
    ]).packages.map(({ SPDXID }) => SPDXID);
    for (const id of ids) expect(id).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has another namespace for each image', () => {
    expect(made([], 'sha256:1').documentNamespace).not.toBe(made([], 'sha256:2').documentNamespace);
  });
});
