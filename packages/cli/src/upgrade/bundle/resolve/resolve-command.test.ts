import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../run-cli.ts';
import { madeUpIo } from '../../../testing/made-up-io.ts';
import type { Answer } from './testing/fake-registry.ts';
import { answer, digestOf, imageText, indexText, manifestsOf, serversOf } from './testing/fake-registry.ts';

interface Written {
  readonly name: string;
  readonly uri: string;
  readonly kind?: string;
  readonly digest?: string;
  readonly size?: number;
}

/** A bundle with one component that has these artifacts. */
function bundleText(...artifacts: readonly Written[]): string {
  return JSON.stringify({
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ComponentBundle',
    metadata: { name: 'bundle-7' },
    spec: {
      number: 7,
      channel: 'stable',
      createdAt: '2026-11-01T00:00:00Z',
      components: [
        { id: 'x', version: { upstream: 'v1.0.0' }, artifacts: artifacts.map((one) => ({ kind: 'image', ...one })) },
      ],
    },
  });
}

const image = (name: string, more: object = {}): Written => ({ name, uri: `r.example/${name}:v1`, ...more });

interface Run {
  readonly servers?: Readonly<Record<string, Answer>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Time, for servers that take some. */
  readonly clock?: VirtualClock;
}

/** Resolves a bundle; what is left of its artifacts, by name: `digest size`. */
async function resolve(
  artifacts: readonly Written[],
  { servers = {}, files = {}, args = [], clock = createVirtualClock({ startMs: 0 }) }: Run = {},
) {
  const { network, asked, authorities } = serversOf(servers);
  const io = madeUpIo({ files: { 'd/b.yaml': bundleText(...artifacts), ...files }, network, clock });
  const state = { isDone: false };
  const running = runCli(io, ['upgrade', 'bundle', 'resolve', 'd/b.yaml', ...args]).finally(
    () => (state.isDone = true),
  );
  while (!state.isDone) await clock.advance(1_000);
  const exit = await running;
  const spec = exit === 1 || io.out === '' ? undefined : specIn(io.out);
  const left = spec?.components[0]?.artifacts.map(
    ({ name, digest, size }) => `${name} ${digest ?? '-'} ${size ?? '-'}`,
  );
  return { exit, left, asked, authorities, err: io.err, out: io.out };
}

function specIn(
  text: string,
): { readonly components: readonly { readonly artifacts: readonly Written[] }[] } | undefined {
  const [document] = parseYaml(text, { source: 'out' });
  return (document?.value as { readonly spec?: never } | undefined)?.spec;
}

const small = imageText(10, 20);
const large = imageText(10, 2000);

