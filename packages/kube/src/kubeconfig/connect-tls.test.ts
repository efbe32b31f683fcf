import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { issueClusterCredentials } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { systemClock } from '../world/node-world.ts';
import { connect } from './connect.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

// A real TLS server on the loopback; its certificate is for 127.0.0.1, localhost and
// kubernetes.default.svc.

describe('the TLS settings of a kubeconfig', () => {
  let ca: string;
  let server: ReturnType<typeof createServer>;

  beforeAll(async () => {
    const { caData, serving } = await issueClusterCredentials('north');
    ca = Buffer.from(caData).toString('base64');
    server = createServer({ cert: serving.certData, key: serving.keyData }, ({ socket }, response) => {
      const { servername } = socket as TLSSocket;
      response.end(String(servername));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await new Promise((resolve) => void server.close(resolve));
  });

  /** The name by which the client asked for the server, as the server saw it. */
  async function ask(cluster: string, host = '127.0.0.1'): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const text = `
current-context: a
clusters: [{ name: c, cluster: { server: "https://${host}:${port}", ${cluster.replace('CA', `certificate-authority-data: ${ca}`)} } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: a, context: { cluster: c, user: u } }]
`;
    const readFile = async () => ({ text });
    const config = await loadKubeconfig({ env: {}, home: undefined, readFile, path: '/k' });
    const clock = systemClock();
    const client = createClient({
      transport: await connect(resolveContext(config), { clock, readFile }),
      clock,
      timeoutMs: 300_000,
    });
    try {
      const answer = await client.request({ method: 'GET', path: '/' });
      return answer.text;
    } finally {
      client.close();
    }
  }

  it.each([
    ['an address and the authority that signed it', 'CA', 'false'],
    [
      'tls-server-name, and asks for that name',
      'CA, tls-server-name: kubernetes.default.svc',
      'kubernetes.default.svc',
    ],
    ['insecure-skip-tls-verify in place of an authority', 'insecure-skip-tls-verify: true', 'false'],
    [
      'insecure-skip-tls-verify and a tls-server-name that the certificate does not have',
      'insecure-skip-tls-verify: true, tls-server-name: other.example.com',
      'other.example.com',
    ],
  ])('reaches a server by %s', async (_title, cluster, name) => {
    expect(await ask(cluster)).toBe(name);
  });

  it.each([
    ['without its authority, and without insecure-skip-tls-verify', 'insecure-skip-tls-verify: false'],
    ['by a tls-server-name that its certificate does not have', 'CA, tls-server-name: other.example.com'],
  ])('does not talk to a server %s', async (_title, cluster) => {
    await expect(ask(cluster)).rejects.toMatchObject({ name: 'ConnectionError', kind: 'tls' });
  });
});
