import { describe, expect, it } from 'vitest';
import { parseKubeconfig } from './parse-kubeconfig.ts';

const path = '/home/me/.kube/config';
const parse = (text: string, mode?: number) => parseKubeconfig({ path, text, mode });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const certificate = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n';

it('reads clusters, users and contexts', () => {
  const config = parse(`
apiVersion: v1
kind: Config
preferences: {}
current-context: north
clusters:
- name: north
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: ${base64(certificate)}
    tls-server-name: kubernetes
- name: south
  cluster: { server: "http://127.0.0.1:8001", insecure-skip-tls-verify: true }
users:
- name: token
  user: { token: abc }
- name: cert
  user: { client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)} }
- name: nobody
contexts:
- name: north
  context: { cluster: north, user: token, namespace: shop }
`);
  expect(config).toEqual({
    currentContext: 'north',
    clusters: new Map([
      [
        'north',
        {
          source: path,
          server: 'https://10.0.0.1:6443',
          certificateAuthority: { kind: 'inline', pem: certificate },
          insecureSkipTlsVerify: false,
          tlsServerName: 'kubernetes',
        },
      ],
      [
        'south',
        {
          source: path,
          server: 'http://127.0.0.1:8001',
          certificateAuthority: undefined,
          insecureSkipTlsVerify: true,
          tlsServerName: undefined,
        },
      ],
    ]),
    users: new Map([
      ['token', { source: path, token: { kind: 'inline', token: 'abc' }, unsupported: [] }],
      [
        'cert',
        {
          source: path,
          token: { kind: 'none' },
          clientCertificate: { kind: 'inline', pem: certificate },
          clientKey: { kind: 'inline', pem: key },
          unsupported: [],
        },
      ],
      ['nobody', { source: path, token: { kind: 'none' }, unsupported: [] }],
    ]),
    contexts: new Map([['north', { source: path, cluster: 'north', user: 'token', namespace: 'shop' }]]),
    sources: [path],
    warnings: [],
  });
});

it('finds files beside the kubeconfig, and prefers data to a file and a token file to a token', () => {
  const config = parse(`
clusters:
- { name: a, cluster: { certificate-authority: pki/ca.crt } }
- { name: b, cluster: { certificate-authority: ../ca.crt, certificate-authority-data: ${base64(certificate)} } }
users:
- { name: a, user: { tokenFile: /run/token, token: abc, client-certificate: ./c.crt, client-key: c.key } }
`);
  expect(config.clusters.get('a')).toMatchObject({
    certificateAuthority: { kind: 'file', path: '/home/me/.kube/pki/ca.crt' },
  });
  expect(config.clusters.get('b')).toMatchObject({ certificateAuthority: { kind: 'inline', pem: certificate } });
  expect(config.users.get('a')).toMatchObject({
    token: { kind: 'file', path: '/run/token' },
    clientCertificate: { kind: 'file', path: '/home/me/.kube/c.crt' },
    clientKey: { kind: 'file', path: '/home/me/.kube/c.key' },
  });
});

it('reads JSON, and an empty file as an empty kubeconfig', () => {
  expect(parse('{"kind":"Config","clusters":null,"users":[],"current-context":""}').currentContext).toBeUndefined();
  expect(parse('').contexts.size).toBe(0);
});

it.each([
  ['auth-provider: { name: gcp }', ['an auth-provider']],
  ['username: admin, password: s3cr3t', ['a user name and password, which API servers do not support']],
  ['username: admin', ['a user name and password, which API servers do not support']],
  ['password: s3cr3t', ['a user name and password, which API servers do not support']],
  ['as: somebody, token: abc', ['impersonation (as)']],
  ['as-uid: "17"', ['impersonation (as)']],
  ['as-groups: [system:masters]', ['impersonation (as)']],
  ['as-user-extra: { team: [a] }', ['impersonation (as)']],
  [
    'auth-provider: { name: gcp }, password: s3cr3t, as-groups: [a]',
    ['an auth-provider', 'a user name and password, which API servers do not support', 'impersonation (as)'],
  ],
  ['exec: null, username: "", as: "", as-groups: null', []],
  ['exec: { command: aws }', []],
])('notes that a user with { %s } asks for what is not supported', (user, unsupported) => {
  expect(parse(`users: [{ name: a, user: { ${user} } }]`).users.get('a')).toMatchObject({ unsupported });
});

