import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Credentials } from '../authentication/authenticator.ts';

/** The client's side of a connection. `authorized`: its certificate is one of our authority. */
export type ClientSocket = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;

/**
 * The credentials of a request, in the order of a real server: a client certificate (CN is the
 * user, each O a group), then a bearer token, then anonymous. A certificate of another authority is
 * not a credential. Its holder does not count as anonymous either: the answer is 401 unless a token
 * authenticates the request. Other schemes of `Authorization` are ignored.
 */
export function credentialsOf(socket: ClientSocket, headers: IncomingHttpHeaders): Credentials {
  const certificate = socket.getPeerCertificate();
  const shown = certificate !== null && Object.keys(certificate).length > 0;
  if (shown && socket.authorized) {
    const { CN = '', O } = certificate.subject;
    const groups = O === undefined ? [] : typeof O === 'string' ? [O] : O;
    const username = typeof CN === 'string' ? CN : (CN[0] ?? '');
    const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
    return {
      kind: 'user',
      user: {
        username,
        groups: [...groups, 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
      },
    };
  }
  const [scheme = '', token = ''] = (headers.authorization ?? '').trim().split(' ');
  if (scheme.toLowerCase() === 'bearer' && token !== '') return { kind: 'token', token };
  // Tokens are never empty, so this one is always rejected.
  return shown ? { kind: 'token', token: '' } : { kind: 'none' };
}