describe('isthmus upgrade bundle resolve', () => {
  it('fills in the digest of an image, and what it pulls', async () => {
    const servers = { 'https://r.example': manifestsOf({ 'a:v1': small }) };
    const { exit, left, err } = await resolve([image('a'), image('b', { digest: digestOf('b') })], { servers });
    expect(exit).toBe(0);
    expect(left).toEqual([`a ${digestOf(small)} 130`, `b ${digestOf('b')} -`]);
    expect(err).toBe('1 of 1 locations resolved, 1 artifacts completed.\n');
  });

  it('takes the digest of an index, and the size of its largest platform, without attestations', async () => {
    const index = indexText(['linux', small], ['linux', large], ['unknown', imageText(99_999)]);
    const servers = { 'https://r.example': manifestsOf({ 'a:v1': index, 'a:s': small, 'a:l': large }) };
    expect((await resolve([image('a')], { servers })).left).toEqual([`a ${digestOf(index)} 2110`]);
  });

  it('keeps the digest of an index of which a platform is missing, and reports it', async () => {
    const index = indexText(['linux', small]);
    const { exit, left, err } = await resolve([image('a')], {
      servers: { 'https://r.example': manifestsOf({ 'a:v1': index }) },
    });
    expect(exit).toBe(2);
    expect(left).toEqual([`a ${digestOf(index)} -`]);
    expect(err).toContain('but not its size: r.example answers 404 (MANIFEST_UNKNOWN: manifest unknown) for a');
  });

  it('fills in files over HTTPS and beside the bundle, byte for byte', async () => {
    const text = 'kind: Namespace\n# é\n';
    const artifacts = [
      { name: 'url', kind: 'manifest', uri: 'https://f.example/m.yaml?v=1' },
      { name: 'beside', kind: 'crdset', uri: 'm/b.yaml' },
    ];
    const servers: Run['servers'] = {
      'https://f.example': ({ path }) =>
        path === '/m.yaml?v=1' ? answer(302, '', { location: 'https://cdn.example/x' }) : undefined,
      'https://cdn.example': () => answer(200, text),
    };
    const { exit, left } = await resolve(artifacts, { servers, files: { 'd/m/b.yaml': text } });
    expect({ exit, left }).toEqual({
      exit: 0,
      left: [`url ${digestOf(text)} 21`, `beside ${digestOf(text)} 21`],
    });
  });

  it('names each artifact that cannot be resolved with the cause, completes the others, and continues from the result', async () => {
    const servers: Record<string, Answer> = { 'https://r.example': manifestsOf({ 'a:v1': small }) };
    const artifacts = [
      image('a'),
      image('b'),
      { name: 'bad', uri: 'r.example/BAD' },
      { ...image('m'), kind: 'manifest' },
    ];
    const first = await resolve(artifacts, { servers });
    expect(first.exit).toBe(3);
    expect(first.left).toEqual([`a ${digestOf(small)} 130`, 'b - -', 'bad - -', 'm - -']);
    expect(first.err).toContain('1 of 4 locations resolved');
    expect(first.err).toContain(
      'cannot resolve b of x at r.example/b:v1: r.example answers 404 (MANIFEST_UNKNOWN: manifest unknown) for b',
    );
    expect(first.err).toContain('it is not an image reference: "BAD" is not the name of a repository');
    expect(first.err).toContain('the folder of the bundle has no such file');

    servers['https://r.example'] = manifestsOf({ 'b:v1': large });
    const again = specIn(first.out)?.components[0]?.artifacts ?? [];
    const second = await resolve(again.slice(0, 2), { servers });
    expect(second).toMatchObject({ exit: 0, asked: ['GET https://r.example/v2/b/manifests/v1'] });
    expect(second.left).toEqual([`a ${digestOf(small)} 130`, `b ${digestOf(large)} 2110`]);
  });

  it('sends a refresh token to no server that the token service redirects to', async () => {
    const realm = 'Bearer realm="https://t.example/token"';
    const { exit, asked, err } = await resolve([image('a')], {
      servers: {
        'https://r.example': () => answer(401, '', { 'www-authenticate': realm }),
        'https://t.example': () => answer(307, '', { location: 'https://other.example/token' }),
      },
      files: { 'config.json': '{"auths":{"r.example":{"identitytoken":"refresh"}}}' },
      args: ['--registry-config', 'config.json'],
    });
    expect(exit).toBe(3);
    expect(asked.filter((one) => one.includes('other.example'))).toEqual([]);
    expect(err).toContain('t.example redirects a request with credentials to other.example');
  });

  it('compares digests that are there with --verify, keeps one that differs, and adds sizes', async () => {
    const servers = { 'https://r.example': manifestsOf({ 'a:v1': small, 'b:v1': large }) };
    const artifacts = [image('a', { digest: digestOf(small) }), image('b', { digest: digestOf('other') })];
    expect((await resolve(artifacts, { servers })).asked).toEqual([]);
    const { exit, left, err } = await resolve(artifacts, { servers, args: ['--verify'] });
    expect(exit).toBe(3);
    expect(left).toEqual([`a ${digestOf(small)} 130`, `b ${digestOf('other')} -`]);
    expect(err).toContain(`has the digest ${digestOf(large)}, but the bundle has ${digestOf('other')}, which was kept`);
  });

  it('prints what it would ask for with --dry-run, and asks for nothing', async () => {
    const { exit, out, asked } = await resolve([image('a'), { name: 'n', uri: 'nginx' }], {
      args: ['--dry-run', '--mirror', 'r.example=m.example:5000/x'],
    });
    expect({ exit, asked }).toEqual({ exit: 0, asked: [] });
    expect(out).toBe(
      'FROM            LOCATION        ARTIFACTS\ndocker.io       nginx           1\nm.example:5000  r.example/a:v1  1\n2 locations. Nothing was looked up.\n',
    );
  });

  it.each(['json', 'yaml'])('prints what it would ask for as %s, if that is wanted', async (format) => {
    const { exit, out } = await resolve([image('a'), { name: 'n', uri: 'nginx' }], {
      args: ['--dry-run', '-o', format],
    });
    expect(exit).toBe(0);
    const [document] = parseYaml(out, { source: 'out' });
    expect(document?.value).toEqual({
      locations: [
        { from: 'docker.io', location: 'nginx', artifacts: 1 },
        { from: 'r.example', location: 'r.example/a:v1', artifacts: 1 },
      ],
    });
    expect(out.startsWith('{')).toBe(format === 'json');
  });

  it('makes of a Bundles of EKS Anywhere without digests a bundle that is signed, linted and planned with', async () => {
    const eksa = `apiVersion: anywhere.eks.amazonaws.com/v1alpha1
kind: Bundles
metadata: {name: bundles-56}
spec:
  number: 56
  versionsBundles:
    - kubeVersion: "1.31"
      certManager: {version: v1.13.2+a34c207, manifest: {uri: https://f.example/m.yaml}, webhook: {uri: r.example/w:v1, os: linux}}
`;
    const fleet = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: FleetSnapshot
metadata: {name: f}
spec:
  takenAt: 2026-11-21T09:00:00Z
  clusters:
    - name: mgmt
      roles: [management]
      components:
        - {id: cert-manager, recorded: {version: v1.13.1+b34c207}}
        - {id: kube-apiserver, live: [{version: v1.31.4}]}
`;
    const servers = {
      'https://r.example': manifestsOf({ 'w:v1': small }),
      'https://f.example': () => answer(200, 'kind: Namespace\napiVersion: v1\nmetadata: {name: cert-manager}\n'),
    };
    const run = async (files: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const io = madeUpIo({ files, network: serversOf(servers).network });
      return { exit: await runCli(io, ['upgrade', ...args]), out: io.out, err: io.err };
    };
    expect((await run({ 'e.yaml': eksa }, 'bundle', 'lint', 'e.yaml')).out).toContain('2 blocking findings');
    const { exit, out } = await run({ 'e.yaml': eksa }, 'bundle', 'resolve', 'e.yaml');
    expect(exit).toBe(0);
    expect((await run({ 'b.yaml': out }, 'bundle', 'lint', 'b.yaml')).exit).toBe(0);
    const plan = await run({ 'b.yaml': out, 'f.yaml': fleet }, 'plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml');
    expect(plan.exit).toBe(0);
    expect(plan.out).toContain('Ready: 1 change');
  });

  it('leaves out the signature of a bundle that it completes', async () => {
    const signed = JSON.stringify({
      ...(JSON.parse(bundleText(image('a'))) as object),
      signature: { algorithm: 'ecdsa-p256-sha256', keyID: digestOf('k'), value: 'MEUC' },
    });
    const { network } = serversOf({ 'https://r.example': manifestsOf({ 'a:v1': small }) });
    const io = madeUpIo({ files: { 'b.yaml': signed }, network });
    expect(await runCli(io, ['upgrade', 'bundle', 'resolve', 'b.yaml', '-o', 'json'])).toBe(0);
    expect(JSON.parse(io.out)).not.toHaveProperty('signature');
    expect(io.err).toContain('the signature is left out');
  });

  it('asks mirrors alone, below their folder, for images and files', async () => {
    const { exit, asked, authorities } = await resolve(
      [image('a'), { name: 'f', kind: 'manifest', uri: 'https://f.example/m.yaml' }],
      {
        servers: {
          'https://m.example:5000': manifestsOf({ 'ecr/public/a:v1': small }),
          'https://files.example': () => answer(200, 'x'),
        },
        files: { 'ca.pem': '-----BEGIN CERTIFICATE-----\n' },
        args: [
          '--mirror',
          'r.example=m.example:5000/ecr/public,f.example=files.example',
          '--certificate-authority',
          'm.example:5000=ca.pem',
          '--concurrency',
          '1',
        ],
      },
    );
    expect(exit).toBe(0);
    expect(asked).toEqual([
      'GET https://files.example/m.yaml',
      'GET https://m.example:5000/v2/ecr/public/a/manifests/v1',
    ]);
    expect(authorities).toEqual([undefined, '-----BEGIN CERTIFICATE-----\n']);
  });

  it.each([
    [['--mirror', 'r.example'], '--mirror r.example: expected host=mirror[:port][/folder]'],
    [['--mirror', 'r.example=m/../x'], 'expected host=mirror'],
    [['--mirror', 'r.example=a,r.example=b'], 'r.example already has a mirror'],
    [['--concurrency', '0'], '--concurrency 0: it must be between 1 and 64'],
    [['--concurrency', '65'], '--concurrency 65: it must be between 1 and 64'],
    [['--timeout', 'soon'], '--timeout soon: expected a duration'],
    [['--timeout', '0s'], 'it must be between 1s and 24h'],
    [['--timeout', '24h1s'], 'it must be between 1s and 24h'],
    [['--certificate-authority', 'missing.pem'], 'cannot read missing.pem'],
    [['--certificate-authority', 'd/b.yaml'], 'd/b.yaml contains no PEM certificate'],
    [['--registry-config', 'd/missing.json'], 'cannot read d/missing.json'],
  ])('refuses %j, before it asks for anything', async (args, message) => {
    const { exit, err, asked } = await resolve([image('a')], { args });
    expect({ exit, asked }).toEqual({ exit: 1, asked: [] });
    expect(err).toContain(message);
  });
});

describe('isthmus upgrade bundle resolve at a slow registry', () => {
  const artifacts = Array.from({ length: 70 }, (_, index) => image(`a${index}`));
  const registry = manifestsOf(Object.fromEntries(artifacts.map(({ name }) => [`${name}:v1`, small])));
  /** A registry whose answers take this long. */
  const slow = (seconds: number) => {
    const clock = createVirtualClock({ startMs: 0 });
    const open = { now: 0, most: 0 };
    const answered: Answer = async (request) => {
      open.most = Math.max(open.most, ++open.now);
      await new Promise<void>((done) => void clock.after(seconds * 1000, done));
      open.now--;
      return registry(request) ?? answer(404, '');
    };
    return { clock, servers: { 'https://r.example': answered }, open };
  };

  it.each([
    [[], 8],
    [['--concurrency', '1'], 1],
    [['--concurrency', '64'], 64],
  ])('looks up with %j at most so many artifacts at once: %i', async (args, most) => {
    const { clock, servers, open } = slow(1);
    const { exit, asked } = await resolve(artifacts, { servers, args, clock });
    expect([exit, asked.length, open.most]).toEqual([0, 70, most]);
  });

  it.each([
    [[], 119, undefined],
    [[], 121, 'no answer within 120 s'],
    [['--timeout', '1s'], 0, undefined],
    [['--timeout', '1s'], 2, 'no answer within 1 s'],
    [['--timeout', '24h'], 3_600, undefined],
  ])('waits with %j for an answer that takes %i s, or reports: %s', async (args, seconds, message) => {
    const { clock, servers } = slow(seconds);
    const { exit, err } = await resolve([image('a0')], { servers, args, clock });
    expect([exit, /no answer within \d+ s/.exec(err)?.[0]]).toEqual([message === undefined ? 0 : 3, message]);
  });
});

describe('authentication at a registry', () => {
  const realm = 'Bearer realm="https://auth.example/token?x=1",service="r.example",scope="repository:a:pull"';
  const refused = answerRefused(realm);
  /**
   * A registry that wants this authorization, and a service that gives the token `t` to who
   * presents it.
   */
  const guarded = (wanted: string, challenge = refused): Answer => {
    const registry = manifestsOf({ 'a:v1': small, 'b:v1': small });
    return (request) => (request.headers?.['authorization'] === wanted ? registry(request) : challenge());
  };
  const tokens =
    (wanted: string | undefined): Answer =>
    ({ headers }) =>
      headers?.['authorization'] === wanted
        ? answer(200, { token: 't' })
        : answer(401, { errors: [{ code: 'DENIED' }] });
  const config = (entry: object) => ({ 'config.json': JSON.stringify({ auths: { 'r.example': entry } }) });
  const login = { auth: Buffer.from('u:p').toString('base64') };
  const withConfig = ['--registry-config', 'config.json'];

  it('fetches a token without credentials, once for a repository', async () => {
    const servers = { 'https://r.example': guarded('Bearer t'), 'https://auth.example': tokens(undefined) };
    const index = [image('a'), { name: 'again', uri: `r.example/a@${digestOf(small)}` }];
    const { exit, asked } = await resolve(index, { servers, args: ['--concurrency', '1'] });
    expect(exit).toBe(0);
    expect(asked).toEqual([
      'GET https://r.example/v2/a/manifests/v1',
      'GET https://auth.example/token?x=1&service=r.example&scope=repository%3Aa%3Apull',
      'GET https://r.example/v2/a/manifests/v1 (Bearer t)',
      `GET https://r.example/v2/a/manifests/${digestOf(small)} (Bearer t)`,
    ]);
  });

  it('presents user and password to the token service, and directly where the registry asks for that', async () => {
    const files = config(login);
    const basic = `Basic ${login.auth}`;
    const servers = { 'https://r.example': guarded('Bearer t'), 'https://auth.example': tokens(basic) };
    expect((await resolve([image('a')], { servers, files, args: withConfig })).exit).toBe(0);
    const direct = { 'https://r.example': guarded(basic, answerRefused('Basic realm="r"')) };
    expect((await resolve([image('a')], { servers: direct, files, args: withConfig })).exit).toBe(0);
  });

  it('exchanges an identity token', async () => {
    const forms: (string | undefined)[] = [];
    const servers: Run['servers'] = {
      'https://r.example': guarded('Bearer t'),
      'https://auth.example': ({ body }) => {
        forms.push(body);
        return answer(200, { access_token: 't' });
      },
    };
    const files = config({ identitytoken: 'refresh' });
    expect((await resolve([image('a')], { servers, files, args: withConfig })).exit).toBe(0);
    expect(Object.fromEntries(new URLSearchParams(forms[0]))).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'refresh',
      scope: 'repository:a:pull',
    });
  });

  it('presents rejected credentials once for a repository, and reports what to do without quoting them', async () => {
    const servers = { 'https://r.example': guarded('Bearer t'), 'https://auth.example': tokens('Basic other') };
    const pinned = { name: 'pinned', uri: `r.example/a@${digestOf(small)}` };
    const { exit, err, asked } = await resolve([image('a'), pinned], {
      servers,
      files: config(login),
      args: withConfig,
    });
    expect(exit).toBe(3);
    expect(asked.filter((one) => one.includes('auth.example'))).toHaveLength(1);
    expect(err).toContain(
      'the token service auth.example of r.example answers 401 (DENIED); check the credentials for r.example',
    );
    expect(err).not.toContain(login.auth);
  });

  it.each([
    ['no credentials', {}, 'pass a docker config with credentials for r.example with --registry-config'],
    [
      'a credential helper',
      { credHelpers: { 'r.example': 'ecr-login' } },
      'to the credential helper docker-credential-ecr-login, which isthmus does not run',
    ],
  ])('reports what to do where there are %s', async (_what, written, advice) => {
    const servers = { 'https://r.example': guarded('Basic x', answerRefused('Basic realm="r"')) };
    const files = { 'config.json': JSON.stringify(written) };
    const { err } = await resolve([image('a')], { servers, files, args: withConfig });
    expect(err).toContain(`r.example requires a user and password; `);
    expect(err).toContain(advice);
  });

  it.each(['http://auth.example/token', 'https://u:p@auth.example/token', 'nowhere'])(
    'sends nothing to the token service %s',
    async (url) => {
      const servers = { 'https://r.example': guarded('Bearer t', answerRefused(`Bearer realm="${url}"`)) };
      const { err, asked } = await resolve([image('a')], { servers, files: config(login), args: withConfig });
      expect(err).toContain('r.example names a token service that does not use TLS');
      expect(asked).toEqual(['GET https://r.example/v2/a/manifests/v1']);
    },
  );

  it('does not follow another server with its credentials', async () => {
    const basic = `Basic ${login.auth}`;
    const servers: Run['servers'] = {
      'https://r.example': ({ headers }) =>
        headers?.['authorization'] === basic
          ? answer(307, '', { location: 'https://store.example/v2/a/manifests/v1' })
          : answerRefused('Basic realm="r"')(),
      'https://store.example': manifestsOf({ 'a:v1': small }),
    };
    const { exit, asked } = await resolve([image('a')], { servers, files: config(login), args: withConfig });
    expect(exit).toBe(0);
    expect(asked.at(-1)).toBe('GET https://store.example/v2/a/manifests/v1');
  });

  it.each(['Bearer realm="https://store.example/token"', 'Basic realm="store"'])(
    'answers no challenge of another server that the registry redirects to: %s',
    async (challenge) => {
      const servers: Run['servers'] = {
        'https://r.example': () => answer(307, '', { location: 'https://store.example/v2/a/manifests/v1' }),
        'https://store.example': answerRefused(challenge),
      };
      const { exit, err, asked } = await resolve([image('a')], { servers, files: config(login), args: withConfig });
      expect(exit).toBe(3);
      expect(asked).toEqual(['GET https://r.example/v2/a/manifests/v1', 'GET https://store.example/v2/a/manifests/v1']);
      expect(err).toContain(
        'r.example redirects a to store.example, which answers 401 (UNAUTHORIZED): credentials for r.example are not sent there',
      );
    },
  );
});