it('reads the proxy of a cluster and the exec plugin of a user', () => {
  const config = parse(`
clusters:
  - name: a
    cluster:
      proxy-url: http://p:3128
      extensions: [{ name: other, extension: 1 }, { name: client.authentication.k8s.io/exec, extension: { audience: x } }]
users:
  - name: a
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        command: ./bin/login
        args: [get-token, --cluster, a]
        env: [{ name: AWS_PROFILE, value: prod }]
        interactiveMode: Never
        installHint: Install it.
        provideClusterInfo: true
`);
  expect(config.clusters.get('a')).toMatchObject({ proxyUrl: 'http://p:3128', execConfig: { audience: 'x' } });
  expect(config.users.get('a')).toHaveProperty('exec', {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/home/me/.kube/bin/login',
    args: ['get-token', '--cluster', 'a'],
    env: { AWS_PROFILE: 'prod' },
    interactiveMode: 'Never',
    installHint: 'Install it.',
    provideClusterInfo: true,
  });
});

it('keeps a command beside a kubeconfig of the current folder a path', () => {
  const text = 'users: [{ name: a, user: { exec: { command: ./aws } } }]';
  const parsed = parseKubeconfig({ path: 'config', text, mode: undefined });
  expect(parsed.users.get('a')).toHaveProperty('exec.command', './aws');
});

it('leaves a command without a slash to PATH', () => {
  const { users } = parse('users: [{ name: a, user: { exec: { command: aws } } }]');
  expect(users.get('a')).toHaveProperty('exec.command', 'aws');
});

describe('an error', () => {
  it.each([
    ['kind: Pod', `${path} is a Pod, not a kubeconfig (kind: Config)`],
    ['hello', `${path} is not an object with fields`],
    ['- a', `${path} is not an object with fields`],
    ['a: 1\n---\nb: 2', `${path}:3: a kubeconfig must be one document, but a second one starts here`],
    ['clusters: {}', `${path}: clusters must be a list`],
    ['clusters: [5]', `${path}: clusters[0] is not an object with fields`],
    ['clusters: [{ cluster: {} }]', `${path}: clusters[0] has no name`],
    ['users: [{ name: a }, { name: a }]', `${path}: there are two users named "a"`],
  ])('of %j names the place', (text, message) => {
    expect(() => parse(text)).toThrow(new Error(message));
  });

  it.each([
    ['users: [{ name: a, user: abc }]', `${path}: user "a" is not an object with fields`],
    ['users: [{ name: a, user: { token: 123 } }]', `${path}: user "a": token must be a string; put it in quotes`],
    ['users: [{ name: a, user: { exec: 1 } }]', `${path}: user "a": exec must be an object`],
    ['users: [{ name: a, user: { exec: { args: [] } } }]', `${path}: user "a": exec has no command`],
    [
      'users: [{ name: a, user: { exec: { command: x, args: [1] } } }]',
      `${path}: user "a": exec: args must be a list of strings`,
    ],
    [
      'contexts: [{ name: a, context: { namespace: yes } }]',
      `${path}: context "a": namespace must be a string; put it in quotes`,
    ],
    [
      'clusters: [{ name: a, cluster: { insecure-skip-tls-verify: "no" } }]',
      `${path}: cluster "a": insecure-skip-tls-verify must be true or false`,
    ],
    [
      'users: [{ name: a, user: { client-key-data: c2VjcmV0 } }]',
      `${path}: user "a": client-key-data is not base64 of a PEM text`,
    ],
  ])('of the entry in %j names the place, and is one only where the entry is used', (text, message) => {
    const { users, clusters, contexts } = parse(text);
    const entries = [...users.values(), ...clusters.values(), ...contexts.values()];
    expect(entries).toEqual([{ source: path, problem: message }]);
  });

  it.each([
    ['users:\n- name: a\n  user: { token: s3cr3t', `${path}:3:`],
    ['token: |s3cr3t', `${path}:1:`],
    ['a: 1\na: 2', `${path}:2:1`],
    ['a: *s3cr3t', `${path}:1:`],
    ['a: !s3cr3t b', `${path}:1:`],
  ])('of the broken YAML %j names the line and does not repeat it', (text, place) => {
    const message = (() => {
      try {
        parse(text);
      } catch (error) {
        return `${String(error)} ${String((error as Error).cause)}`;
      }
      return 'no error';
    })();
    expect(message).toContain(place);
    expect(message).not.toContain('s3cr3t');
  });
});

it.each([
  [0o644, 'token: abc', true],
  [0o604, `client-key-data: ${base64(key)}`, true],
  [0o644, 'tokenFile: /token', false],
  [0o640, 'token: abc', false],
  [0o600, 'token: abc', false],
  [undefined, 'token: abc', false],
])('with the mode %o and { %s } warns of readers: %j', (mode, user, warns) => {
  const { warnings } = parse(`users: [{ name: a, user: { ${user} } }]`, mode);
  expect(warnings).toEqual(
    warns ? [`${path} contains credentials and is readable by every user of this machine: chmod 600 ${path}`] : [],
  );
});
