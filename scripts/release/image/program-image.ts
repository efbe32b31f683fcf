import type { Layer } from './layout.ts';
import { imageLayout, layerOf } from './layout.ts';
import { writeTar } from './tar.ts';

interface ArchiveParts {
  /** Default: `docker.io`. */
  readonly registry?: string;
  readonly name: string;
  readonly tag: string;
  readonly layer: Layer;
  /** As the OCI image specification has it (`config` of the configuration). */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * An archive, which containerd imports, with an image of one layer for the architecture of this
 * machine. The same parts give the same bytes.
 */
export function imageArchive({ layer, config, ...named }: ArchiveParts): Buffer {
  const { files } = imageLayout({
    ...named,
    images: [{ architecture: process.arch === 'arm64' ? 'arm64' : 'amd64', layers: [layer], config }],
    annotations: {},
    created: '1970-01-01T00:00:00Z',
  });
  return writeTar([...files].map(([path, data]) => ({ kind: 'file', path, mode: 0o644, data })));
}

/**
 * An archive with an image of one static program, `/<name>`, under the name
 * `localhost/isthmus-<name>:1`.
 */
export function programImage(name: string, program: Buffer): Buffer {
  return imageArchive({
    registry: 'localhost',
    name: `isthmus-${name}`,
    tag: '1',
    layer: layerOf([{ kind: 'file', path: name, mode: 0o755, data: program }]),
    config: { Entrypoint: [`/${name}`], Env: ['PATH=/'], User: '65532:65532' },
  });
}
