import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { aBundle } from './testing/a-bundle.ts';

async function bundle(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files });
  return { exit: await runCli(io, ['upgrade', 'bundle', ...args]), out: io.out, err: io.err };
}

const perMinor = `${aBundle()}  perKubernetes:
    "1.31": {endOfSupport: 2026-12-26}
    "1.32": {components: [{id: etcd, version: {upstream: v3.5.0}, scope: cluster}]}
`;

/** The least that a Bundles of EKS Anywhere may hold. */
const eksa = (certManagers: readonly string[]) => `apiVersion: anywhere.eks.amazonaws.com/v1alpha1
kind: Bundles
metadata: {name: bundles-56}
spec:
  number: 56
  versionsBundles:
${certManagers.map((version, index) => `    - kubeVersion: "1.3${index}"\n      certManager: {version: ${version}, manifest: {uri: https://x.example/m.yaml}}\n`).join('')}`;

describe('isthmus upgrade bundle show', () => {
  it('shows the components by id', async () => {
    const { exit, out } = await bundle({ 'b.yaml': aBundle() }, 'show', 'b.yaml');
    expect(exit).toBe(0);
    expect(out.replace(/sha256:[0-9a-f]{64}/, 'DIGEST')).toMatchInlineSnapshot(`
      "bundle-7 (number 7, channel stable), made 2026-11-01T00:00:00Z
      DIGEST
      COMPONENT  VERSION         SCOPE    METHOD  CLUSTERS  ARTIFACTS
      cilium     v1.18.1-1       cluster  apply   every     1
      flux       v2.3.0+a34c207  cluster  apply   every     1
      "
    `);
  });

  it('shows them for each Kubernetes that the bundle names, or for one', async () => {
    const all = await bundle({ 'b.yaml': perMinor }, 'show', 'b.yaml');
    expect(all.out).toContain('\nKubernetes 1.31, supported until 2026-12-26\nCOMPONENT');
    expect(all.out).toContain('\nKubernetes 1.32\nCOMPONENT');
    const one = await bundle({ 'b.yaml': perMinor }, 'show', 'b.yaml', '--kubernetes', '1.31');
    expect(one.out).not.toContain('etcd');
  });

  it('names the bundle and its number when asked for a Kubernetes that the bundle does not have', async () => {
    expect(await bundle({ 'b.yaml': perMinor }, 'show', 'b.yaml', '--kubernetes', '1.35')).toEqual({
      exit: 1,
      out: '',
      err: 'error: Kubernetes 1.35 is not in the bundle bundle-7 (number 7); it has 1.31, 1.32\n',
    });
  });

  it('rejects a Kubernetes that is not a minor, though the bundle is the same for all', async () => {
    const { exit, out, err } = await bundle({ 'b.yaml': aBundle() }, 'show', 'b.yaml', '--kubernetes', 'new');
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain("argument 'new' is invalid. It must be a Kubernetes minor such as 1.31.");
  });

  it('prints JSON of a fixed shape', async () => {
    const { out } = await bundle({ 'b.yaml': aBundle() }, 'show', 'b.yaml', '-o', 'json');
    expect(JSON.parse(out)).toEqual({
      bundle: 'bundle-7',
      number: 7,
      channel: 'stable',
      digest: expect.stringMatching(/^sha256:/),
      createdAt: '2026-11-01T00:00:00Z',
      expiresAt: null,
      lists: [
        {
          kubernetes: null,
          components: [
            expect.objectContaining({ id: 'cilium', type: 'cilium', version: 'v1.18.1-1', roles: [] }),
            expect.objectContaining({ id: 'flux', version: 'v2.3.0+a34c207' }),
          ],
        },
      ],
    });
  });

  it('does not make up when a Bundles of EKS Anywhere was made', async () => {
    const files = { 'e.yaml': eksa(['v1.13.2+a34c207']) };
    expect((await bundle(files, 'show', 'e.yaml')).out).toMatch(
      /^bundles-56 \(number 56, channel eks-anywhere\)\nsha256:/,
    );
    const { out } = await bundle(files, 'show', 'e.yaml', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ createdAt: null });
  });

  it('prints a Bundles of EKS Anywhere as a bundle of ours, which is read again', async () => {
    const { out } = await bundle({ 'e.yaml': eksa(['v1.13.2+a34c207']) }, 'show', 'e.yaml', '-o', 'yaml');
    expect(out).toContain('kind: ComponentBundle');
    const again = await bundle({ 'b.yaml': out }, 'show', 'b.yaml');
    expect(again.out).toContain('cert-manager  v1.13.2+a34c207  cluster  clusterctl  management  1, 1 without digest');
  });
});

describe('isthmus upgrade bundle diff', () => {
  const next = aBundle()
    .replace('v2.3.0', 'v2.4.0')
    .replace(/id: cilium/, 'id: cni');

  it('shows each component that differs, and ends with 0', async () => {
    const { exit, out } = await bundle({ 'a.yaml': aBundle(), 'b.yaml': next }, 'diff', 'a.yaml', 'b.yaml');
    expect(exit).toBe(0);
    expect(out.replaceAll(/[12]{64}/g, 'DIGEST')).toMatchInlineSnapshot(`
      "COMPONENT  KUBERNETES  FROM            TO              CHANGE
      cilium     every       v1.18.1-1       -               removed
             cilium v1.18.1-1 was removed
             agent: sha256:DIGEST → none
      cni        every       -               v1.18.1-1       added
             cni v1.18.1-1 is new
             agent: none → sha256:DIGEST
      flux       every       v2.3.0+a34c207  v2.4.0+a34c207  minor
             v2.4.0+a34c207 is newer than v2.3.0+a34c207
      "
    `);
  });

  it('distinguishes an artifact that is not there from one without a digest', async () => {
    const bare = aBundle().replace(`\n          digest: sha256:${'2'.repeat(64)}`, '');
    const { out } = await bundle(
      { 'a.yaml': bare, 'b.yaml': bare.replace('id: cilium', 'id: cni') },
      'diff',
      'a.yaml',
      'b.yaml',
    );
    expect(out).toContain('agent: no digest → none\n');
    expect(out).toContain('agent: none → no digest\n');
  });

  it('reports no differences, and prints an empty list', async () => {
    const files = { 'a.yaml': aBundle() };
    expect(await bundle(files, 'diff', 'a.yaml', 'a.yaml', '--detailed-exitcode')).toEqual({
      exit: 0,
      out: 'The bundles have the same components.\n',
      err: '',
    });
    const { out } = await bundle(files, 'diff', 'a.yaml', 'a.yaml', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ components: [] });
  });

  it('prints JSON in which nothing is left out', async () => {
    const { out } = await bundle({ 'a.yaml': aBundle(), 'b.yaml': next }, 'diff', 'a.yaml', 'b.yaml', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      from: { name: 'bundle-7', number: 7 },
      components: [
        {
          component: 'cilium',
          kubernetes: null,
          relation: 'removed',
          from: 'v1.18.1-1',
          to: null,
          artifacts: [{ to: null }],
        },
        { component: 'cni', relation: 'added', from: null },
        { component: 'flux', relation: 'minor', order: 'newer', artifacts: [] },
      ],
    });
  });

  it('exits with 2 where something differs and the flag asks for it', async () => {
    const files = { 'a.yaml': aBundle(), 'b.yaml': next };
    expect((await bundle(files, 'diff', 'a.yaml', 'b.yaml', '--detailed-exitcode')).exit).toBe(2);
  });
});

