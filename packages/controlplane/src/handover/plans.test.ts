import type { MemberClusterAnnounce, ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { LeaderState } from './leader-plan.ts';
import { planLeaderHandover } from './leader-plan.ts';
import type { MemberState } from './member-plan.ts';
import { planMemberHandover } from './member-plan.ts';

const ours = { 'app.kubernetes.io/managed-by': 'isthmus' };
const antrea = { 'multicluster.antrea.io/imported-service': 'true' };
const none: MemberState = {
  namespace: 'kube-system',
  clusterSets: [],
  services: [],
  slices: [],
  serviceImports: [],
  clusterInfoImports: [],
  definitions: [],
  running: [],
  renewed: [],
};
const definition = (storedVersions: readonly string[]): MemberState['definitions'][number] => ({
  metadata: { name: 'serviceexports.multicluster.x-k8s.io' },
  spec: {
    group: 'multicluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'ServiceExport', plural: 'serviceexports' },
    versions: [],
  },
  status: { storedVersions },
});
const kinds = (plan: { readonly steps: readonly { readonly kind: string }[] }) => plan.steps.map(({ kind }) => kind);

describe('the handover of a member', () => {
  const service = { metadata: { name: 'antrea-mc-cart', namespace: 'shop', labels: ours, annotations: antrea } };
  const slice = {
    metadata: {
      name: 'antrea-mc-cart-x',
      namespace: 'shop',
      labels: {
        ...ours,
        'kubernetes.io/service-name': 'antrea-mc-cart',
        'endpointslice.kubernetes.io/managed-by': 'isthmus.dev',
      },
    },
    addressType: 'IPv4' as const,
    endpoints: [{ addresses: ['10.10.0.1'] }],
  };

  it('replaces the slices of a Service before the marks go, and rewrites what is stored last', () => {
    const plan = planMemberHandover({
      ...none,
      services: [service],
      slices: [slice],
      serviceImports: [{ metadata: { name: 'cart', namespace: 'shop', labels: ours } }],
      clusterSets: [{ metadata: { name: 'fleet', namespace: 'kube-system', finalizers: ['isthmus.dev/leave'] } }],
      definitions: [definition(['v1alpha1', 'v1beta1'])],
    });
    expect(kinds(plan)).toEqual(['replace', 'release', 'release', 'release', 'store']);
    expect(plan.next.join('\n')).toMatch(
      /kubectl delete validatingadmissionpolicies,.* -l .*=kube-system\n.*kubectl delete deployment,.* -n kube-system /,
    );
  });

  it('leaves alone Services and slices that are not ours, and a definition that Antrea could have written', () => {
    const foreign = { ...service, metadata: { ...service.metadata, labels: {}, annotations: {} } };
    const theirs = {
      ...slice,
      metadata: { ...slice.metadata, labels: { 'kubernetes.io/service-name': 'antrea-mc-cart' } },
    };
    const state = { ...none, services: [foreign], slices: [slice, theirs], definitions: [definition(['v1alpha1'])] };
    expect(planMemberHandover(state).steps).toEqual([]);
  });

  it('replaces what is left of our slices beside a Service that is Antrea’s already', () => {
    const released = { ...service, metadata: { ...service.metadata, labels: {} } };
    expect(kinds(planMemberHandover({ ...none, services: [released], slices: [slice] }))).toEqual(['replace']);
  });
});

describe('the handover of a leader', () => {
  const empty: LeaderState = {
    namespace: 'area',
    clusterSets: [],
    imports: [],
    announces: [],
    accounts: [],
    bindings: [],
    running: [],
  };
  const imported = (name: string, kind: string, labels: Readonly<Record<string, string>> = ours): ResourceImport => ({
    metadata: { name, namespace: 'area', labels: { ...labels, sourceKind: kind } },
    spec: { kind, namespace: 'shop', name: 'cart' },
  });
  const announce: MemberClusterAnnounce = {
    metadata: {
      name: 'member-announce-from-west',
      namespace: 'area',
      annotations: {
        'touch-ts': 'now',
        'isthmus.dev/answered': 'now',
        'isthmus.dev/leader-cluster-set': 'fleet',
        'isthmus.dev/dotted-names': 'now',
      },
    },
    clusterID: 'west',
  };

  it('shows the merged imports to older members, then deletes those of single clusters, and the marks and answers go last', () => {
    const imports = [
      imported('shop-cart-service', 'ServiceImport'),
      imported('shop-cart-endpoints', 'Endpoints'),
      imported('shop-cart-endpoints.east', 'EndpointSlices'),
      imported('shop-cart-endpoints.west', 'EndpointSlices'),
    ];
    const { steps } = planLeaderHandover({ ...empty, imports, announces: [announce] });
    expect(steps.map((step) => (step.kind === 'release' ? step.ref.name : step.kind))).toEqual([
      'shop-cart-endpoints',
      'merge',
      'shop-cart-service',
      'member-announce-from-west',
    ]);
    expect(steps.flatMap((step) => (step.kind === 'merge' ? step.imports.map(({ name }) => name) : []))).toEqual([
      'shop-cart-endpoints.east',
      'shop-cart-endpoints.west',
    ]);
  });

  it('deletes the imports of labels that were withdrawn: an Antrea leader would keep them, and give their numbers away', () => {
    const identity = (name: string, annotations = {}): ResourceImport => ({
      metadata: { name, namespace: 'area', labels: { ...ours, sourceKind: 'LabelIdentity' }, annotations },
      spec: { kind: 'LabelIdentity', labelIdentity: { label: 'ns:a=b&pod:', id: 5 } },
    });
    const withdrawn = identity('0123456789abcdef', { 'isthmus.dev/withdrawn': '2026-01-01T00:00:00Z' });
    const { steps } = planLeaderHandover({ ...empty, imports: [withdrawn, identity('fedcba9876543210')] });
    expect(steps.map((step) => (step.kind === 'withdraw' || step.kind === 'release' ? step.ref.name : ''))).toEqual([
      withdrawn.metadata.name,
      'fedcba9876543210',
    ]);
    expect(kinds({ steps })).toEqual(['withdraw', 'release']);
  });

  it('deletes imports with a dot in the name of a Service, which an Antrea leader would keep, and names them', () => {
    const ofApi = (name: string, kind: string): ResourceImport => ({
      ...imported(name, kind),
      spec: { kind, namespace: 'prod-web', name: 'api' },
    });
    const imports = [
      ofApi('prod-web.api-service', 'ServiceImport'),
      ofApi('prod-web.api-endpoints', 'Endpoints'),
      ofApi('prod-web.api-endpoints.west', 'EndpointSlices'),
      imported('shop-cart-service', 'ServiceImport'),
    ];
    const { steps, next } = planLeaderHandover({ ...empty, imports });
    expect(steps.map((step) => ('ref' in step ? `${step.kind} ${step.ref.name}` : step.kind))).toEqual([
      'merge',
      'withdraw prod-web.api-service',
      'withdraw prod-web.api-endpoints',
      'release shop-cart-service',
    ]);
    expect(next[0]).toContain('(prod-web.api-service, prod-web.api-endpoints)');
  });

  it('takes from an announcement what the leader wrote, and leaves what the member did', () => {
    const { steps } = planLeaderHandover({ ...empty, announces: [announce] });
    expect(steps.flatMap((step) => (step.kind === 'release' ? [step.patch] : []))).toEqual([
      {
        metadata: {
          annotations: {
            'isthmus.dev/answered': null,
            'isthmus.dev/leader-cluster-set': null,
            'isthmus.dev/dotted-names': null,
          },
        },
      },
    ]);
  });

  it('leaves alone imports that are not ours', () => {
    const imports = [imported('shop-cart-service', 'ServiceImport', {}), imported('other', 'EndpointSlices', {})];
    expect(planLeaderHandover({ ...empty, imports }).steps).toEqual([]);
  });

  it('names the ServiceAccounts of members that Antrea rejects, and no others', () => {
    const account = (name: string, annotations = {}) => ({ metadata: { name, namespace: 'area', annotations } });
    const binding = (name: string, role: string) => ({
      metadata: { name, namespace: 'area' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' as const, name: role },
      subjects: [{ kind: 'ServiceAccount' as const, name, namespace: 'area' }],
    });
    const member = 'antrea-mc-member-cluster-role';
    const { next } = planLeaderHandover({
      ...empty,
      accounts: [account('old'), account('new', { 'multicluster.antrea.io/cluster-id': 'west' }), account('other')],
      bindings: [binding('old', member), binding('new', member), binding('other', 'something')],
    });
    expect(next.filter((text) => text.includes('annotate'))).toEqual([
      'Antrea 2.7 rejects members whose ServiceAccount does not name their cluster: kubectl -n area annotate serviceaccount old multicluster.antrea.io/cluster-id=<cluster ID>',
    ]);
  });
});
