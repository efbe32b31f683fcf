/**
 * Tokens that expire while a test waits. Test-only: API servers issue no token with less than ten
 * minutes.
 */
import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RealApiServer } from '@isthmus/testkit';

/**
 * How long the API server accepts a token after its `exp`: its JWT library has this leeway for
 * clocks.
 */
const leewayMs = 60_000;

/**
 * `token`, signed again by the cluster's own key, so that the API server rejects it from `untilMs`
 * (epoch milliseconds) on.
 */
export function expiringToken(server: RealApiServer, token: string, untilMs: number): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
  const exp = Math.floor((untilMs - leewayMs) / 1_000);
  const changed = { ...claims, exp, iat: exp - 3_600, nbf: exp - 3_600 };
  const signed = `${header}.${Buffer.from(JSON.stringify(changed), 'utf8').toString('base64url')}`;
  const key = readFileSync(join(dirname(server.kubeconfigPath), 'sa.key'), 'utf8');
  const signature = sign('SHA256', Buffer.from(signed, 'utf8'), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
