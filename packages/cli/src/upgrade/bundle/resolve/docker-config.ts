import { isRecord } from '@isthmus/machinery';
import { UsageError } from '../../../command/usage-error.ts';

/** The credentials that a client presents to a registry. */
export type RegistryCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  /** A refresh token for the token service of the registry. */
  | { readonly kind: 'identity'; readonly token: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** Kept by a program that isthmus does not run. */
  | { readonly kind: 'helper'; readonly name: string };

/** The credentials for a repository, as a docker config has them. */
export type CredentialFor = (host: string, repository: string) => RegistryCredential;

export const anonymous: CredentialFor = () => ({ kind: 'none' });

/**
 * Reads a docker config (`config.json`): `auths` by registry or by registry and folder, the longest
 * that matches. For a registry of `credHelpers` and, where `auths` has nothing, of `credsStore`,
 * the name of the program is the answer. Errors: {@link UsageError} that never quotes the file.
 */
export function readDockerConfig(text: string, path: string): CredentialFor {
  const wrong = (why: string) => new UsageError(`${path}: ${why}; expected a docker config, {"auths": {…}}`);
  const config = parsed(text);
  if (!isRecord(config)) throw wrong('it is not a JSON object');
  const { auths = {}, credHelpers = {}, credsStore } = config;
  if (!isRecord(auths)) throw wrong('auths is not an object');
  if (!isRecord(credHelpers)) throw wrong('credHelpers is not an object');
  const entries = new Map<string, RegistryCredential>();
  for (const [key, entry] of Object.entries(auths)) {
    const credential = isRecord(entry) ? credentialIn(entry) : undefined;
    if (credential === undefined) throw wrong(`the entry of ${JSON.stringify(key)} in auths cannot be read`);
    entries.set(placeOf(key), credential);
  }
  const helpers = new Map(Object.entries(credHelpers).map(([key, name]) => [placeOf(key), String(name)]));
  return (host, repository) => {
    for (let place = `${host}/${repository}`; ; place = place.slice(0, place.lastIndexOf('/'))) {
      const helper = helpers.get(place);
      if (helper !== undefined) return { kind: 'helper', name: helper };
      const entry = entries.get(place);
      if (entry !== undefined && entry.kind !== 'none') return entry;
      if (place === host) break;
    }
    return typeof credsStore === 'string' && credsStore !== ''
      ? { kind: 'helper', name: credsStore }
      : { kind: 'none' };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The cause is left out: it may quote the file.
    return undefined;
  }
}

/**
 * `https://index.docker.io/v1/` is how docker writes Docker Hub; other registries are written as
 * their host, with or without a folder.
 */
function placeOf(key: string): string {
  const bare = key
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
    .replace(/\/v[12]$/, '');
  return bare === 'index.docker.io' || bare === 'registry-1.docker.io' ? 'docker.io' : bare;
}

/**
 * Undefined for an entry that cannot be read. An empty entry means that a helper has the
 * credentials.
 */
function credentialIn(entry: Readonly<Record<string, unknown>>): RegistryCredential | undefined {
  const { auth, username, password, identitytoken, registrytoken } = entry;
  if (typeof registrytoken === 'string' && registrytoken !== '') return { kind: 'bearer', token: registrytoken };
  if (typeof identitytoken === 'string' && identitytoken !== '') return { kind: 'identity', token: identitytoken };
  if (typeof username === 'string' && username !== '' && typeof password === 'string') {
    return { kind: 'basic', user: username, password };
  }
  if (auth === undefined || auth === '') return { kind: 'none' };
  const both = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '') : '';
  const colon = both.indexOf(':');
  return colon <= 0 ? undefined : { kind: 'basic', user: both.slice(0, colon), password: both.slice(colon + 1) };
}
