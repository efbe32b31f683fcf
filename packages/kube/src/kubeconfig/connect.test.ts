import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { connect } from './connect.ts';
import type { ConnectionSettings } from './connection-settings.ts';

const clock = createVirtualClock({ startMs: 0 });
const settings: ConnectionSettings = {
  server: 'https://127.0.0.1:1',
  token: { kind: 'none' },
  namespace: 'default',
  origin: 'context "a" of /k',
  warnings: [],
};
const noFiles = (path: string) => Promise.reject(new Error(`cannot read ${path}: no such file`));

it('reads the token file that the settings name, again for every request', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization, request.headers['user-agent']);
    response.end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let token = 'one';
  const options = { clock, readFile: async () => ({ text: token }) };
  const transport = await connect({ ...settings, server: address, token: { kind: 'file', path: '/token' } }, options);
  try {
    for (token of ['one', 'two']) {
      const { body } = await transport.send({ method: 'GET', path: '/' }, new AbortController().signal);
      for await (const chunk of body) expect(chunk.byteLength).toBe(2);
      await clock.advance(10_000);
    }
    expect(seen).toEqual(['Bearer one', 'isthmus', 'Bearer two', 'isthmus']);
  } finally {
    transport.close();
    await new Promise((resolve) => void server.close(resolve));
  }
});

it.each<[string, Partial<ConnectionSettings>, string]>([
  [
    'a certificate authority that is missing',
    { certificateAuthority: { kind: 'file', path: '/ca' } },
    'cannot read /ca: no such file',
  ],
  [
    'one that is none',
    { certificateAuthority: { kind: 'inline', pem: 'x' } },
    'the certificate authority contains no PEM certificate',
  ],
  [
    'a client certificate that is missing',
    { clientCertificate: { certificate: { kind: 'file', path: '/crt' }, key: { kind: 'inline', pem: 'x' } } },
    'cannot read /crt: no such file',
  ],
  [
    'a token that is none',
    { token: { kind: 'inline', token: 'a b' } },
    'the token contains characters that are not valid in a token',
  ],
  [
    'a server that is none',
    { server: 'north' },
    'the server address "north" is not a URL; it must look like https://host:6443',
  ],
])('with %s is an error that names the context', async (_title, change, message) => {
  const connecting = connect({ ...settings, ...change }, { clock, readFile: noFiles });
  await expect(connecting).rejects.toThrow(new Error(`context "a" of /k: ${message}`));
});

it('opens no connection by itself', async () => {
  const transport = await connect(settings, { clock, readFile: noFiles });
  transport.close();
});

it('runs an exec plugin before the first request, and its failure names the context', async () => {
  const plugin = {
    command: 'aws',
    args: [],
    env: {},
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    installHint: undefined,
    provideClusterInfo: false,
  };
  const withPlugin = { ...settings, exec: { plugin, clusterConfig: undefined } };
  const programs = { hasTerminal: false, run: async () => ({ exitCode: 1, stdout: '', stderr: 'Expired\n' }) };
  await expect(connect(withPlugin, { clock, readFile: noFiles, programs })).rejects.toThrow(
    new Error('context "a" of /k: exec plugin "aws" failed with exit code 1: Expired'),
  );
  await expect(connect(withPlugin, { clock, readFile: noFiles })).rejects.toThrow(
    'exec plugin "aws" cannot be run here',
  );
});
