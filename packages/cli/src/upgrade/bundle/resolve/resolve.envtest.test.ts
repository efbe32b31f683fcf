import { httpsTransport, systemClock } from '@isthmus/kube';
import { parseYaml } from '@isthmus/machinery';
import { createAuthority } from '@isthmus/sandbox';
import { startRegistry } from '@isthmus/testkit';
import type { RegistryOptions } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { runCli } from '../../../run-cli.ts';
import { madeUpIo } from '../../../testing/made-up-io.ts';
import { pushImage } from './testing/push-image.ts';
import { startTokenService } from './testing/token-service.ts';

const password = 'open sesame';
const basic = (user: string, word: string) => `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`;
/** `porter` with the password, as `htpasswd -B` writes it. */
const htpasswd = 'porter:$2a$04$Oj7R62qoE./TObU8msLe5u/TxwI0aunIEMV0pgxMDcGFAQC8Q4e3K\n';

/** A registry with a certificate of an authority that no system trusts. */
async function guarded(context: TestContext, options: Pick<RegistryOptions, 'auth' | 'files'>) {
  const authority = await createAuthority('registry-test');
  const serving = await authority.issueServing('registry', ['127.0.0.1']);
  const registry = await startRegistry({ serving, caData: authority.caData, ...options });
  if (registry === undefined) return context.skip('the registry is not there: npm run envtest:install');
  return { registry, caPem: authority.caData };
}

/** Resolves a bundle with one image of `r.example`, which is mirrored by the registry. */
async function resolve(host: string, caPem: string, images: readonly string[], config: object = {}) {
  const artifacts = images.map((uri, at) => `{name: i${at}, kind: image, uri: "${uri}"}`);
  const bundle = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: bundle-7}
spec:
  number: 7
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components: [{id: x, version: {upstream: v1.0.0}, artifacts: [${artifacts.join(', ')}]}]
`;
  const files = { 'b.yaml': bundle, 'ca.pem': caPem, 'config.json': JSON.stringify(config) };
  const io = madeUpIo({ files, network: { dial: httpsTransport }, clock: systemClock() });
  const flags = [
    '--mirror',
    `r.example=${host}/mirrored`,
    '--certificate-authority',
    'ca.pem',
    '--registry-config',
    'config.json',
  ];
  const exit = await runCli(io, ['upgrade', 'bundle', 'resolve', 'b.yaml', ...flags]);
  const spec = parseYaml(io.out, { source: 'out' })[0]?.value as {
    readonly spec: { readonly components: readonly { readonly artifacts: readonly object[] }[] };
  };
  return { exit, err: io.err, artifacts: spec.spec.components[0]?.artifacts };
}

describe('isthmus upgrade bundle resolve, at a real registry over TLS', () => {
  it('finds digest and size of an image without credentials, and reports what the registry does not have', async (context) => {
    const { registry, caPem } = await guarded(context, {});
    await using _ = registry;
    const target = { host: registry.host, caPem };
    const digest = await pushImage(target, 'mirrored/team/app', 'v1', {
      amd64: 'x'.repeat(5_000),
      arm64: 'y'.repeat(7_000),
    });
    const images = [
      'r.example/team/app:v1',
      `r.example/team/app@${digest}`,
      'r.example/team/app:v2',
      'r.example/team/other:v1',
    ];
    const { exit, err, artifacts } = await resolve(registry.host, caPem, images);
    const size = 7_000 + JSON.stringify({ architecture: 'arm64', os: 'linux' }).length;
    expect(artifacts?.slice(0, 2)).toMatchObject([
      { digest, size },
      { digest, size },
    ]);
    expect(exit).toBe(3);
    expect(err).toMatch(
      /cannot resolve i2 of x at r\.example\/team\/app:v2: 127\.0\.0\.1:\d+ answers 404 \(MANIFEST_UNKNOWN: /,
    );
    expect(err).toMatch(/cannot resolve i3 of x .* answers 404 \((?:NAME|MANIFEST)_UNKNOWN: /);
  });

  it('logs in with the user and password of a docker config, and not without', async (context) => {
    const { registry, caPem } = await guarded(context, {
      auth: { htpasswd: { realm: 'registry', path: 'htpasswd' } },
      files: { htpasswd },
    });
    await using _ = registry;
    const { host } = registry;
    const digest = await pushImage({ host, caPem, authorization: basic('porter', password) }, 'mirrored/app', 'v1', {
      amd64: 'x',
    });
    const config = (word: string) => ({
      auths: { [host]: { auth: Buffer.from(`porter:${word}`).toString('base64') } },
    });
    expect(await resolve(host, caPem, ['r.example/app:v1'], config(password))).toMatchObject({
      exit: 0,
      artifacts: [{ digest }],
    });
    const wrong = await resolve(host, caPem, ['r.example/app:v1'], config('close sesame'));
    expect(wrong.exit).toBe(3);
    expect(wrong.err).toContain(`check the credentials for ${host} in the docker config`);
    expect((await resolve(host, caPem, ['r.example/app:v1'])).err).toContain(
      `pass a docker config with credentials for ${host}`,
    );
  });

  it('fetches the token that the registry asks for from its token service', async (context) => {
    const authority = await createAuthority('registry-test');
    const serving = await authority.issueServing('registry', ['127.0.0.1']);
    await using service = await startTokenService(serving, basic('porter', password));
    const registry = await startRegistry({
      serving,
      caData: authority.caData,
      auth: service.auth,
      files: service.files,
    });
    if (registry === undefined) return context.skip('the registry is not there: npm run envtest:install');
    await using _ = registry;
    const { host } = registry;
    const config = { auths: { [host]: { username: 'porter', password } } };
    const { exit, err } = await resolve(host, authority.caData, ['r.example/app:v1'], config);
    // The token is good: what is missing is the image.
    expect(err).toContain('answers 404');
    expect(exit).toBe(3);
    expect(service.asked).toEqual(['registry repository:mirrored/app:pull true']);
    expect((await resolve(host, authority.caData, ['r.example/app:v1'])).err).toContain('answers 401');
  });

  it('does not talk to a registry whose certificate it has no reason to trust', async (context) => {
    const { registry } = await guarded(context, {});
    await using _ = registry;
    const other = await createAuthority('other');
    const { exit, err } = await resolve(registry.host, other.caData, ['r.example/app:v1']);
    expect(exit).toBe(3);
    expect(err).toContain(`pass its certificate authority with --certificate-authority ${registry.host}=FILE`);
    expect(err).not.toContain('Node.js');
  });
});