describe('a Bundles of EKS Anywhere', () => {
  it('is rejected by the lint where its versions bundles disagree on cert-manager, with the place in its file', async () => {
    const text = eksa(['v1.13.2+a34c207', 'v1.14.2+c0da11a']);
    const { exit, out } = await bundle({ 'e.yaml': text }, 'lint', 'e.yaml');
    expect(exit).toBe(3);
    expect(out).toContain('e.yaml:10  component cert-manager, spec.versionsBundles[1].certManager\n');
    expect(out).toContain('differs between Kubernetes 1.30 and 1.31: v1.13.2+a34c207 and v1.14.2+c0da11a');
  });

  it('is rejected where a signature is required, because its own covers no component', async () => {
    const files = { 'e.yaml': eksa(['v1.13.2+a34c207']) };
    expect((await bundle(files, 'verify', 'e.yaml', '--signature', 'require')).exit).toBe(3);
    const { exit, out } = await bundle(files, 'verify', 'e.yaml');
    expect(exit).toBe(2);
    expect(out).toContain('warn  eksa.signature  e.yaml:3');
  });

  it('is rejected with the place where it cannot be read', async () => {
    const { exit, err } = await bundle({ 'e.yaml': eksa(['""']) }, 'show', 'e.yaml');
    expect(exit).toBe(1);
    expect(err).toContain('e.yaml:8: spec.versionsBundles[0].certManager: its version is missing');
  });
});
