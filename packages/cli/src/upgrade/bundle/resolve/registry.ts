import { errorMessage } from '@isthmus/machinery';
import type { ImageReference, ResolvedArtifact } from '@isthmus/upgrade';
import type { Authorization } from './authorization.ts';
import { authorizationFor } from './authorization.ts';
import type { CredentialFor } from './docker-config.ts';
import type { Manifest } from './manifest.ts';
import { acceptedTypes, manifestIn, maxManifestBytes, platformDigests, pulledBytes } from './manifest.ts';
import type { Mirrors, Place } from './mirrors.ts';
import { adviceFor, elsewhere, statusText } from './refusals.ts';
import type { Web, WebResponse } from './web.ts';
import { bytesOf, leave } from './web.ts';

export interface RegistryOptions {
  readonly web: Web;
  readonly credentialFor: CredentialFor;
  readonly mirrors: Mirrors;
  /** Hex SHA-256 of bytes. */
  readonly sha256: (bytes: Uint8Array) => string;
}

/** The digest and size of an image at a registry. */
export interface ResolvedImage extends ResolvedArtifact {
  /** Why the size is not known. */
  readonly withoutSize?: string | undefined;
}

/** Registries that speak the OCI Distribution API. */
export interface Registries {
  /**
   * The digest of an image's manifest, computed from its bytes, and the size of the largest
   * platform: its configuration and layers, compressed. Errors contain the registry, its answer,
   * and the next step.
   */
  resolve(reference: ImageReference, signal: AbortSignal): Promise<ResolvedImage>;
}

/** Without credentials, with them, and once more where they have expired. */
const mostTries = 3;

export function createRegistries({ web, credentialFor, mirrors, sha256 }: RegistryOptions): Registries {
  /** By repository: an answer to its challenge that is being fetched or in use. */
  const authorizations = new Map<string, Promise<Authorization>>();

  const get = async (place: Place, version: string, signal: AbortSignal): Promise<WebResponse> => {
    const url = new URL(`${place.origin}/v2/${place.repository}/manifests/${version}`);
    const key = `${place.origin}/${place.repository}`;
    for (let tries = 1; ; tries++) {
      const known = authorizations.get(key);
      const used = await known;
      if (used?.kind === 'refused') throw new Error(used.why);
      const authorization = used?.kind === 'value' ? { authorization: used.value } : {};
      const response = await web.send({ url, headers: { accept: acceptedTypes, ...authorization } }, signal);
      if (response.status !== 401) return response;
      // Its challenge could name any token service, which would get the credentials of the
      // registry.
      if (response.url.host !== url.host) throw new Error(await elsewhere(place, response));
      if (tries === mostTries) return response;
      await leave(response);
      // If another request has asked for a new one meanwhile, this one waits for it.
      if (authorizations.get(key) === known) {
        const header = response.headers['www-authenticate'] ?? '';
        const credential = credentialFor(place.host, place.repository);
        authorizations.set(key, authorizationFor(header, { web, place, credential, signal }));
      }
    }
  };

  const manifest = async (place: Place, version: string, signal: AbortSignal): Promise<Manifest> => {
    const response = await get(place, version, signal);
    if (response.status !== 200) {
      const why = `${place.host} answers ${await statusText(response)} for ${place.repository}`;
      const isRefused = response.status === 401 || response.status === 403;
      const credential = credentialFor(place.host, place.repository);
      throw new Error(`${why}${isRefused ? adviceFor(place, credential) : ''}`);
    }
    const bytes = await bytesOf(response, maxManifestBytes);
    return manifestIn({ host: place.host, version, bytes, headers: response.headers }, sha256);
  };

  /** The bytes that the largest platform of an index pulls. */
  const largestOf = async (place: Place, index: Manifest, signal: AbortSignal): Promise<number> => {
    let largest = 0;
    for (const digest of platformDigests(index.json))
      largest = Math.max(largest, pulledBytes((await manifest(place, digest, signal)).json));
    return largest;
  };

  return {
    async resolve(reference, signal) {
      const place = mirrors.registryOf(reference);
      const found = await manifest(place, reference.digest ?? reference.tag ?? 'latest', signal);
      const { digest } = found;
      try {
        return { digest, size: found.isIndex ? await largestOf(place, found, signal) : pulledBytes(found.json) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { digest, withoutSize: errorMessage(error) };
      }
    },
  };
}