describe('a registry that misbehaves', () => {
  const serving = (...answers: readonly Answer[]) => {
    let at = 0;
    return { 'https://r.example': ((request) => answers[Math.min(at++, answers.length - 1)]?.(request)) as Answer };
  };
  const good = manifestsOf({ 'a:v1': small });
  const other = digestOf('other');

  it.each<readonly [string, string, Answer]>([
    ['names another digest', 'reports the digest', () => answer(200, small, { 'docker-content-digest': other })],
    [
      'answers with a page',
      'which is not an image manifest',
      () => answer(200, '<html>', { 'content-type': 'text/html' }),
    ],
    ['answers with a manifest of schema 1', 'which is not an image manifest', () => answer(200, { schemaVersion: 1 })],
    ['never ends', 'the answer is larger than 4194304 bytes', () => ({ status: 200, headers: {}, body: endless() })],
    ['is broken', 'r.example answers 500 for a', () => answer(500, 'oops')],
    [
      'redirects in a circle',
      'r.example: more than 5 redirects',
      () => answer(302, '', { location: '/v2/a/manifests/v1' }),
    ],
    ['redirects to HTTP', 'does not use TLS', () => answer(302, '', { location: 'http://x.example/' })],
    ['does not answer', 'no answer within 120 s', () => new Promise(() => {})],
  ])('that %s is reported', async (_what, message, faulty) => {
    const { exit, left, err } = await resolve([image('a')], { servers: serving(faulty) });
    expect({ exit, left }).toEqual({ exit: 3, left: ['a - -'] });
    expect(err).toContain(message);
  });

  it('with content that is not of the digest asked for is reported', async () => {
    const pinned = { name: 'a', uri: `r.example/a@${other}` };
    const { err } = await resolve([pinned], { servers: serving(() => answer(200, small)) });
    expect(err).toContain('r.example answers with content of another digest');
  });

  it('that is busy or breaks the connection is asked again, three times in all', async () => {
    const busy: Answer = () => answer(429, '', { 'retry-after': '7' });
    const broken: Answer = () => Promise.reject(Object.assign(new Error('r.example: reset'), { code: 'ECONNRESET' }));
    expect((await resolve([image('a')], { servers: serving(busy, broken, good) })).exit).toBe(0);
    const { asked, err } = await resolve([image('a')], { servers: serving(busy) });
    expect(asked).toHaveLength(3);
    expect(err).toContain('r.example answers 429 for a');
  });
});

function answerRefused(challenge: string) {
  return () => answer(401, { errors: [{ code: 'UNAUTHORIZED' }] }, { 'www-authenticate': challenge });
}

async function* endless(): AsyncIterable<Uint8Array> {
  for (;;) yield new Uint8Array(1024 * 1024);
}
