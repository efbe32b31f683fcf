import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentImage, controllerImage } from '@isthmus/install';
import type { Notice } from '../package-files.ts';
import type { NamedLayer, ProgramFile } from './controller-image.ts';
import { agentContainerConfig, containerConfig, programLayer, systemLayer, toolsLayer } from './controller-image.ts';
import { fetchParts, sha512Of } from './fetch-parts.ts';
import type { Layer } from './layout.ts';
import { imageLayout, layerOf } from './layout.ts';
import type { Architecture, DebianPin } from './pins.ts';
import { pins } from './pins.ts';
import type { Component } from './sbom.ts';
import { sbomOf } from './sbom.ts';
import { writeTar } from './tar.ts';
import { laterNftPins } from './later-nft-pins.ts';
import { toolPins } from './tool-pins.ts';

interface ImageRelease {
  readonly version: string;
  /** The npm package. */
  readonly files: readonly ProgramFile[];
  readonly entry: string;
  /** The npm packages whose code is in the program. */
  readonly notices: readonly Notice[];
  /** By their names in the context. */
  readonly dockerfiles: ReadonlyMap<string, Buffer>;
  /** The folder of downloads. */
  readonly cache: string;
  /** Called with each part that is downloaded, and for each architecture. */
  readonly say: (line: string) => void;
  /** For the bills of materials, in RFC 3339. */
  readonly createdAt: string;
}

interface WrittenImage {
  /** The digest of the image for all architectures. */
  readonly digest: string;
  /**
   * The most that a Node downloads: the configuration and the layers of one architecture, in bytes.
   */
  readonly size: number;
}

interface WrittenImages {
  readonly controller: WrittenImage;
  readonly agent: WrittenImage;
  /** The paths of the files, below the folder. */
  readonly files: readonly string[];
}

/** No time goes into the image: whatever the commit, the same content gives the same digest. */
const created = '1970-01-01T00:00:00Z';

/**
 * Writes the images of the controllers and of the agent into `out`: of each the OCI layout of all
 * architectures as one archive, and a bill of materials of each architecture; and the context of
 * the Dockerfiles (`image`). They have their lowest and their uppermost layer in common. Errors:
 * those of {@link fetchParts}.
 */
export async function writeImages(out: string, release: ImageRelease): Promise<WrittenImages> {
  const files = new Map<string, Buffer>();
  const written = ({ name, entries }: NamedLayer) => {
    const layer = layerOf(entries);
    files.set(`image/${name}`, layer.compressed);
    return layer;
  };
  const program = written(programLayer(release.files, release.entry));
  const controllers: ImageOf[] = [];
  const agents: ImageOf[] = [];
  for (const architecture of Object.keys(pins) as Architecture[]) {
    const parts = await fetchParts(architecture, release);
    release.say(`pack the layers for ${architecture}`);
    const system = written(systemLayer(architecture, parts));
    const tools = written(toolsLayer(architecture, parts));
    const { debian } = pins[architecture];
    controllers.push({ architecture, layers: [system, program], debian });
    const more = [...toolPins(architecture), ...laterNftPins(architecture)];
    agents.push({ architecture, layers: [system, tools, program], debian: [...debian, ...more] });
  }
  for (const [name, text] of release.dockerfiles) files.set(`image/${name}`, text);
  const controller = layoutInto(
    files,
    { name: controllerImage, images: controllers, config: containerConfig },
    release,
  );
  const agent = layoutInto(files, { name: agentImage, images: agents, config: agentContainerConfig }, release);
  await rm(join(out, 'image'), { recursive: true, force: true });
  for (const [path, data] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), data);
  }
  return { controller, agent, files: [...files.keys()] };
}

/** An image of one architecture, before it has a name. */
interface ImageOf {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
  readonly debian: readonly DebianPin[];
}

interface NamedImages {
  readonly name: string;
  readonly images: readonly ImageOf[];
  readonly config: Readonly<Record<string, unknown>>;
}

function layoutInto(
  files: Map<string, Buffer>,
  { name, images, config }: NamedImages,
  release: ImageRelease,
): WrittenImage {
  const { version, createdAt } = release;
  const title = name.replace('/', '-');
  const annotations = {
    'org.opencontainers.image.title': 'isthmus',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
  const each = images.map(({ architecture, layers }) => ({ architecture, layers, config }));
  const layout = imageLayout({ images: each, name, tag: version, annotations, created });
  const entries = [...layout.files].map(([path, data]) => ({ kind: 'file', path, mode: 0o644, data }) as const);
  files.set(`${title}-${version}.oci.tar`, writeTar(entries));
  for (const { architecture, debian } of images) {
    const digest = layout.manifests.get(architecture) ?? '';
    const components = componentsOf(architecture, debian, release);
    const sbom = sbomOf({ name: title, version, architecture, digest, created: createdAt, components });
    files.set(`${title}-${version}-${architecture}.spdx.json`, Buffer.from(sbom));
  }
  return { digest: layout.digest, size: layout.size };
}

/** The lines of `SHA256SUMS`, as `sha256sum --check` reads them. */
export async function checksumsOf(out: string, paths: readonly string[]): Promise<string> {
  const lines = paths.toSorted().map(async (path) => {
    const hash = createHash('sha256').update(await readFile(join(out, path)));
    return `${hash.digest('hex')}  ${path}\n`;
  });
  return (await Promise.all(lines)).join('');
}

function componentsOf(
  architecture: Architecture,
  debian: readonly DebianPin[],
  { version, notices }: ImageRelease,
): readonly Component[] {
  const { node } = pins[architecture];
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
    ...debian.map(({ name, version: of, release, sha256, architecture: built }) => ({
      name,
      version: of,
      purl: `pkg:deb/debian/${name}@${encodeURIComponent(of)}?arch=${built}&distro=debian-${release}`,
      checksum: { algorithm: 'SHA256', value: sha256 } as const,
    })),
  ];
}
