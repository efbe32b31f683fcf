import type { CustomResourceDefinition } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import { bundleOf, digest } from '../../bundle/testing/bundle-of.ts';
import { checkDefinition } from '../../crd/check/check-definition.ts';
import { releaseFindings } from './release-findings.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';
import { definition } from '../testing/definition.ts';

interface Release {
  readonly version: string;
  readonly definitions?: readonly CustomResourceDefinition[];
  readonly builtFrom?: Readonly<Record<string, string>>;
}

/**
 * A bundle with one release of the controller of Antrea; without definitions its manifest is not
 * available.
 */
function release({ version, definitions, builtFrom = {} }: Release, mark: number): LoadedBundle {
  const manifest = { name: 'manifest', kind: 'manifest', uri: 'antrea.yml', digest: digest(mark) };
  const component = { id: 'antrea-controller', version: { upstream: version }, artifacts: [manifest], builtFrom };
  const bundle = bundleOf({ components: [component, { ...component, id: 'antrea-agent', unit: 'antrea' }] });
  return {
    bundle,
    digest: digest(0),
    contents: new Map(definitions === undefined ? [] : [[digest(mark), definitions]]),
  };
}

function reported(old: Release, next: Release, policies = shippedPolicies()) {
  const checkCrd = (before: CustomResourceDefinition, after: CustomResourceDefinition) =>
    checkDefinition(before, after, { server: {}, waivers: [], today: '2026-11-21', companions: [] }).findings;
  const context = { policies, histories: [], now: '2026-11-21T00:00:00Z', checkCrd };
  const { findings, notExamined } = releaseFindings(release(old, 1), release(next, 2), context);
  return {
    findings: findings.filter(({ severity }) => severity !== 'info').map(({ rule, why }) => [rule, why]),
    notExamined,
  };
}

const before = [definition('Egress', ['v1beta1 stored'])];

