import type { ApiResponse } from '@isthmus/kube';
import { errorMessage, isRecord } from '@isthmus/machinery';
import type { ImageReference, ResolvedArtifact } from '@isthmus/upgrade';
import { oneLine } from '../../../render/printable-output.ts';
import type { Challenge } from './challenge.ts';
import { challengesIn } from './challenge.ts';
import type { CredentialFor, RegistryCredential } from './docker-config.ts';
import type { Mirrors } from './mirrors.ts';
import type { Web, WebResponse } from './web.ts';
import { bytesOf, leave } from './web.ts';

export interface RegistryOptions {
  readonly web: Web;
  readonly credentialFor: CredentialFor;
  readonly mirrors: Mirrors;
  /** Hex SHA-256 of bytes. */
  readonly sha256: (bytes: Uint8Array) => string;
}

/** What a registry has of an image. */
export interface ResolvedImage extends ResolvedArtifact {
  /** Why the size is not known. */
  readonly withoutSize?: string | undefined;
}

/** Registries that speak the OCI Distribution API. */
export interface Registries {
  /**
   * The digest of an image's manifest, taken of its bytes, and what the largest of its platforms pulls: its configuration and layers, compressed.
   * Errors say which registry answered what, and what to do.
   */
  resolve(reference: ImageReference, signal: AbortSignal): Promise<ResolvedImage>;
}

/** Registries accept manifests of up to 4 MiB (OCI Distribution Specification). */
const maxManifestBytes = 4 * 1024 * 1024;
const maxTokenBytes = 64 * 1024;
const mostPlatforms = 64;

const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** A repository as it is asked for, after mirrors. */
interface Place {
  readonly origin: string;
  readonly host: string;
  readonly repository: string;
}

/** What came of a challenge. */
type Authorization =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'stopped' };

/** Without credentials, with them, and once more where they have expired. */
const mostTries = 3;

