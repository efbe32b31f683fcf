import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { laterNftPins } from './later-nft-pins.ts';
import { pins } from './pins.ts';
import { toolPins } from './tool-pins.ts';

describe('the pins of the image', () => {
  const lockfile = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, { version?: string; integrity?: string; hasInstallScript?: boolean }>>;
  };

  it('take the Node that the tests run on and that builds a release, which the lockfile pins by the same hash', () => {
    for (const { node } of Object.values(pins)) {
      const { version, integrity } = lockfile.packages[`node_modules/${node.name}`] ?? {};
      expect({ name: node.name, version, integrity }).toEqual(node);
    }
  });

  it('come without an install script, which could fetch anything: that of core-js only prints', () => {
    const packages = Object.entries(lockfile.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(packages.map(([path]) => path)).toEqual(['node_modules/core-js']);
  });

  it('take the same packages in the same versions for both architectures', () => {
    const [one, other] = Object.values(pins).map(({ debian }) => debian.map(({ name, version }) => [name, version]));
    expect(one).toEqual(other);
    const [tools, otherTools] = (['amd64', 'arm64'] as const).map((architecture) =>
      [...toolPins(architecture), ...laterNftPins(architecture)].map(({ name, version }) => [name, version]),
    );
    expect(tools).toEqual(otherTools);
  });
});
