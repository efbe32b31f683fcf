import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from '@isthmus/sandbox';

/** A service that issues tokens for a registry to clients with a user and password. */
export interface TokenService extends AsyncDisposable {
  /** The part `auth` of the configuration of a registry that trusts it. */
  readonly auth: object;
  /** What that configuration refers to, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Each query that it was asked, with whether it presented the right password. */
  readonly asked: readonly string[];
}

/**
 * Starts one on 127.0.0.1. Without the password it issues a token without permissions, which the
 * registry rejects.
 */
export async function startTokenService(serving: KeyPair, basic: string): Promise<TokenService> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = 'k1';
  const asked: string[] = [];
  const server = createServer({ cert: serving.certData, key: serving.keyData }, (request, response) => {
    const url = new URL(request.url ?? '', 'https://x');
    const isKnown = request.headers.authorization === basic;
    asked.push(`${url.searchParams.get('service')} ${url.searchParams.get('scope')} ${isKnown}`);
    const [type, name, actions] = (url.searchParams.get('scope') ?? '').split(':');
    const now = Math.floor(new Date().getTime() / 1000);
    const claims = {
      iss: 'tokens',
      aud: 'registry',
      sub: '',
      iat: now - 10,
      nbf: now - 10,
      exp: now + 300,
      jti: '1',
      access: isKnown ? [{ type, name, actions: actions?.split(',') }] : [],
    };
    const text = [{ alg: 'ES256', typ: 'JWT', kid }, claims]
      .map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ token: `${text}.${signature.toString('base64url')}` }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
  return {
    auth: {
      token: { realm: `https://127.0.0.1:${port}/token`, service: 'registry', issuer: 'tokens', jwks: 'jwks.json' },
    },
    files: { 'jwks.json': JSON.stringify({ keys: [jwk] }) },
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
