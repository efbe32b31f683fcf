import { dns1123LabelErrors, dns1123SubdomainErrors } from '@isthmus/machinery';
import { recordOf } from '@isthmus/wire';

/**
 * The content of a token of a ServiceAccount. Only the leader can check it. A member uses it to
 * decide when to ask for another token, and for messages.
 */
export interface TokenFacts {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The Secret whose deletion ends the token. */
  readonly secret: { readonly name: string; readonly uid: string } | undefined;
  /** Undefined: the token does not expire. Both in seconds, by the clock of the leader. */
  readonly life: { readonly fromS: number; readonly untilS: number } | undefined;
}

/** API servers issue tokens of about 1 KB. */
const longestToken = 16_384;
/** The year 9999, the last one of RFC 3339. */
const lastSecond = 253_402_300_799;

/**
 * Reads a token that an API server issued for a ServiceAccount, bound or that of a Secret.
 * Undefined for any other text: nothing is assumed about it.
 */
export function readToken(token: string): TokenFacts | undefined {
  const claims = claimsOf(token);
  const [, namespace = '', name = ''] =
    /^system:serviceaccount:([^:]+):([^:]+)$/.exec(textOf(claims?.['sub']) ?? '') ?? [];
  if (dns1123LabelErrors(namespace).length > 0 || dns1123SubdomainErrors(name).length > 0) return undefined;
  const about = recordOf(claims?.['kubernetes.io']);
  const uid = textOf(recordOf(about?.['serviceaccount'])?.['uid']) ?? '';
  const life = lifeOf(claims);
  return life === 'invalid' ? undefined : { account: { namespace, name, uid }, secret: secretOf(about), life };
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload = '', ...rest] = token.split('.', 4);
  if (token.length > longestToken || rest.length !== 1) return undefined;
  try {
    // The claims that are read are ASCII, even if others are not.
    return recordOf(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return undefined;
  }
}

function lifeOf(claims: Readonly<Record<string, unknown>> | undefined): TokenFacts['life'] | 'invalid' {
  const { exp, iat } = claims ?? {};
  if (exp === undefined) return undefined;
  return isTime(exp) && isTime(iat) && iat < exp ? { fromS: iat, untilS: exp } : 'invalid';
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= lastSecond;
}

function secretOf(about: Readonly<Record<string, unknown>> | undefined): TokenFacts['secret'] {
  const secret = recordOf(about?.['secret']);
  const [name, uid] = [textOf(secret?.['name']) ?? '', textOf(secret?.['uid']) ?? ''];
  return dns1123SubdomainErrors(name).length === 0 && uid !== '' ? { name, uid } : undefined;
}

/** Names and uids have at most 253 characters, a subject has two of them. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 600 && /^[\x21-\x7e]*$/.test(value) ? value : undefined;
}

/**
 * What stays the same when a token is renewed: sessions with equal values are one session. A token
 * that does not expire is not renewed, so it is its own value.
 */
export function sessionToken(token: string): string {
  const facts = readToken(token);
  if (facts?.life === undefined || facts.account.uid === '') return token;
  const { namespace, name, uid } = facts.account;
  return `${namespace}/${name}/${uid}`;
}
