import { isRecord } from '@isthmus/machinery';
import { oneLine } from '../../../render/printable-output.ts';
import { jsonIn, listIn } from './registry-json.ts';
import type { Json } from './registry-json.ts';

/** Registries accept manifests of up to 4 MiB (OCI Distribution Specification). */
export const maxManifestBytes = 4 * 1024 * 1024;
const mostPlatforms = 64;

const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** The media types of manifests, as a request accepts them. */
export const acceptedTypes = [...indexTypes, ...manifestTypes].join(', ');

/** A manifest of an image, or an index of its platforms. */
export interface Manifest {
  readonly digest: string;
  readonly json: Json;
  readonly isIndex: boolean;
}

/** An answer of a registry with a manifest. */
export interface ManifestAnswer {
  readonly host: string;
  /** The tag or digest that was asked for. */
  readonly version: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * The manifest in an answer. Errors: another digest than the one asked for or reported, and content
 * that is not a manifest.
 */
export function manifestIn(
  { host, version, bytes, headers }: ManifestAnswer,
  sha256: (bytes: Uint8Array) => string,
): Manifest {
  const digest = `sha256:${sha256(bytes)}`;
  const reported = headers['docker-content-digest'] ?? digest;
  if (reported.startsWith('sha256:') && reported !== digest) {
    throw new Error(`${host} reports the digest ${oneLine(reported.slice(0, 80))}, but its answer has ${digest}`);
  }
  if (version.startsWith('sha256:') && version !== digest) {
    throw new Error(`${host} answers with content of another digest, ${digest}`);
  }
  const json = jsonIn(bytes);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const mediaType = typeof json?.['mediaType'] === 'string' ? json['mediaType'] : type.trim();
  if (json === undefined || ![...indexTypes, ...manifestTypes].includes(mediaType)) {
    throw new Error(
      `${host} answers with ${oneLine(mediaType.slice(0, 100)) || 'no media type'}, which is not an image manifest of OCI or Docker (schema 2)`,
    );
  }
  return { digest, json, isIndex: indexTypes.includes(mediaType) };
}

/**
 * The digests of the platforms that an index lists. Errors: none or too many of them, and a digest
 * that is not SHA-256.
 */
export function platformDigests(index: Json): readonly string[] {
  const digests = listIn(index['manifests'])
    .filter(isPlatform)
    .map((one) => String(one['digest']));
  if (digests.length === 0) throw new Error('the index lists no platform');
  if (digests.length > mostPlatforms) throw new Error(`the index lists more than ${mostPlatforms} platforms`);
  const wrong = digests.find((one) => !/^sha256:[0-9a-f]{64}$/.test(one));
  if (wrong !== undefined) throw new Error('the index lists a digest that is not SHA-256');
  return digests;
}

/** Attestations are listed as platforms of the name `unknown`. */
function isPlatform({ platform }: Json): boolean {
  return !(isRecord(platform) && platform['os'] === 'unknown');
}

/**
 * The bytes of the configuration and the layers, each counted once. Errors: a blob without a size.
 */
export function pulledBytes(json: Json): number {
  const blobs = [json['config'], ...listIn(json['layers'])].filter(isRecord);
  const sizes = new Map(blobs.map(({ digest, size }) => [digest, size]));
  let sum = 0;
  for (const size of sizes.values()) {
    if (!Number.isSafeInteger(size) || (size as number) < 0)
      throw new Error('the manifest lists a blob without a size');
    sum += size as number;
  }
  return sum;
}
