import { parseYaml, yamlFieldLines } from '@isthmus/machinery';
import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import { typeOf } from '../type-of.ts';
import { problemLine } from '../../read/read-file.ts';
import { componentsFor, fullVersion, revisionOf } from '../components-of.ts';
import { lintBundle } from '../lint/lint-bundle.ts';
import { isEksaBundles, readEksaBundles } from './read-eksa-bundles.ts';
import { isEksaRelease, readEksaRelease } from './read-eksa-release.ts';
import { bundlesYaml } from './testing/bundles-yaml.ts';

function read(text: string) {
  const [document] = parseYaml(text, { source: 'bundles.yaml' });
  const lineOf = yamlFieldLines(text);
  return { lineOf, result: readEksaBundles(document?.value, { source: 'bundles.yaml', lineOf }) };
}

function converted(text: string) {
  const { result, lineOf } = read(text);
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return { ...result, lineOf };
}

const problemsOf = (text: string) => {
  const { result } = read(text);
  return result.kind === 'refused' ? result.problems.map(problemLine) : [];
};

describe('a Bundles of EKS Anywhere', () => {
  it('has the components of each Kubernetes, with those of the management cluster once', () => {
    const { bundle } = converted(bundlesYaml());
    expect(bundle.metadata.name).toBe('bundles-56');
    expect(bundle.spec.number).toBe(56);
    expect(bundle.spec.components.map(({ id }) => id)).toEqual([
      'cert-manager',
      'capi-core',
      'capi-kubeadm-bootstrap',
      'capi-kubeadm-control-plane',
      'capi-infra-vsphere',
      'capi-infra-cloudstack',
      'eksa',
      'flux',
    ]);
    expect(bundle.spec.perKubernetes['1.31']?.endOfSupport).toBe('2026-12-26');
    expect(componentsFor(bundle, '1.32').map((one) => `${one.id} ${fullVersion(one)} ${one.method}`)).toEqual([
      'capi-core v1.6.2+f120729 clusterctl',
      'capi-infra-vsphere v1.16.1+a1b2c3d clusterctl',
      'capi-kubeadm-bootstrap v1.6.2+a1b2c3d clusterctl',
      'capi-kubeadm-control-plane v1.6.2+d4e5f6a clusterctl',
      'cert-manager v1.13.2+a34c207 clusterctl',
      'cilium v1.18.1-1 helm',
      'eksa v0.19.0-dev+build.170+6a04c21 apply',
      'flux v2.3.0+0badc0d flux',
      'kube-apiserver v1.32.4+kubernetes-1-32-eks-8 kubernetes',
      'kube-controller-manager v1.32.4+kubernetes-1-32-eks-8 kubernetes',
      'kube-proxy v1.32.4+kubernetes-1-32-eks-8 kubernetes',
      'kube-scheduler v1.32.4+kubernetes-1-32-eks-8 kubernetes',
      'kubelet v1.32.4+kubernetes-1-32-eks-8 kubernetes',
    ]);
  });

  it('names every artifact with its kind and, where there is one, its digest', () => {
    const { bundle } = converted(bundlesYaml());
    const artifactsOf = (id: string) =>
      componentsFor(bundle, '1.31')
        .find((one) => one.id === id)
        ?.artifacts.map(({ name, kind, digest }) => `${name} ${kind} ${digest?.slice(7, 9) ?? '-'}`);
    expect(artifactsOf('cert-manager')).toEqual(['acmesolver image 33', 'controller image 44', 'manifest manifest -']);
    expect(artifactsOf('cilium')).toEqual(['cilium image 99', 'helm-chart chart 99']);
    expect(artifactsOf('kube-apiserver')).toEqual(['etcd binary 22', 'kind-node image 11']);
    expect(revisionOf(componentsFor(bundle, '1.31').find(({ id }) => id === 'kubelet') as never).sequence).toBe(8);
  });

  it('takes what has a location alone for a manifest only where it is applied: not a kernel, a disk image, or what clusterctl reads of a provider', () => {
    const hook =
      '{isoURL: {amd: {uri: "https://release.example/hook-x86_64.iso"}}, vmlinuz: {amd: {uri: "https://release.example/vmlinuz"}}}';
    const more = `vSphere: {components: {uri: "https://release.example/infrastructure.yaml?raw=1"}, metadata: {uri: "https://release.example/metadata.yaml"}, clusterTemplate: {uri: "https://release.example/template.yaml"}, stack: {hook: ${hook}}, `;
    const { bundle } = converted(bundlesYaml().replaceAll('vSphere: {', more));
    const kinds = bundle.spec.components
      .find(({ id }) => id === 'capi-infra-vsphere')
      ?.artifacts.map(({ name, kind }) => `${name} ${kind}`);
    expect(kinds).toEqual([
      'cluster-api-controller image',
      'cluster-template binary',
      'components manifest',
      'manager image',
      'metadata binary',
      'stack-hook-iso-url-amd binary',
      'stack-hook-vmlinuz-amd binary',
    ]);
  });

  it('is spoken of by policies as they do, and installs nothing that a cluster may do without', () => {
    const components = componentsFor(converted(bundlesYaml()).bundle, '1.31');
    const subjects = new Set(
      shippedPolicies().flatMap(({ spec }) =>
        spec.hops.map(({ subject }) => subject).concat(spec.skew.map(({ subject }) => subject)),
      ),
    );
    const spoken = components.filter((one) => subjects.has(typeOf(one))).map(({ id }) => id);
    expect(spoken).toEqual(
      expect.arrayContaining(['capi-core', 'capi-kubeadm-bootstrap', 'capi-kubeadm-control-plane', 'cilium', 'eksa']),
    );
    expect(components.filter(({ optional }) => optional).map(({ id }) => id)).toEqual(['capi-infra-vsphere', 'flux']);
    const infra = converted(bundlesYaml()).bundle.spec.components.filter(({ id }) => id.startsWith('capi-infra-'));
    expect(infra.map(({ optional }) => optional)).toEqual([true, true]);
  });

  it('reads Cilium by the scheme of EKS, and switches off what is deprecated', () => {
    const { bundle } = converted(bundlesYaml());
    const all = [...bundle.spec.components, ...(bundle.spec.perKubernetes['1.31']?.components ?? [])];
    expect(all.find(({ id }) => id === 'cilium')?.version.scheme).toBe('eks-suffix');
    expect(all.find(({ id }) => id === 'capi-infra-cloudstack')?.version.upstream).toBe('deprecated');
  });

  it('reports what its signature does not cover, what has no digest, and whose versions it names', () => {
    const { findings, lineOf } = converted(bundlesYaml());
    expect(findings.map(({ rule, severity, subject }) => `${severity} ${rule} ${lineOf(subject.path)}`)).toEqual([
      'warn eksa.signature 6',
      'warn eksa.no-digest 26',
      'info eksa.cli-version 9',
    ]);
    expect(findings[0]?.why).toContain('does not cover their images');
    expect(findings[1]?.why).toMatch(/^4 of its artifacts .*, such as manifest:/);
  });

  it('two versions bundles that disagree on cert-manager are rejected by the lint, at the second one', () => {
    const { bundle, originOf, lineOf } = converted(bundlesYaml(['v1.13.2+a34c207', 'v1.14.2+c0da11a']));
    const context = {
      lineOf: (path: string) => lineOf(originOf(path)),
      older: [],
      engineVersion: '0.1.0',
      policies: [],
    };
    const found = lintBundle(bundle, context).filter(({ rule }) => rule !== 'bundle.no-digest');
    const text = bundlesYaml(['v1.13.2+a34c207', 'v1.14.2+c0da11a']).split('\n');
    expect(found.map(({ rule, severity, why }) => `${severity} ${rule} ${why}`)).toEqual([
      'block bundle.management-disagrees cert-manager belongs only to the management cluster, but differs between Kubernetes 1.31 and 1.32: v1.13.2+a34c207 and v1.14.2+c0da11a',
      expect.stringContaining('info bundle.disabled'),
      expect.stringContaining('info bundle.own-images'),
    ]);
    expect(text[(found[0]?.line ?? 0) - 1]).toBe('      certManager:');
    expect(text[found[0]?.line ?? 0]).toContain('v1.14.2');
    expect(lintBundle(converted(bundlesYaml()).bundle, context).map(({ rule }) => rule)).not.toContain(
      'bundle.management-disagrees',
    );
  });

  it('may have images of a provider for each Kubernetes: the manager of vSphere, the bootstrap image of Snow', () => {
    const { bundle, originOf, lineOf } = converted(bundlesYaml());
    const managerFor = (minor: string) =>
      componentsFor(bundle, minor)
        .find(({ id }) => id === 'capi-infra-vsphere')
        ?.artifacts.map(({ uri }) => uri);
    expect(managerFor('1.31')).toEqual(['public.example/capv:v1', 'public.example/manager-1.31:v1']);
    expect(managerFor('1.32')).toEqual(['public.example/capv:v1', 'public.example/manager-1.32:v1']);
    const context = {
      lineOf: (path: string) => lineOf(originOf(path)),
      older: [],
      engineVersion: '0.1.0',
      policies: [],
    };
    const found = lintBundle(bundle, context).filter(({ rule }) => rule === 'bundle.own-images');
    expect(found.map(({ severity, why }) => `${severity} ${why}`)).toEqual([
      'info capi-infra-vsphere v1.16.1+a1b2c3d has its own images for Kubernetes 1.32: manager; everything else is the same as for 1.31',
    ]);
    expect(bundlesYaml().split('\n')[(found[0]?.line ?? 0) - 1]).toContain('manager-1.32');
  });

  it('upgrades cert-manager first, then the core of Cluster API, then its providers, as clusterctl does', () => {
    const { bundle } = converted(bundlesYaml());
    const required = bundle.spec.components.map(({ id, requires }) => [id, ...requires.map((one) => one.component)]);
    expect(required).toEqual([
      ['cert-manager'],
      ['capi-core', 'cert-manager'],
      ['capi-kubeadm-bootstrap', 'capi-core'],
      ['capi-kubeadm-control-plane', 'capi-core'],
      ['capi-infra-vsphere', 'capi-core'],
      ['capi-infra-cloudstack', 'capi-core'],
      ['eksa', 'capi-core'],
      ['flux'],
    ]);
  });

  it.each([
    [
      'no entries',
      (text: string) => text.replace(/versionsBundles:[^]*$/, 'versionsBundles: []\n'),
      11,
      'spec.versionsBundles: Required value',
    ],
    [
      'a minor that is a number',
      (text: string) => text.replace('"1.32"', '1.32'),
      44,
      'spec.versionsBundles[1].kubeVersion: expected the minor',
    ],
    [
      'a minor twice',
      (text: string) => text.replace('"1.32"', '"1.31"'),
      44,
      'spec.versionsBundles[1].kubeVersion: Duplicate value: "1.31"',
    ],
    [
      'no version',
      (text: string) => text.replace('version: v1.18.1-1', 'versions: x'),
      37,
      'spec.versionsBundles[0].cilium: its version is missing',
    ],
    [
      'a number for a version',
      (text: string) => text.replace('v1.6.2+f120729', '16'),
      27,
      'spec.versionsBundles[0].clusterAPI: its version is missing',
    ],
    [
      'a list for a section',
      (text: string) => text.replace(/flux: .*/, 'flux: []'),
      41,
      'spec.versionsBundles[0].flux: expected an object',
    ],
    [
      'a minor with a v',
      (text: string) => text.replace('"1.32"', '"v1.32"'),
      44,
      'spec.versionsBundles[1].kubeVersion: expected the minor',
    ],
    [
      'a day that no calendar has',
      (text: string) => text.replace('2026-12-26', '2026-02-30'),
      13,
      'spec.versionsBundles[0].endOfStandardSupport: expected a date',
    ],
    [
      'a version that is too long',
      (text: string) => text.replace('v1.18.1-1', 'v'.repeat(300)),
      38,
      'spec.versionsBundles[0].cilium.version: Too long',
    ],
    ['no number', (text: string) => text.replace('number: 56', 'number: many'), 8, 'spec.number: Invalid value'],
    ['a name that is none', (text: string) => text.replace('bundles-56', 'Bundles'), 4, 'metadata.name: Invalid value'],
  ])('with %s is refused with the place', (_what, change, line, message) => {
    const reported = problemsOf(change(bundlesYaml()));
    expect(reported[0]).toContain(`bundles.yaml:${line}: ${message}`);
  });

  it('is distinguished from other kinds', () => {
    expect(isEksaBundles(parseYaml(bundlesYaml(), { source: 'x' })[0]?.value)).toBe(true);
    expect(isEksaBundles({ apiVersion: 'v1', kind: 'Bundles' })).toBe(false);
    expect(isEksaBundles(null)).toBe(false);
  });

  it('is read or refused whatever one of its fields becomes, and never throws', () => {
    const whole = parseYaml(bundlesYaml(), { source: 'x' })[0]?.value;
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('', '__proto__', '<x>', 'deprecated', 1e300));
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(40)), odd, (turns, value) => {
        const changed: unknown = structuredClone(whole);
        replaceSomewhere(changed, turns, value);
        const result = readEksaBundles(changed, { source: 'x', lineOf: () => 1 });
        if (result.kind === 'read') {
          const context = { lineOf: () => 1, older: [result.bundle], engineVersion: '0.1.0', policies: [] };
          lintBundle(result.bundle, context);
        } else expect(result.problems.length).toBeGreaterThan(0);
        readEksaRelease(changed, { source: 'x', lineOf: () => 1 });
      }),
      { numRuns: sweepRuns(300, { oneIn: 8 }), seed: 1 },
    );
  });
});