describe('a patch release', () => {
  it('that adds a version of a CRD is blocked, and so is one that removes it', () => {
    const after = [definition('Egress', ['v1beta1 stored', 'v1'])];
    const patch = reported({ version: 'v2.6.0', definitions: before }, { version: 'v2.6.1', definitions: after });
    const why = 'a patch release adds v1 of egresss.crd.antrea.io; API versions are added and removed only in minors';
    expect(patch.findings).toEqual([['P04', `${why} (antrea.patch)`]]);
    expect(
      reported({ version: 'v2.6.0', definitions: before }, { version: 'v2.7.0', definitions: after }).findings,
    ).toEqual([]);
    const back = reported({ version: 'v2.6.0', definitions: after }, { version: 'v2.6.1', definitions: before });
    expect(back.findings.map(([rule]) => rule)).toEqual(expect.arrayContaining(['P02', 'P04', 'G07']));
  });

  it('that adds or removes a whole CRD is blocked', () => {
    const more = [...before, definition('New', ['v1alpha1'])];
    expect(
      reported({ version: 'v2.6.0', definitions: before }, { version: 'v2.6.1', definitions: more }).findings,
    ).toHaveLength(1);
    expect(
      reported({ version: 'v2.6.0', definitions: more }, { version: 'v2.6.1', definitions: before }).findings,
    ).toHaveLength(1);
    expect(
      reported({ version: 'v2.6.0', definitions: before }, { version: 'v2.6.1', definitions: [] }).findings,
    ).not.toEqual([]);
  });

  it('neither adds nor removes a version of the internal API, and a minor keeps it for its time', () => {
    const apiService = (version: string, service: object | null = { namespace: 'kube-system', name: 'antrea' }) => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.controlplane.antrea.io` },
      spec: { group: 'controlplane.antrea.io', version, service },
    });
    const at = (version: string, ...definitions: readonly object[]) => ({ version, definitions }) as unknown as Release;
    const [older, newer] = [apiService('v1beta1'), apiService('v1beta2')];
    const change = (from: Release, to: Release) => reported(from, to).findings.map(([rule, why]) => `${rule} ${why}`);
    expect(change(at('v2.6.0', newer), at('v2.6.1', older, newer))).toEqual([
      expect.stringContaining('P04 a patch release adds v1beta1 of controlplane.antrea.io'),
    ]);
    expect(change(at('v2.6.0', older, newer), at('v2.7.0', newer))).toEqual([
      expect.stringContaining(
        'P02 controlplane.antrea.io: v1beta1 is no longer served, but was never marked as deprecated',
      ),
    ]);
    // What Kubernetes serves itself is not the product's.
    expect(change(at('v2.6.0', apiService('v1', null), newer), at('v2.6.1', newer))).toEqual([]);
  });

  it('brings no feature, and changes the stage of none', () => {
    const policies = shippedPolicies().map((one) => {
      const stages = [
        { stage: 'alpha' as const, since: '2.6.0' },
        { stage: 'beta' as const, since: '2.6.2' },
      ];
      const feature = { name: 'F', component: 'antrea-controller', stages, source: 'a test' };
      return one.metadata.name === 'antrea' ? { ...one, spec: { ...one.spec, features: [feature] } } : one;
    });
    const at = (from: string, to: string) => reported({ version: from }, { version: to }, policies).findings;
    expect(at('v2.6.1', 'v2.6.2')).toEqual([
      [
        'antrea.patch',
        'antrea-controller is a patch release, and F is beta since 2.6.2 (a test): features are added and changed only in minors',
      ],
    ]);
    expect(at('v2.6.0', 'v2.6.1')).toEqual([]);
    expect(at('v2.5.0', 'v2.6.2')).toEqual([]);
  });

  it('changes no schema incompatibly', () => {
    const after = [definition('Egress', ['v1beta1 stored other'])];
    const { findings } = reported(
      { version: 'v2.6.0', definitions: before },
      { version: 'v2.6.1', definitions: after },
    );
    expect(findings[0]?.[1]).toContain('patch releases must be compatible (antrea.patch)');
    expect(
      reported({ version: 'v2.6.0', definitions: before }, { version: 'v2.7.0', definitions: after }).findings,
    ).toEqual([]);
  });

  it.each([
    ['the minor of ovs', { ovs: '3.1.0' }, { ovs: '3.2.0' }, 'changes the minor of ovs: 3.1.0 → 3.2.0'],
    ['the minor of go', { go: 'go1.22.3' }, { go: 'go1.23.0' }, 'changes the minor of go: go1.22.3 → go1.23.0'],
    [
      'the minors of Go modules',
      { 'go/k8s.io/api': 'v0.35.1' },
      { 'go/k8s.io/api': 'v0.36.0' },
      'changes the minor of go/k8s.io/api',
    ],
    ['the base image', { 'base-image': 'ubuntu:22.04' }, { 'base-image': 'ubuntu:24.04' }, 'changes base-image'],
  ])('keeps %s', (_what, from, to, why) => {
    const [first, second] = [
      { version: 'v2.6.0', definitions: before, builtFrom: from },
      { version: 'v2.6.1', definitions: before, builtFrom: to },
    ];
    expect(reported(first, second).findings.map((one) => one[1])).toEqual([
      expect.stringContaining(`antrea-controller is a patch release and ${why}`),
      expect.stringContaining(`antrea-agent is a patch release and ${why}`),
    ]);
    expect(reported(first, { ...second, version: 'v2.7.0' }).findings).toEqual([]);
    expect(reported(first, { ...second, builtFrom: from }).findings).toEqual([]);
  });

  it('may take newer patches of what it is built from', () => {
    const go = (version: string) => ({
      version,
      definitions: before,
      builtFrom: { go: version === 'v2.6.0' ? '1.22.3' : '1.22.9' },
    });
    expect(reported(go('v2.6.0'), go('v2.6.1')).findings).toEqual([]);
  });
});

describe('a release', () => {
  it('reports what was not available, and takes nothing for gone that it has not read', () => {
    const { findings, notExamined } = reported({ version: 'v2.6.0' }, { version: 'v2.6.1', definitions: before });
    expect(findings).toEqual([]);
    expect(notExamined).toEqual([
      'bundle-7: manifest of antrea-controller was not available; its CRDs were not checked',
      'bundle-7: manifest of antrea-agent was not available; its CRDs were not checked',
    ]);
  });

  it('reports once what was not available for several Kubernetes minors', () => {
    const manifest = { name: 'components', kind: 'manifest', uri: 'vsphere.yaml', digest: digest(3) };
    const entry = {
      components: [{ id: 'capi-infra-vsphere', version: { upstream: 'v1.16.1' }, artifacts: [manifest] }],
    };
    const bundle = bundleOf({ perKubernetes: { '1.34': entry, '1.35': entry } });
    const loaded = { bundle, digest: digest(0), contents: new Map() };
    const context = { policies: [], histories: [], now: '2026-11-21T00:00:00Z', checkCrd: () => [] };
    expect(
      releaseFindings(release({ version: 'v2.6.0', definitions: before }, 1), loaded, context).notExamined,
    ).toEqual(['bundle-7: components of capi-infra-vsphere was not available; its CRDs were not checked']);
  });

  it('breaks a promise about versions with a minor as well', () => {
    const next = { version: 'v2.7.0', definitions: [definition('Egress', ['v1 stored'])] };
    expect(reported({ version: 'v2.6.0', definitions: before }, next).findings.map(([rule]) => rule)).toEqual(['P02']);
  });
});
