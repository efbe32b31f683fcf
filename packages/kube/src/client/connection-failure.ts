import { CredentialsError } from '../transport/credentials.ts';
import { BodyTooLarge } from './body.ts';
import type { ConnectionFailure } from './errors.ts';

/** The kind of failure of an error of the transport, by the codes of Node, OpenSSL and llhttp. */
export function connectionFailureOf(error: unknown): ConnectionFailure {
  if (error instanceof CredentialsError) return 'credentials';
  if (error instanceof BodyTooLarge) return 'protocol';
  const code = codeOf(error);
  if (code === undefined) return 'other';
  return kinds[code] ?? (code.startsWith('HPE_') ? 'protocol' : tlsCode.test(code) ? 'tls' : 'other');
}

/** One line about an error of the transport, with what to look at next where that is known. */
export function describeFailure(error: unknown, kind: ConnectionFailure): string {
  const known = isOfProxy(error) ? proxyAdvice : advice;
  return `${messageOf(error)}${known[kind] ?? ''}`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  // An AggregateError of several tried addresses has no message of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first instanceof Error ? first.message : (codeOf(error) ?? error.name);
}

function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const kinds: Readonly<Record<string, ConnectionFailure | undefined>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ERR_STREAM_PREMATURE_CLOSE: 'reset',
  ERR_TRANSPORT_CLOSED: 'closed',
  EPROTO: 'tls',
};

const tlsCode =
  /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const advice: Partial<Record<ConnectionFailure, string>> = {
  refused: '; check that the API server runs and that the address and port are right',
  dns: '; check the host name in the server address',
  tls: '; check the certificate authority, the server name and the client certificate of this connection',
};

/** Advice if the connection to the proxy failed: nothing is known of the API server behind it. */
const proxyAdvice: Partial<Record<ConnectionFailure, string>> = {
  refused: '; check that the proxy runs and that proxy-url is right',
  dns: '; check the host name in proxy-url',
  unreachable: '; check that the proxy can be reached and that proxy-url is right',
  tls: '; check the certificate of the proxy',
};

function isOfProxy(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ('isOfProxy' in at) return true;
  return false;
}
