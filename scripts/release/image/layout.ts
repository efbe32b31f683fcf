import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Architecture } from './pins.ts';
import type { TarEntry } from './tar.ts';
import { writeTar } from './tar.ts';

/** A layer as it is stored and as it is named: compressed, and the digest of the archive before. */
export interface Layer {
  readonly compressed: Buffer;
  readonly diffId: string;
}

/** Compresses the files of a layer. The same entries and the same Node give the same bytes. */
export function layerOf(entries: readonly TarEntry[]): Layer {
  const archive = writeTar(entries);
  return { compressed: gzipSync(archive, { level: 9 }), diffId: digestOf(archive) };
}

interface ImageParts {
  readonly architecture: Architecture;
  /** From the lowest to the uppermost. */
  readonly layers: readonly Layer[];
  /** As the OCI image specification has it (`config` of the configuration). */
  readonly config: Readonly<Record<string, unknown>>;
}

interface LayoutParts {
  readonly images: readonly ImageParts[];
  /** Where references without a host lead, `docker.io`, unless the image names another. */
  readonly registry?: string | undefined;
  /** As a Deployment has it, without the tag. */
  readonly name: string;
  readonly tag: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly created: string;
}

interface Layout {
  /** The digest of the index of all architectures. */
  readonly digest: string;
  /** The configuration and the layers of the largest architecture, in bytes. */
  readonly size: number;
  /** The digest of the manifest of each architecture. */
  readonly manifests: ReadonlyMap<Architecture, string>;
  /** By their paths in the layout. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * An OCI image layout of one name for several architectures. The same parts give the same bytes.
 */
export function imageLayout({ images, registry = 'docker.io', name, tag, annotations, created }: LayoutParts): Layout {
  const files = new Map<string, Buffer>();
  const put = (mediaType: string, bytes: Buffer) => {
    const digest = digestOf(bytes);
    files.set(`blobs/${digest.replace(':', '/')}`, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const sizes: number[] = [];
  const manifests = images.map(({ architecture, layers, config }) => {
    const blobs = layers.map(({ compressed }) => put(types.layer, compressed));
    const configuration = put(
      types.config,
      json({
        created,
        architecture,
        os: 'linux',
        config,
        rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      }),
    );
    const manifest = { schemaVersion: 2, mediaType: types.manifest, config: configuration, layers: blobs, annotations };
    sizes.push([configuration, ...blobs].reduce((sum, { size }) => sum + size, 0));
    return { ...put(types.manifest, json(manifest)), platform: { architecture, os: 'linux' } };
  });
  const index = put(types.index, json({ schemaVersion: 2, mediaType: types.index, manifests, annotations }));
  const image = `${registry}/${name}`;
  // containerd names what it imports by the first annotation, and a kubelet asks by tag, or by
  // digest where a reference has one; other tools find it by the second.
  const names = [
    { 'io.containerd.image.name': `${image}:${tag}`, 'org.opencontainers.image.ref.name': tag },
    { 'io.containerd.image.name': `${image}@${index.digest}` },
  ];
  const top = {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: names.map((each) => ({ ...index, annotations: each })),
  };
  files.set('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  files.set('index.json', json(top));
  return {
    digest: index.digest,
    size: Math.max(...sizes),
    manifests: new Map(manifests.map(({ digest, platform }) => [platform.architecture, digest])),
    files,
  };
}

const types = {
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
};

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
