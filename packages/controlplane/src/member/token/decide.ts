import type { Secret } from '@isthmus/api';
import { Annotation, memberAccountName, parseJoinAccountName } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';
import { dns1123SubdomainErrors } from '@isthmus/machinery';
import type { TokenFacts } from './read-token.ts';
import { readToken } from './read-token.ts';
import { storedToken } from './stored-token.ts';

/** The life of the tokens that a member asks for: the longest that admission policies allow. */
export const tokenSeconds = 24 * 3600;

/** A token whose holder may ask for the next one. The first one came with a join file. */
export interface RenewableToken extends TokenFacts {
  readonly secret: NonNullable<TokenFacts['secret']>;
  readonly life: NonNullable<TokenFacts['life']>;
}

/**
 * A token that is bound to the Secret with the name of its account. Other tokens that expire are
 * renewed by those who made them.
 */
export function renewableToken(token: string): RenewableToken | undefined {
  const facts = readToken(token);
  const { account, secret, life } = facts ?? {};
  if (account === undefined || secret === undefined || life === undefined) return undefined;
  return secret.name === account.name ? { account, secret, life } : undefined;
}

/** Whether a token is that of a join file, which is good for nothing but the first renewal. */
export function isOfJoinFile(token: string): boolean {
  return joiningCluster(token) !== undefined;
}

/** The cluster of the join file that a token is from; undefined: it is from none. */
export function joiningCluster(token: string): string | undefined {
  const { account } = renewableToken(token) ?? {};
  return account && parseJoinAccountName(account.name);
}

export interface RenewalInput {
  /** The member's Secret for the leader. */
  readonly secret: Secret;
  /** The clock of this cluster, which may differ from the leader's. */
  readonly nowMs: number;
  /** From 0 to 1: spreads the renewals of a fleet. */
  readonly share: number;
  readonly decodeBase64: (text: string) => string;
}

/** The next step of a member that keeps its token valid. */
export type RenewalStep =
  /** The Secret has no token that can be renewed. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly ms: number; readonly token: string }
  | {
      readonly kind: 'renew';
      readonly given: string;
      /** Whose token to ask for, bound to the Secret of the same name. */
      readonly account: Required<ObjectRef>;
      /** The Secret of the join file, by name and uid, if the present token is that of the file. */
      readonly joinedWith: string | undefined;
    }
  /** Delete the Secret and the binding of the join file, which ends the token in the file. */
  | { readonly kind: 'release'; readonly join: Required<ObjectRef>; readonly uid: string; readonly token: string };

/**
 * Decides from the Secret alone, so a controller that dies after any step continues with the next.
 * The life of a token is measured from its receipt by the clock of this cluster, because that of
 * the leader may show another time.
 */
export function decideRenewal({ secret, nowMs, share, decodeBase64 }: RenewalInput): RenewalStep {
  const stored = storedToken(secret, decodeBase64);
  const facts = stored && renewableToken(stored.token);
  if (stored === undefined || facts === undefined) return { kind: 'none' };
  const { account, life } = facts;
  const { given, token } = stored;
  const { namespace } = account;
  const joinsAs = parseJoinAccountName(account.name);
  if (joinsAs !== undefined) {
    const joinedWith = `${facts.secret.name}/${facts.secret.uid}`;
    return { kind: 'renew', given, account: { namespace, name: memberAccountName(joinsAs) }, joinedWith };
  }
  const waitMs = untilRenewalMs(secret, life, { nowMs, share });
  if (waitMs <= 0) return { kind: 'renew', given, account: { namespace, name: account.name }, joinedWith: undefined };
  const join = joinSecretOf(secret);
  return join === undefined
    ? { kind: 'wait', ms: waitMs, token }
    : { kind: 'release', join: { namespace, name: join.name }, uid: join.uid, token };
}

/**
 * The renewal is due after two thirds of the life, and up to a tenth of it later. A token of which
 * the receipt is not known, or that came in the future, is renewed now.
 */
function untilRenewalMs(
  { metadata }: Secret,
  { fromS, untilS }: RenewableToken['life'],
  { nowMs, share }: Pick<RenewalInput, 'nowMs' | 'share'>,
): number {
  const receivedMs = Date.parse(metadata.annotations?.[Annotation.tokenReceived] ?? '');
  if (!(receivedMs <= nowMs)) return 0;
  const dueMs = (untilS - fromS) * 1_000 * (2 / 3 + share / 10);
  return receivedMs + dueMs - nowMs;
}

function joinSecretOf({ metadata }: Secret): { readonly name: string; readonly uid: string } | undefined {
  const [name = '', uid = ''] = (metadata.annotations?.[Annotation.joinedWith] ?? '').split('/');
  const isName = parseJoinAccountName(name) !== undefined && dns1123SubdomainErrors(name).length === 0;
  return isName && uid !== '' ? { name, uid } : undefined;
}
