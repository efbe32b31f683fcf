import { createHash } from 'node:crypto';
import { httpsTransport, noCredentials } from '@isthmus/kube';
import type { ApiRequest } from '@isthmus/kube';

/** A registry, and how one writes to it. */
export interface PushTarget {
  readonly host: string;
  readonly caPem: string;
  readonly authorization?: string | undefined;
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

/**
 * Uploads an image with one layer for each platform, under one tag; the digest of what the tag
 * names.
 */
export async function pushImage(
  target: PushTarget,
  repository: string,
  tag: string,
  layers: Readonly<Record<string, string>>,
): Promise<string> {
  const manifests = [];
  for (const [architecture, layer] of Object.entries(layers)) {
    const config = await pushBlob(target, repository, JSON.stringify({ architecture, os: 'linux' }));
    const blob = await pushBlob(target, repository, layer);
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...blob }],
    });
    await put(target, `/v2/${repository}/manifests/${digestOf(text)}`, manifestType, text);
    const platform = { architecture, os: 'linux' };
    manifests.push({ mediaType: manifestType, digest: digestOf(text), size: Buffer.byteLength(text), platform });
  }
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  await put(target, `/v2/${repository}/manifests/${tag}`, indexType, index);
  return digestOf(index);
}

async function pushBlob(target: PushTarget, repository: string, text: string) {
  const digest = digestOf(text);
  const started = await send(target, { method: 'POST', path: `/v2/${repository}/blobs/uploads/` }, 202);
  const place = new URL(started['location'] ?? '', `https://${target.host}`);
  place.searchParams.set('digest', digest);
  await put(target, `${place.pathname}${place.search}`, 'application/octet-stream', text);
  return { digest, size: Buffer.byteLength(text) };
}

async function put(target: PushTarget, path: string, type: string, body: string): Promise<void> {
  await send(target, { method: 'PUT', path, headers: { 'content-type': type }, body }, 201);
}

async function send(
  { host, caPem, authorization }: PushTarget,
  request: ApiRequest,
  status: number,
): Promise<Readonly<Record<string, string>>> {
  const credentials =
    authorization === undefined
      ? noCredentials()
      : { authorization: async () => authorization, refused: async () => false };
  const transport = httpsTransport({ server: `https://${host}`, caPem, credentials, userAgent: 'test' });
  try {
    const answer = await transport.send(request, AbortSignal.timeout(60_000));
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    if (answer.status !== status) {
      throw new Error(`${request.method} ${request.path}: ${answer.status} ${Buffer.concat(chunks).toString('utf8')}`);
    }
    return answer.headers;
  } finally {
    transport.close();
  }
}
