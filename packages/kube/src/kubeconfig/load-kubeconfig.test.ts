import { describe, expect, it } from 'vitest';
import { findConnection } from './find-connection.ts';
import { inClusterSettings } from './in-cluster.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import type { ReadFile } from '../world/read-file.ts';
import { resolveContext } from './resolve-context.ts';

/** A machine with these files; reading a file whose content is an Error throws it. */
function files(content: Readonly<Record<string, string | Error>>): ReadFile {
  return async (path) => {
    const found = content[path];
    if (found instanceof Error) throw found;
    if (found === undefined) {
      throw new Error(`cannot read ${path}: no such file`, {
        cause: Object.assign(new Error('x'), { code: 'ENOENT' }),
      });
    }
    return { text: found, mode: 0o600 };
  };
}

const one = `
current-context: one
clusters: [{ name: c, cluster: { server: "https://one:6443" } }]
users: [{ name: u, user: { token: one } }]
contexts: [{ name: one, context: { cluster: c, user: u } }]
`;
const two = `
current-context: two
clusters:
- { name: c, cluster: { server: "https://two:6443", insecure-skip-tls-verify: true } }
- { name: d, cluster: { server: "https://two-d:6443" } }
users: [{ name: u, user: { token: two } }, { name: v, user: { token: two-v } }]
contexts: [{ name: two, context: { cluster: d, user: v } }, { name: mixed, context: { cluster: c, user: v } }]
`;

describe('the kubeconfig', () => {
  const machine = files({ '/a': one, '/b': two, '/home/me/.kube/config': two });
  const home = '/home/me';

  it('is the named file alone', async () => {
    const config = await loadKubeconfig({ env: { KUBECONFIG: '/b' }, home, readFile: machine, path: '/a' });
    expect(config.sources).toEqual(['/a']);
    expect(config.currentContext).toBe('one');
  });

  it('is merged from the files in KUBECONFIG: per name the first one wins whole', async () => {
    const config = await loadKubeconfig({ env: { KUBECONFIG: '/a::/missing:/b' }, home, readFile: machine });
    expect(config.sources).toEqual(['/a', '/b']);
    expect(config.currentContext).toBe('one');
    expect(config.clusters.get('c')).toMatchObject({
      server: 'https://one:6443',
      insecureSkipTlsVerify: false,
      source: '/a',
    });
    expect([...config.clusters.keys()].toSorted()).toEqual(['c', 'd']);
    expect(config.users.get('u')).toHaveProperty('token', { kind: 'inline', token: 'one' });
    expect(config.warnings).toEqual(['/missing, named in KUBECONFIG, does not exist']);
    expect(resolveContext(config, 'mixed')).toMatchObject({
      server: 'https://one:6443',
      token: { kind: 'inline', token: 'two-v' },
    });
  });

  it('is the one of the home folder otherwise', async () => {
    expect((await loadKubeconfig({ env: { KUBECONFIG: '' }, home, readFile: machine })).sources).toEqual([
      '/home/me/.kube/config',
    ]);
  });

  it.each([
    [{ path: '/missing' }, 'cannot read /missing: no such file'],
    [{ env: { KUBECONFIG: '/x:/y' } }, 'no kubeconfig found: none of the files in KUBECONFIG exists (/x, /y)'],
    [
      { home: '/root' },
      'no kubeconfig found: KUBECONFIG is not set and /root/.kube/config does not exist; name a file with --kubeconfig or in KUBECONFIG',
    ],
    [
      { home: undefined },
      'no kubeconfig found: KUBECONFIG is not set and there is no home folder; name a file with --kubeconfig or in KUBECONFIG',
    ],
  ])('is an error for %j', async (places, message) => {
    await expect(loadKubeconfig({ env: {}, home, readFile: machine, ...places })).rejects.toThrow(new Error(message));
  });

  it('is an error where a file of several cannot be read for another reason', async () => {
    const readFile = files({ '/a': one, '/b': new Error('cannot read /b: permission denied') });
    await expect(loadKubeconfig({ env: { KUBECONFIG: '/a:/b' }, home, readFile })).rejects.toThrow('cannot read /b');
  });
});

