import type { Secret } from '@isthmus/api';
import { SecretKey } from '@isthmus/api';

/** The tokens in a member's Secret for the leader. */
export interface StoredToken {
  /** The token that an administrator put there. */
  readonly given: string;
  /** The token to use: the renewed one, if it came from the given one. */
  readonly token: string;
}

/** Reads the token of a Secret; undefined if it has none. */
export function storedToken(secret: Secret, decodeBase64: (text: string) => string): StoredToken | undefined {
  const given = decodedKey(secret, SecretKey.token, decodeBase64);
  if (given === undefined) return undefined;
  const isRenewed = decodedKey(secret, SecretKey.renewedFrom, decodeBase64) === given;
  const renewed = isRenewed ? decodedKey(secret, SecretKey.renewedToken, decodeBase64) : undefined;
  return { given, token: renewed ?? given };
}

/** The text under a key of a Secret; undefined if it is missing or blank. */
export function decodedKey({ data }: Secret, key: string, decodeBase64: (text: string) => string): string | undefined {
  const text = data?.[key];
  const value = text === undefined ? '' : decodeBase64(text).trim();
  return value === '' ? undefined : value;
}
