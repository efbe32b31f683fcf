import type { FieldError } from '@isthmus/schema';
import { keyOf, rfc3339 } from '@isthmus/machinery';
import { uid } from '../objects/created-metadata.ts';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import { badRequest, conflict, invalid, invalidValue, notFound } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { issuer, printToken } from '../authentication/service-account-tokens.ts';

interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null | undefined;
  readonly expirationSeconds?: number | null | undefined;
  readonly boundObjectRef?: BoundObject | null | undefined;
}

interface BoundObject {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

/** How a server issues tokens. */
export interface TokenSettings {
  /** Signs them. */
  readonly key: string;
  /** The longest lifetime of a token, in seconds; a request for more gets this. Default: any. */
  readonly maxSeconds?: number | undefined;
}

/** The lifetime of a token in seconds if the request names none. */
export const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

/**
 * `serviceaccounts/token`: a token for a ServiceAccount, bound to an object or not
 * (authentication.k8s.io/v1 TokenRequest).
 */
export function requestToken(core: Core, settings: TokenSettings, target: Target, request: Stored): Stored {
  const { key, maxSeconds = Number.POSITIVE_INFINITY } = settings;
  const account = core.store.get('/serviceaccounts', keyOf(target));
  if (account === undefined) throw notFound(target.resource, target.name);
  const spec = (request['spec'] ?? {}) as TokenRequestSpec;
  const asked = spec.audiences ?? [];
  const audiences = asked.length === 0 ? [issuer] : asked;
  const wanted = spec.expirationSeconds ?? defaultSeconds;
  const errors = expirationErrors(wanted);
  const seconds = Math.min(wanted, maxSeconds);
  if (errors.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors);
  const bound = boundOf(core, target, spec.boundObjectRef ?? undefined);
  const now = Math.floor(core.clock.now() / 1000);
  const { name, namespace = '', uid: accountUid = '' } = account.metadata;
  const token = printToken(key, {
    aud: audiences,
    exp: now + seconds,
    iat: now,
    iss: issuer,
    jti: uid(core.random),
    'kubernetes.io': { namespace, serviceaccount: { name, uid: accountUid }, ...bound },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  });
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {
      ...request.metadata,
      name,
      namespace,
      uid: accountUid,
      creationTimestamp: rfc3339(core.clock.now()),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: rfc3339((now + seconds) * 1000) },
  };
}

function expirationErrors(seconds: number): readonly FieldError[] {
  if (seconds < minSeconds) {
    return [invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes')];
  }
  return seconds > maxSeconds
    ? [invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

/**
 * The claims of the object that the token is bound to. The token is invalid once that object is
 * deleted.
 */
function boundOf({ store }: Core, { namespace = '' }: Target, bound: BoundObject | undefined): object {
  if (bound === undefined) return {};
  const { kind = '', apiVersion = '', name = '', uid: wanted = '' } = bound;
  const plural = kind === 'Pod' ? 'pods' : kind === 'Secret' ? 'secrets' : undefined;
  if (plural === undefined || apiVersion !== 'v1') {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const object = store.get(`/${plural}`, `${namespace}/${name}`);
  if (object === undefined) throw notFound({ group: '', plural }, name);
  const have = object.metadata.uid ?? '';
  if (wanted !== '' && wanted !== have) {
    const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural }, name, why);
  }
  return { [kind.toLowerCase()]: { name, uid: have } };
}
