import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { laterNftPins } from './later-nft-pins.ts';
import { pins } from './pins.ts';
import { toolPins } from './tool-pins.ts';

describe('the pins of the image', () => {
  it('take the Node that the tests run on', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    for (const { node } of Object.values(pins)) expect(node.version).toBe(manifest.devDependencies['node']);
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