export function createRegistries({ web, credentialFor, mirrors, sha256 }: RegistryOptions): Registries {
  /** By repository: an answer to its challenge that is being fetched or in use. */
  const authorizations = new Map<string, Promise<Authorization>>();

  const fetchToken = async (
    challenge: Challenge,
    place: Place,
    credential: RegistryCredential,
    signal: AbortSignal,
  ) => {
    const { parameters } = challenge;
    const realm = parameters.get('realm') ?? '';
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (url?.protocol !== 'https:' || url.username + url.password !== '') {
      throw new Error(`${place.host} names a token service that does not use TLS`);
    }
    const service = parameters.get('service');
    const scope = parameters.get('scope') ?? `repository:${place.repository}:pull`;
    const asked = { ...(service !== undefined && { service }), scope };
    const response = await (() => {
      if (credential.kind === 'identity') {
        const form = { ...asked, grant_type: 'refresh_token', refresh_token: credential.token, client_id: 'isthmus' };
        return web.send({ url, form }, signal);
      }
      Object.entries(asked).forEach(([name, value]) => url.searchParams.set(name, value));
      return web.send(
        { url, headers: credential.kind === 'basic' ? { authorization: basic(credential) } : {} },
        signal,
      );
    })();
    if (response.status !== 200) {
      const why = `the token service ${url.host} of ${place.host} answers ${await statusText(response)}`;
      throw new Error(`${why}${adviceFor(place, credential)}`);
    }
    const answer = jsonIn(await bytesOf(response, maxTokenBytes));
    const token = answer?.['token'] ?? answer?.['access_token'];
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
      throw new Error(`the token service ${url.host} of ${place.host} answers without a token`);
    }
    return `Bearer ${token}`;
  };

  const authorize = (header: string, place: Place, signal: AbortSignal): Promise<string> => {
    const credential = credentialFor(place.host, place.repository);
    const challenges = challengesIn(header);
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (credential.kind === 'bearer') return Promise.resolve(`Bearer ${credential.token}`);
    if (bearer !== undefined) return fetchToken(bearer, place, credential, signal);
    const wantsBasic = challenges.some(({ scheme }) => scheme === 'basic');
    if (wantsBasic && credential.kind === 'basic') return Promise.resolve(basic(credential));
    const what = wantsBasic
      ? 'requires a user and password'
      : `requires a type of authentication that is not supported`;
    return Promise.reject(new Error(`${place.host} ${what}${adviceFor(place, credential)}`));
  };

  /** Never rejects: what was refused is remembered, so that wrong credentials are not presented for every image. */
  const answer = async (header: string, place: Place, signal: AbortSignal): Promise<Authorization> => {
    try {
      return { kind: 'value', value: await authorize(header, place, signal) };
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' };
      return { kind: 'refused', why: errorMessage(error) };
    }
  };

  const get = async (place: Place, version: string, signal: AbortSignal): Promise<WebResponse> => {
    const url = new URL(`${place.origin}/v2/${place.repository}/manifests/${version}`);
    const key = `${place.origin}/${place.repository}`;
    const accept = [...indexTypes, ...manifestTypes].join(', ');
    for (let tries = 1; ; tries++) {
      const known = authorizations.get(key);
      const used = await known;
      if (used?.kind === 'refused') throw new Error(used.why);
      const authorization = used?.kind === 'value' ? { authorization: used.value } : {};
      const response = await web.send({ url, headers: { accept, ...authorization } }, signal);
      if (response.status !== 401) return response;
      // Its challenge could name any token service, which would get the credentials of the registry.
      if (response.url.host !== url.host) throw new Error(await elsewhere(place, response));
      if (tries === mostTries) return response;
      await leave(response);
      // Where another request has asked for a new one meanwhile, that one is waited for.
      if (authorizations.get(key) === known) {
        authorizations.set(key, answer(response.headers['www-authenticate'] ?? '', place, signal));
      }
    }
  };

  const manifest = async (place: Place, version: string, signal: AbortSignal) => {
    const response = await get(place, version, signal);
    if (response.status !== 200) {
      const why = `${place.host} answers ${await statusText(response)} for ${place.repository}`;
      const isRefused = response.status === 401 || response.status === 403;
      const credential = credentialFor(place.host, place.repository);
      throw new Error(`${why}${isRefused ? adviceFor(place, credential) : ''}`);
    }
    const bytes = await bytesOf(response, maxManifestBytes);
    const digest = `sha256:${sha256(bytes)}`;
    const [type = ''] = (response.headers['content-type'] ?? '').split(';');
    const said = response.headers['docker-content-digest'] ?? digest;
    if (said.startsWith('sha256:') && said !== digest) {
      throw new Error(`${place.host} reports the digest ${oneLine(said.slice(0, 80))}, but its answer has ${digest}`);
    }
    if (version.startsWith('sha256:') && version !== digest) {
      throw new Error(`${place.host} answers with content of another digest, ${digest}`);
    }
    const json = jsonIn(bytes);
    const mediaType = typeof json?.['mediaType'] === 'string' ? json['mediaType'] : type.trim();
    if (json === undefined || ![...indexTypes, ...manifestTypes].includes(mediaType)) {
      throw new Error(
        `${place.host} answers with ${oneLine(mediaType.slice(0, 100)) || 'no media type'}, which is not an image manifest of OCI or Docker (schema 2)`,
      );
    }
    return { digest, json, isIndex: indexTypes.includes(mediaType) };
  };

  const sizeOf = async (place: Place, json: Json, signal: AbortSignal): Promise<number> => {
    const platforms = listIn(json['manifests']).filter(isPlatform);
    const digests = platforms.map((one) => String(one['digest']));
    if (digests.length === 0) throw new Error('the index lists no platform');
    if (digests.length > mostPlatforms) throw new Error(`the index lists more than ${mostPlatforms} platforms`);
    const wrong = digests.find((one) => !/^sha256:[0-9a-f]{64}$/.test(one));
    if (wrong !== undefined) throw new Error('the index lists a digest that is not SHA-256');
    let largest = 0;
    for (const digest of digests)
      largest = Math.max(largest, pulledBytes((await manifest(place, digest, signal)).json));
    return largest;
  };

  return {
    async resolve(reference, signal) {
      const place = mirrors.registryOf(reference);
      const { digest, json, isIndex } = await manifest(place, reference.digest ?? reference.tag ?? 'latest', signal);
      try {
        return { digest, size: isIndex ? await sizeOf(place, json, signal) : pulledBytes(json) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { digest, withoutSize: errorMessage(error) };
      }
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Attestations are listed as platforms of the name `unknown`. */
function isPlatform({ platform }: Json): boolean {
  return !(isRecord(platform) && platform['os'] === 'unknown');
}

/** The configuration and the layers, each once. Errors: one without a size. */
function pulledBytes(json: Json): number {
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

function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}

function basic({ user, password }: Extract<RegistryCredential, { kind: 'basic' }>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** What to do about credentials, as the end of an error. */
function adviceFor({ host }: Place, credential: RegistryCredential): string {
  if (credential.kind === 'helper') {
    return (
      `; the docker config leaves the credentials of ${host} to the credential helper docker-credential-${oneLine(credential.name)}, which isthmus does not run: ` +
      'log in to a config without credHelpers and credsStore (docker --config DIR login), and pass that with --registry-config'
    );
  }
  return credential.kind === 'none'
    ? `; pass a docker config with credentials for ${host} with --registry-config`
    : `; check the credentials for ${host} in the docker config`;
}

/** Why a server that the registry redirects to is not authenticated to. */
async function elsewhere({ host, repository }: Place, response: WebResponse): Promise<string> {
  const other = response.url.host;
  return (
    `${host} redirects ${repository} to ${other}, which answers ${await statusText(response)}: credentials for ${host} are not sent there; ` +
    `if you trust ${other}, ask it directly with --mirror ${host}=${other}`
  );
}

/** `404 (MANIFEST_UNKNOWN: manifest unknown)`. */
async function statusText(response: ApiResponse): Promise<string> {
  const json = await bytesOf(response, maxTokenBytes).then(jsonIn, () => undefined);
  const [first] = listIn(json?.['errors']);
  const { code, message } = first ?? {};
  const words = [code, message].filter((one) => typeof one === 'string' && one !== '');
  return `${response.status}${words.length === 0 ? '' : ` (${oneLine(words.join(': ').slice(0, 200))})`}`;
}

function jsonIn(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
