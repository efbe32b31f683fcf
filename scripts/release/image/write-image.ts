import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { controllerImage } from '@isthmus/clusterset';
import type { Notice } from '../package-files.ts';
import type { ProgramFile } from './controller-image.ts';
import { containerConfig, programLayer, systemLayer } from './controller-image.ts';
import { fetchParts, sha512Of } from './fetch-parts.ts';
import { imageLayout, layerOf } from './layout.ts';
import type { Architecture } from './pins.ts';
import { pins } from './pins.ts';
import type { Component } from './sbom.ts';
import { sbomOf } from './sbom.ts';
import { writeTar } from './tar.ts';

interface ImageRelease {
  readonly version: string;
  /** The npm package. */
  readonly files: readonly ProgramFile[];
  readonly entry: string;
  /** The npm packages whose code is in the program. */
  readonly notices: readonly Notice[];
  readonly dockerfile: string;
  /** The folder of downloads. */
  readonly cache: string;
}

interface WrittenImage {
  /** Of the image for all architectures. */
  readonly digest: string;
  /** What a Node downloads at most: the configuration and the layers of one architecture, in bytes. */
  readonly size: number;
  /** The paths of the files, below the folder. */
  readonly files: readonly string[];
}

/** No time of the machine goes into the image: two builds give the same digest. */
const created = '1970-01-01T00:00:00Z';

/**
 * Writes the image of the controllers into `out`: the OCI layout of all architectures as one archive, a bill of materials of each, and the context
 * of the Dockerfile (`image`). Errors: those of {@link fetchParts}.
 */
export async function writeImage(out: string, release: ImageRelease): Promise<WrittenImage> {
  const { version } = release;
  const base = `isthmus-controller-${version}`;
  const files = new Map<string, Buffer>();
  const named = programLayer(release.files, release.entry);
  const program = layerOf(named.entries);
  files.set(`image/${named.name}`, program.compressed);
  const images = [];
  for (const architecture of Object.keys(pins) as Architecture[]) {
    const below = systemLayer(architecture, await fetchParts(architecture, release.cache));
    const system = layerOf(below.entries);
    files.set(`image/${below.name}`, system.compressed);
    images.push({ architecture, layers: [system, program], config: containerConfig });
  }
  files.set('image/Dockerfile', Buffer.from(release.dockerfile));
  const annotations = {
    'org.opencontainers.image.title': 'isthmus',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
  const layout = imageLayout({ images, name: controllerImage, tag: version, annotations, created });
  const entries = [...layout.files].map(([path, data]) => ({ kind: 'file', path, mode: 0o644, data }) as const);
  files.set(`${base}.oci.tar`, writeTar(entries));
  for (const [architecture, digest] of layout.manifests) {
    const components = componentsOf(architecture, release);
    const sbom = sbomOf({ name: 'isthmus-controller', version, architecture, digest, created, components });
    files.set(`${base}-${architecture}.spdx.json`, Buffer.from(sbom));
  }
  await rm(join(out, 'image'), { recursive: true, force: true });
  for (const [path, data] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), data);
  }
  return { digest: layout.digest, size: layout.size, files: [...files.keys()] };
}

/** The lines of `SHA256SUMS`, as `sha256sum --check` reads them. */
export async function checksumsOf(out: string, paths: readonly string[]): Promise<string> {
  const lines = paths.toSorted().map(async (path) => {
    const hash = createHash('sha256').update(await readFile(join(out, path)));
    return `${hash.digest('hex')}  ${path}\n`;
  });
  return (await Promise.all(lines)).join('');
}

function componentsOf(architecture: Architecture, { version, notices }: ImageRelease): readonly Component[] {
  const { node, debian } = pins[architecture];
  const npm = (name: string, of: string) => `pkg:npm/${name.replace('@', '%40')}@${of}`;
  return [
    { name: 'isthmus', version, purl: npm('isthmus', version), licence: 'Apache-2.0' },
    // Scanners know the vulnerabilities of Node under this name, not under that of the npm package.
    { name: 'node', version: node.version, purl: `pkg:generic/node@${node.version}`, licence: 'MIT' },
    {
      name: node.name,
      version: node.version,
      purl: npm(node.name, node.version),
      licence: 'MIT',
      checksum: { algorithm: 'SHA512', value: sha512Of(node) },
    },
    ...notices.map(({ name, version: of, license }) => ({ name, version: of, purl: npm(name, of), licence: license })),
    ...debian.map(({ name, version: of, sha256, architecture: built }) => ({
      name,
      version: of,
      purl: `pkg:deb/debian/${name}@${encodeURIComponent(of)}?arch=${built}&distro=debian-12`,
      checksum: { algorithm: 'SHA256', value: sha256 } as const,
    })),
  ];
}
