import type { ObjectMeta } from '@isthmus/machinery';
import type { Stored } from '../store/stored.ts';
import type { RbacObjects } from '../authorization/rbac.ts';
import { isSigned, sign } from './token-signature.ts';
import { accountGroups } from '../request/user-info.ts';
import type { UserInfo } from '../request/user-info.ts';

/** The issuer, and the audience of tokens that name none. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

/**
 * The claims of a bound ServiceAccount token (kubernetes.io/docs, "ServiceAccount token
 * structure").
 */
export interface TokenClaims {
  readonly aud: readonly string[];
  /** Seconds since the epoch; absent in tokens of Secrets, which do not expire. */
  readonly exp?: number | undefined;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string } | undefined;
    readonly secret?: { readonly name: string; readonly uid: string } | undefined;
    readonly node?: { readonly name: string; readonly uid: string } | undefined;
  };
  readonly nbf: number;
  readonly sub: string;
}

/**
 * A JSON Web Token, which clients do not read. The sandbox signs with a key of its own (HS256); a
 * real server has a key pair.
 */
export function printToken(key: string, claims: TokenClaims): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${text}.${sign(key, text)}`;
}

/** The claims of a token that this key has signed; undefined for any other text. */
function parseToken(key: string, token: string): TokenClaims | undefined {
  const [header = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSigned(key, `${header}.${body}`, signature)) return undefined;
  // A text signed by this key comes from printToken.
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as TokenClaims;
}

/**
 * The token of a Secret of type `kubernetes.io/service-account-token`. It does not expire, and is
 * invalid once the Secret or the ServiceAccount is deleted. A real cluster writes its claims in an
 * older form; clients read neither.
 */
export function printSecretToken(
  key: string,
  {
    account,
    secret,
    nowSeconds,
  }: { readonly account: ObjectMeta; readonly secret: ObjectMeta; readonly nowSeconds: number },
): string {
  const { name, namespace = '', uid = '' } = account;
  const now = Math.floor(nowSeconds);
  return printToken(key, {
    aud: [issuer],
    iat: now,
    iss: issuer,
    jti: secret.uid ?? '',
    'kubernetes.io': {
      namespace,
      secret: { name: secret.name, uid: secret.uid ?? '' },
      serviceaccount: { name, uid },
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  });
}

/** Finds out whose a token is. `nowSeconds`: since the epoch. */
export interface TokenVerdict {
  readonly user?: UserInfo | undefined;
  readonly error?: string | undefined;
  /** The audiences of the token. */
  readonly audiences?: readonly string[] | undefined;
}

/**
 * Whether a token is valid at this moment: signed, not expired, and for one of the audiences. Its
 * ServiceAccount and the object that it is bound to must exist.
 */
export function verifyToken(
  { key, objects, nowSeconds }: { readonly key: string; readonly objects: RbacObjects; readonly nowSeconds: number },
  token: string,
  audiences: readonly string[] = [issuer],
): TokenVerdict {
  const claims = parseToken(key, token);
  if (claims === undefined) return { error: 'invalid bearer token' };
  if (claims.exp !== undefined && nowSeconds > claims.exp) {
    return { error: '[invalid bearer token, service account token has expired]' };
  }
  if (!isMeantFor(claims, audiences)) {
    const have = `[${claims.aud.map((each) => JSON.stringify(each)).join(' ')}]`;
    const want = `[${audiences.map((each) => JSON.stringify(each)).join(' ')}]`;
    return { error: `[invalid bearer token, token audiences ${have} is invalid for the target audiences ${want}]` };
  }
  const { namespace, serviceaccount, pod, secret } = claims['kubernetes.io'];
  const account = objects.get('/serviceaccounts', `${namespace}/${serviceaccount.name}`);
  if (account === undefined)
    return { error: `[invalid bearer token, serviceaccounts "${serviceaccount.name}" not found]` };
  if (!isSame(account, serviceaccount.uid)) {
    const uids = `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
    return { error: `[invalid bearer token, ${uids}]` };
  }
  for (const [storageKey, bound] of [
    ['/pods', pod],
    ['/secrets', secret],
  ] as const) {
    if (bound === undefined) continue;
    if (!isSame(objects.get(storageKey, `${namespace}/${bound.name}`), bound.uid)) {
      return { error: '[invalid bearer token, service account token has been invalidated]' };
    }
  }
  return { user: userOf(claims), audiences: claims.aud };
}

/** The user that a ServiceAccount is. */
function userOf({ jti, exp, 'kubernetes.io': { namespace, serviceaccount, pod } }: TokenClaims): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: accountGroups(namespace),
    extra: {
      ...(exp !== undefined && { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] }),
      ...(pod !== undefined && {
        'authentication.kubernetes.io/pod-name': [pod.name],
        'authentication.kubernetes.io/pod-uid': [pod.uid],
      }),
    },
  };
}

/** Whether one of the audiences is among those of the token. */
export function isMeantFor({ aud }: TokenClaims, audiences: readonly string[]): boolean {
  return aud.some((each) => audiences.includes(each));
}

/** Whether the object that a token names exists with the same uid. */
export function isSame(object: Stored | undefined, uid: string): boolean {
  return object !== undefined && object.metadata.uid === uid;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
