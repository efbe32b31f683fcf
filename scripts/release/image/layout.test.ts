import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { imageLayout, layerOf } from './layout.ts';
import { readTar } from './tar.ts';
import type { TarEntry } from './tar.ts';

const entries: readonly TarEntry[] = [{ kind: 'file', path: 'a', mode: 0o644, data: Buffer.from('a') }];
const made = (config = {}) =>
  imageLayout({
    images: (['amd64', 'arm64'] as const).map((architecture) => ({
      architecture,
      layers: [layerOf(entries)],
      config,
    })),
    name: 'isthmus/controller',
    tag: '1.2.3',
    annotations: { 'org.opencontainers.image.version': '1.2.3' },
    created: '1970-01-01T00:00:00Z',
  });
interface Descriptor {
  readonly digest: string;
  readonly size: number;
}
const jsonOf = (layout: ReturnType<typeof made>, path: string) =>
  JSON.parse(layout.files.get(path)?.toString() ?? '') as {
    readonly manifests: readonly (Descriptor & { readonly annotations?: unknown; readonly platform?: unknown })[];
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
    readonly rootfs: { readonly diff_ids: readonly string[] };
    readonly architecture: string;
  };
const pathOf = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`;

describe('an image layout', () => {
  it('has the same digest whenever it is made of the same parts, and another of others', () => {
    expect(made()).toEqual(made());
    expect(made({ User: '1' }).digest).not.toBe(made().digest);
  });

  it('leads from its index to the files of each architecture, by digests and sizes that are true', () => {
    const layout = made();
    const [top] = jsonOf(layout, 'index.json').manifests;
    expect(top?.digest).toBe(layout.digest);
    const index = jsonOf(layout, pathOf(top as Descriptor));
    expect(index.manifests.map(({ platform }) => platform)).toEqual([
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ]);
    for (const each of index.manifests) {
      const manifest = jsonOf(layout, pathOf(each));
      const config = jsonOf(layout, pathOf(manifest.config));
      expect(layout.manifests.get(config.architecture as 'amd64')).toBe(each.digest);
      const archives = manifest.layers.map((layer) => gunzipSync(layout.files.get(pathOf(layer)) as Buffer));
      expect(config.rootfs.diff_ids).toEqual(
        archives.map((archive) => `sha256:${createHash('sha256').update(archive).digest('hex')}`),
      );
      expect(archives.flatMap((archive) => readTar(archive))).toEqual(entries);
      for (const one of [each, manifest.config, ...manifest.layers]) {
        const bytes = layout.files.get(pathOf(one)) as Buffer;
        expect(one.size).toBe(bytes.length);
        expect(one.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
      }
    }
  });

  it('has the names by which a kubelet asks for the image: with the tag, and with the digest', () => {
    const layout = made();
    expect(jsonOf(layout, 'index.json').manifests.map(({ digest, annotations }) => [digest, annotations])).toEqual([
      [
        layout.digest,
        {
          'io.containerd.image.name': 'docker.io/isthmus/controller:1.2.3',
          'org.opencontainers.image.ref.name': '1.2.3',
        },
      ],
      [layout.digest, { 'io.containerd.image.name': `docker.io/isthmus/controller@${layout.digest}` }],
    ]);
  });
});