describe('a context', () => {
  const resolve = async (text: string, name?: string) =>
    resolveContext(
      await loadKubeconfig({ env: {}, home: undefined, readFile: files({ '/k': text }), path: '/k' }),
      name,
    );

  it('is the current one unless named', async () => {
    expect(await resolve(two)).toEqual({
      server: 'https://two-d:6443',
      insecureSkipTlsVerify: false,
      token: { kind: 'inline', token: 'two-v' },
      namespace: 'default',
      origin: 'context "two" of /k',
      warnings: [],
    });
    expect((await resolve(two, 'mixed')).server).toBe('https://two:6443');
  });

  it('is used beside entries that are wrong in themselves, and one of these is the error where it is used', async () => {
    const config = two
      .replace('users: [', 'users: [{ name: broken, user: { exec: { args: [] } } }, ')
      .replace('contexts: [', 'contexts: [{ name: three, context: { cluster: d, user: broken } }, ');
    expect((await resolve(config)).token).toEqual({ kind: 'inline', token: 'two-v' });
    await expect(resolve(config, 'three')).rejects.toThrow(new Error('/k: user "broken": exec has no command'));
  });

  const context = 'contexts: [{ name: a, context: { cluster: c, user: u } }, { name: b, context: {} }]\n';
  const cluster = 'clusters: [{ name: c, cluster: { server: "https://x" } }]\n';
  it.each([
    [
      'no current one',
      context,
      undefined,
      '/k: no current-context is set; choose one with --context (there are: a, b)',
    ],
    ['a missing one', context, 'z', '/k: context "z" does not exist (there are: a, b)'],
    ['none at all', '{}', 'z', '/k: the kubeconfig has no contexts; pass another one with --kubeconfig or KUBECONFIG'],
    [
      'an empty file',
      '',
      undefined,
      '/k: the kubeconfig has no contexts; pass another one with --kubeconfig or KUBECONFIG',
    ],
    ['one without cluster', context, 'b', 'context "b" of /k has no cluster'],
    [
      'a missing cluster',
      context,
      'a',
      'context "a" of /k names the cluster "c", which does not exist (there are none)',
    ],
    [
      'a missing user',
      context + cluster,
      'a',
      'context "a" of /k names the user "u", which does not exist (there are none)',
    ],
    [
      'a cluster without server',
      `${context}clusters: [{ name: c }]\nusers: [{ name: u }]`,
      'a',
      'cluster "c" of /k has no server',
    ],
    [
      'a cluster that contradicts itself',
      `${context}clusters: [{ name: c, cluster: { server: "https://x", certificate-authority: ca, insecure-skip-tls-verify: true } }]\nusers: [{ name: u }]`,
      'a',
      'cluster "c" of /k has both a certificate-authority and insecure-skip-tls-verify: remove one of them',
    ],
    [
      'an auth-provider',
      `${context}${cluster}users: [{ name: u, user: { auth-provider: { name: gcp } } }]`,
      'a',
      'user "u" of /k uses an auth-provider, which is not supported; use a token, a token file or a client certificate, for instance with `kubectl create token`',
    ],
    [
      'half a client certificate',
      `${context}${cluster}users: [{ name: u, user: { client-certificate: c.crt } }]`,
      'a',
      'user "u" of /k has a client-certificate but no client-key',
    ],
    [
      'the other half',
      `${context}${cluster}users: [{ name: u, user: { client-key: c.key } }]`,
      'a',
      'user "u" of /k has a client-key but no client-certificate',
    ],
  ])('with %s is an error that names it', async (_title, text, name, message) => {
    await expect(resolve(text, name)).rejects.toThrow(new Error(message));
  });

  it('that sends a token unencrypted is reported', async () => {
    const text = one.replace('https://one', 'http://one');
    expect((await resolve(text)).warnings).toEqual([
      'context "one" of /k sends its token unencrypted to http://one:6443: use https',
    ]);
  });
});

describe('in a Pod', () => {
  const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

  it('the mounted ServiceAccount is used', async () => {
    expect(await inClusterSettings({ env, readFile: files({ [`${mounted}/namespace`]: 'isthmus-system\n' }) })).toEqual(
      {
        server: 'https://10.96.0.1:443',
        certificateAuthority: { kind: 'file', path: `${mounted}/ca.crt` },
        token: { kind: 'file', path: `${mounted}/token` },
        namespace: 'isthmus-system',
        origin: 'the ServiceAccount of this Pod',
        warnings: [],
      },
    );
  });

  it('an IPv6 address is in brackets, and a missing Namespace is default', async () => {
    const settings = await inClusterSettings({
      env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      readFile: files({}),
    });
    expect([settings.server, settings.namespace]).toEqual(['https://[fd00::1]:443', 'default']);
  });

  it('is an error elsewhere', async () => {
    await expect(inClusterSettings({ env: {}, readFile: files({}) })).rejects.toThrow(
      'not running in a Pod: KUBERNETES_SERVICE_HOST',
    );
  });

  it.each([
    ['the Pod itself', {}, 'https://10.96.0.1:443'],
    ['the named file', { path: '/a' }, 'https://one:6443'],
    ['KUBECONFIG', { env: { ...env, KUBECONFIG: '/b' } }, 'https://two-d:6443'],
    ['the home folder where this is no Pod', { env: {} }, 'https://one:6443'],
    ['a named context of the home folder', { context: 'one' }, 'https://one:6443'],
  ])('the connection comes from %s', async (_title, places, server) => {
    const readFile = files({ '/a': one, '/b': two, '/home/me/.kube/config': one });
    expect((await findConnection({ env, home: '/home/me', readFile, ...places })).server).toBe(server);
  });
});
