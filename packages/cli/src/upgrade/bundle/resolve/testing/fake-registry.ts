import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '@isthmus/kube';
import type { Network } from '../../../../world/io.ts';

/** What a server answers; undefined: 404. */
export type Answer = (
  request: ApiRequest & { readonly server: string },
) => ApiResponse | Promise<ApiResponse> | undefined;

/**
 * Servers by origin, and a record of what they were asked: `GET https://r.example/v2/… (Bearer x)`.
 */
export function serversOf(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const authorities: (string | undefined)[] = [];
  const network: Pick<Network, 'dial'> = {
    dial: ({ server, caPem }) => {
      authorities.push(caPem);
      return {
        async send(request, signal) {
          const authorization = request.headers?.['authorization'];
          asked.push(
            `${request.method} ${server}${request.path}${authorization === undefined ? '' : ` (${authorization})`}`,
          );
          signal.throwIfAborted();
          const stopped = new Promise<never>((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          );
          const given = await Promise.race([answers[server]?.({ ...request, server }), stopped]);
          return given ?? answer(404, { errors: [{ code: 'NAME_UNKNOWN' }] });
        },
        close() {},
      };
    },
  };
  return { network, asked, authorities };
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers, body: chunksOf(typeof body === 'string' ? body : JSON.stringify(body)) };
}

export const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

/** The manifest of an image with these layers. */
export function imageText(...layerSizes: readonly number[]): string {
  const blob = (size: number, at: number) => ({ digest: digestOf(`${size}/${at}`), size });
  return JSON.stringify({ mediaType: manifestType, config: blob(100, -1), layers: layerSizes.map(blob) });
}

/** The index of images, each with the name of its operating system. */
export function indexText(...images: readonly (readonly [os: string, text: string])[]): string {
  const manifests = images.map(([os, text]) => ({ digest: digestOf(text), platform: { os } }));
  return JSON.stringify({ mediaType: indexType, manifests });
}

/** A registry that has these manifests, by `repository:tag`; each also by its digest. */
export function manifestsOf(images: Readonly<Record<string, string>>): Answer {
  const byPath = new Map<string, string>();
  for (const [name, text] of Object.entries(images)) {
    const [repository = '', tag = ''] = name.split(':');
    byPath.set(`/v2/${repository}/manifests/${tag}`, text);
    byPath.set(`/v2/${repository}/manifests/${digestOf(text)}`, text);
  }
  return ({ path }) => {
    const text = byPath.get(path);
    if (text === undefined) {
      return answer(404, { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] });
    }
    return answer(200, text, { 'docker-content-digest': digestOf(text) });
  };
}

/** In pieces of 50 bytes. */
async function* chunksOf(text: string): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 50) yield bytes.subarray(at, at + 50);
}
