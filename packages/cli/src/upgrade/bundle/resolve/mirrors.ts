import type { ImageReference } from '@isthmus/upgrade';
import { UsageError } from '../../../command/usage-error.ts';

/** A repository as it is asked for, after mirrors. */
export interface Place {
  readonly origin: string;
  readonly host: string;
  readonly repository: string;
}

/** The servers that are asked in the place of others. */
export interface Mirrors {
  /** Where the repository of an image is asked for. */
  registryOf(reference: ImageReference): Place;
  /** Where a file is asked for. */
  urlOf(url: URL): URL;
}

/**
 * Reads `public.ecr.aws=mirror.example:5000/ecr,…`: images and files of the first host are only
 * requested from the second one, below its folder. Errors: {@link UsageError} for text of another
 * form, and for a host that is named twice.
 */
export function mirrorsIn(text: string | undefined): Mirrors {
  const mirrors = new Map<string, { readonly host: string; readonly folder: string }>();
  for (const one of text?.split(',') ?? []) {
    const [, host = '', mirror = '', folder = ''] = /^([^=/\s]+)=([^=/\s]+)(?:\/([^=\s]*?))?\/?$/.exec(one) ?? [];
    const url = `https://${mirror}/${folder}`;
    if (mirror === '' || !URL.canParse(url) || new URL(url).pathname !== `/${folder}` || new URL(url).host === '') {
      throw new UsageError(
        `--mirror ${one}: expected host=mirror[:port][/folder], such as public.ecr.aws=mirror.example:5000/ecr`,
      );
    }
    if (mirrors.has(host)) throw new UsageError(`--mirror ${one}: ${host} already has a mirror`);
    mirrors.set(host, { host: mirror, folder });
  }
  const below = (folder: string, path: string) => (folder === '' ? path : `${folder}/${path}`);
  return {
    registryOf({ host, repository }) {
      const mirror = mirrors.get(host);
      if (mirror === undefined) {
        // Docker Hub is a name; its registry has another one.
        const server = host === 'docker.io' ? 'registry-1.docker.io' : host;
        return { origin: `https://${server}`, host, repository };
      }
      return { origin: `https://${mirror.host}`, host: mirror.host, repository: below(mirror.folder, repository) };
    },
    urlOf(url) {
      const mirror = mirrors.get(url.host);
      if (mirror === undefined) return url;
      return new URL(`https://${mirror.host}/${below(mirror.folder, url.pathname.slice(1))}${url.search}`);
    },
  };
}
