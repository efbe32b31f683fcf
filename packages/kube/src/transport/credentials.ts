import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { isMissingFile } from '../world/read-file.ts';
import type { ReadFile } from '../world/read-file.ts';

/** A certificate and its key, both PEM. */
export interface ClientCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * The `Authorization` header of a transport. Bearer tokens only: API servers have not supported
 * basic authentication since Kubernetes 1.19.
 */
export interface Credentials {
  /**
   * The value of the header, or undefined for none. Rejects with {@link CredentialsError} where
   * there should be one.
   */
  authorization(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Called when the server answered 401 to this value. Returns true if there is another value to
   * try at once.
   */
  refused(authorization: string | undefined, signal: AbortSignal): Promise<boolean>;
  /**
   * The client certificate for new connections, where it can change; connections with another one
   * are closed. Rejects with {@link CredentialsError}.
   */
  clientCertificate?(signal: AbortSignal): Promise<ClientCertificate | undefined>;
}

/** The credentials are not available; the message contains the reason and never a credential. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /**
   * The part of the message that a program wrote, which may contain anything, also a secret: it is
   * for the terminal of the person whose credentials they are, and for no file.
   */
  readonly written: string | undefined;
  constructor(message: string, options: ErrorOptions & { readonly written?: string | undefined } = {}) {
    super(message, options);
    this.written = options.written;
  }
}

/** For servers that ask for none, or for a client certificate. */
export function noCredentials(): Credentials {
  return { authorization: async () => undefined, refused: async () => false };
}

/**
 * A token that never changes. Throws {@link CredentialsError} if the token is not valid in a
 * header.
 */
export function staticToken(token: string): Credentials {
  const value = bearer(token, 'the token');
  return { authorization: async () => value, refused: async () => false };
}

/**
 * A token that this process renews: `token` has the present one. A request with an older one that
 * the server rejects is sent again with the present one. Requests reject with
 * {@link CredentialsError} while it is not valid in a header.
 */
export function changingToken(token: () => string): Credentials {
  const authorization = async () => bearer(token(), 'the token');
  return { authorization, refused: async (used) => (await authorization()) !== used };
}

/** The options of {@link tokenFile}. */
export interface TokenFileOptions {
  readonly path: string;
  readonly readFile: ReadFile;
  readonly clock: Clock;
  /**
   * How long a token that was read is used without looking again. Default 10 s: a kubelet rotates
   * long before the old one ends.
   */
  readonly rereadMs?: number | undefined;
}

/**
 * A token that another process keeps fresh in a file. Read again when the known token is older than
 * `rereadMs`, and once at once for a token that the server rejects. If reading fails later on, the
 * last token that was read stays in use; the server rejects it when it has expired.
 */
export function tokenFile(options: TokenFileOptions): Credentials {
  const { path, readFile, clock, rereadMs = 10_000 } = options;
  let known: { readonly value: string; readonly readAt: number } | undefined;
  let reading: Promise<string> | undefined;
  let reportedRefused: string | undefined;

  const read = async () => {
    try {
      const { text } = await readFile(path);
      const value = bearer(text, `the token file ${path}`);
      known = { value, readAt: clock.monotonic() };
      return value;
    } catch (error) {
      if (known !== undefined) {
        known = { ...known, readAt: clock.monotonic() };
        return known.value;
      }
      if (error instanceof CredentialsError) throw error;
      const hint = isMissingFile(error) ? '; check that the token is mounted there' : '';
      throw new CredentialsError(`${errorMessage(error)}${hint}`, { cause: error });
    } finally {
      reading = undefined;
    }
  };
  const readOnce = () => (reading ??= read());

  return {
    async authorization() {
      if (known !== undefined && clock.monotonic() - known.readAt < rereadMs) return known.value;
      return readOnce();
    },
    async refused(authorization) {
      if (known !== undefined && known.value !== authorization) return true;
      if (authorization === undefined) return false;
      if (authorization === reportedRefused && reading === undefined) return false;
      reportedRefused = authorization;
      return (await readOnce()) !== authorization;
    },
  };
}

/**
 * The value of the header for a token. Throws {@link CredentialsError} that names the source where
 * it is not valid.
 */
export function bearer(text: string, source: string): string {
  const token = text.trim();
  if (token === '') throw new CredentialsError(`${source} is empty`);
  // RFC 6750 §2.1 allows less; what matters is that nothing can end the header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CredentialsError(`${source} contains characters that are not valid in a token`);
  return `Bearer ${token}`;
}