/** Walks down by `turns` and puts `value` in the place of what it finds there. */
function replaceSomewhere(root: unknown, turns: Iterator<number>, value: unknown): void {
  let at: unknown = root;
  for (;;) {
    const keys = typeof at === 'object' && at !== null ? Object.keys(at) : [];
    const key = keys[(turns.next().value as number) % keys.length];
    if (key === undefined) return;
    const next = (at as Record<string, unknown>)[key];
    const isLeaf = typeof next !== 'object' || next === null || Object.keys(next).length === 0;
    if (isLeaf || (turns.next().value as number) % 4 === 0) {
      (at as Record<string, unknown>)[key] = value;
      return;
    }
    at = next;
  }
}

describe('a Release of EKS Anywhere', () => {
  const release = (version: unknown, number: unknown, more: object = {}) => ({
    version,
    number,
    date: '2024-02-13 21:11:37 +0000 UTC',
    bundleManifestUrl: `https://release.example/bundles-${String(number)}.yaml`,
    ...more,
  });
  const document = (...releases: readonly object[]) => ({
    apiVersion: 'anywhere.eks.amazonaws.com/v1alpha1',
    kind: 'Release',
    metadata: { name: 'eks-a-release' },
    spec: { latestVersion: 'v0.19.0', releases },
  });
  const context = { source: 'r.yaml', lineOf: () => 7 };

  it('is read as the entries of an index, without digests', () => {
    expect(isEksaRelease(document())).toBe(true);
    expect(readEksaRelease(document(release('v0.19.0', 60), release('v0.18.0', 56, { date: 1 })), context)).toEqual({
      kind: 'read',
      latestVersion: 'v0.19.0',
      bundles: [
        {
          name: 'bundles-60',
          channel: 'eks-anywhere',
          number: 60,
          releaseVersion: 'v0.19.0',
          createdAt: '2024-02-13T21:11:37Z',
          uri: 'https://release.example/bundles-60.yaml',
        },
        expect.objectContaining({ name: 'bundles-56', createdAt: '' }),
      ],
    });
  });

  it.each([
    [document(release('', 60)), 'spec.releases[0].version: expected a version'],
    [document(release('v0.19.0', '60')), 'spec.releases[0].number: expected the number of its bundle'],
    [document(release('v0.19.0', 6, { bundleManifestUrl: '' })), 'spec.releases[0].bundleManifestUrl: expected where'],
    [{ ...document(), spec: {} }, 'spec.releases: Required value'],
    [null, 'spec.releases: Required value'],
  ])('is refused with the place: %#', (value, message) => {
    const result = readEksaRelease(value, context);
    expect(result.kind === 'refused' ? result.problems.map(problemLine).join() : '').toContain(`r.yaml:7: ${message}`);
  });
});
