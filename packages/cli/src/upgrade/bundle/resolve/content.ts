import type { WantedArtifact } from '@isthmus/upgrade';
import type { Io } from '../../../world/io.ts';
import type { Mirrors } from './mirrors.ts';
import type { Registries, ResolvedImage } from './registry.ts';
import type { Web } from './web.ts';
import { bounded, leave } from './web.ts';

export interface Sources {
  readonly web: Web;
  readonly registries: Registries;
  readonly mirrors: Mirrors;
  /** The folder of the bundle, with its slash; empty for the current one. */
  readonly folder: string;
}

/**
 * Files are manifests, charts and archives; images of machines, which are larger, have a digest in
 * their bundle.
 */
const maxFileBytes = 1024 * 1024 * 1024;

/**
 * The digest and size of the content at the location of an artifact. Errors contain the obstacle.
 */
export async function contentOf(
  io: Pick<Io, 'bytesBelow' | 'bundleCrypto'>,
  { source }: WantedArtifact,
  { web, registries, mirrors, folder }: Sources,
  signal: AbortSignal,
): Promise<ResolvedImage> {
  switch (source.kind) {
    case 'image':
      return registries.resolve(source.reference, signal);
    case 'url': {
      const url = mirrors.urlOf(source.url);
      const response = await web.send({ url }, signal);
      if (response.status !== 200) {
        await leave(response);
        throw new Error(`${url.host} answers ${response.status}`);
      }
      return ofChunks(io, bounded(response.body, maxFileBytes));
    }
    case 'file': {
      const found = await io.bytesBelow(folder, source.path);
      if (found.kind === 'missing') throw new Error('the folder of the bundle has no such file');
      if (found.kind === 'outside') throw new Error('it is not a file in the folder of the bundle');
      return ofChunks(io, found.chunks);
    }
    case 'unknown':
      throw new Error(source.problem);
  }
}

/** The digest and the number of bytes, whatever they are. */
async function ofChunks(io: Pick<Io, 'bundleCrypto'>, chunks: AsyncIterable<Uint8Array>): Promise<ResolvedImage> {
  let size = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      yield chunk;
    }
  };
  const digest = `sha256:${await io.bundleCrypto.sha256OfChunks(counted())}`;
  return { digest, size };
}
