import { checkStructural, compileResource, crdOf, formatFieldError } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { customResources, leaderResources, memberResources } from './custom-resources.ts';
import { ClusterSet, ClusterSetV1alpha1, ResourceExport, ResourceImport } from './index.ts';
import type {
  ClusterClaim,
  EndpointSlicePayload,
  LabelIdentity,
  MemberClusterAnnounce,
  Service,
  ServiceExport,
  ServiceImport,
} from './index.ts';

const byKind = new Map(customResources.map((resource) => [resource.kind, resource]));

describe('the kinds and where they are needed', () => {
  it.each([
    ['ClusterClaim', 'clusterclaims', [], 'Namespaced', ['v1alpha1', 'v1alpha2*'], []],
    ['ClusterInfoImport', 'clusterinfoimports', [], 'Namespaced', ['v1alpha1*'], ['v1alpha1']],
    ['ClusterSet', 'clustersets', [], 'Namespaced', ['v1alpha1', 'v1alpha2*'], ['v1alpha1', 'v1alpha2']],
    ['Gateway', 'gateways', [], 'Namespaced', ['v1alpha1*'], ['v1alpha1']],
    ['KnownCluster', 'knownclusters', ['kc'], 'Namespaced', ['v1alpha1*'], ['v1alpha1']],
    ['LabelIdentity', 'labelidentities', [], 'Cluster', ['v1alpha1*'], []],
    ['MemberClusterAnnounce', 'memberclusterannounces', [], 'Namespaced', ['v1alpha1*'], []],
    ['ResourceExport', 'resourceexports', [], 'Namespaced', ['v1alpha1*'], ['v1alpha1']],
    ['ResourceImport', 'resourceimports', [], 'Namespaced', ['v1alpha1*'], ['v1alpha1']],
    [
      'ServiceExport',
      'serviceexports',
      ['svcex', 'svcexport'],
      'Namespaced',
      ['v1alpha1', 'v1beta1*'],
      ['v1alpha1', 'v1beta1'],
    ],
    [
      'ServiceImport',
      'serviceimports',
      ['svcim', 'svcimport'],
      'Namespaced',
      ['v1alpha1', 'v1beta1*'],
      ['v1alpha1', 'v1beta1'],
    ],
  ])(
    '%s: names, scope, versions (* is stored), status subresource',
    (kind, plural, shortNames, scope, versions, withStatus) => {
      const resource = byKind.get(kind);
      expect(resource).toMatchObject({ kind, plural, shortNames, scope, singular: kind.toLowerCase() });
      expect(resource?.versions.map((version) => version.version + (version.storage ? '*' : ''))).toEqual(versions);
      expect(resource?.versions.every((version) => version.served)).toBe(true);
      expect(
        resource?.versions.filter((version) => version.statusSubresource).map((version) => version.version),
      ).toEqual(withStatus);
    },
  );

  it('leader and member lists are those of the wire, ClusterClaim in both', () => {
    const kinds = (resources: typeof customResources) => resources.map((resource) => resource.kind);
    expect(kinds(leaderResources)).toEqual([
      'ClusterClaim',
      'ClusterSet',
      'KnownCluster',
      'MemberClusterAnnounce',
      'ResourceExport',
      'ResourceImport',
    ]);
    expect(kinds(memberResources)).toEqual([
      'ClusterClaim',
      'ClusterInfoImport',
      'ClusterSet',
      'Gateway',
      'LabelIdentity',
      'ServiceExport',
      'ServiceImport',
    ]);
    expect(new Set([...leaderResources, ...memberResources])).toEqual(new Set(customResources));
  });

  it.each([
    [
      'ClusterSet',
      [
        'Leader Cluster Namespace=.spec.namespace',
        'Total Clusters=.status.totalClusters',
        'Ready Clusters=.status.readyClusters',
        'Cluster ID=.spec.clusterID',
        'Ready=.status.conditions[?(@.type=="Ready")].status',
        'Reason=.status.conditions[?(@.type=="Ready")].reason',
        'Warning=.status.conditions[?(@.type!="Ready")].type',
        'Heartbeat=.status.lastHeartbeatTime',
      ],
    ],
    [
      'MemberClusterAnnounce',
      [
        'Cluster ID=.clusterID',
        'ClusterSet ID=.clusterSetID',
        'Heartbeat=.metadata.annotations.touch-ts',
        'Version=.metadata.annotations.isthmus\\.dev/version',
      ],
    ],
    [
      'ResourceExport',
      [
        'Cluster ID=.spec.clusterID',
        'Kind=.spec.kind',
        'Namespace=.spec.namespace',
        'Name=.spec.name',
        'Merged=.status.conditions[?(@.type=="Succeeded")].status',
        'Failure=.status.conditions[?(@.type=="Failure")].reason',
        'Conflict=.status.conditions[?(@.type=="Conflict")].status',
      ],
    ],
    [
      'ResourceImport',
      [
        'Kind=.spec.kind',
        'Namespace=.spec.namespace',
        'Name=.spec.name',
        'Cluster ID=.metadata.labels.sourceClusterID',
      ],
    ],
    ['Gateway', ['Gateway IP=.gatewayIP', 'Internal IP=.internalIP']],
    [
      'ClusterInfoImport',
      [
        'Cluster ID=.spec.clusterID',
        'Service CIDR=.spec.serviceCIDR',
        'Reachable=.status.conditions[?(@.type=="Reachable")].status',
      ],
    ],
    [
      'KnownCluster',
      [
        'Origin=.spec.origin',
        'State=.spec.state',
        'Within Grant=.status.conditions[?(@.type=="WithinGrant")].status',
        'Pods=.spec.pods',
        'Services=.spec.services',
      ],
    ],
    ['LabelIdentity', ['Label=.spec.label', 'ID=.spec.id']],
    [
      'ServiceExport',
      [
        'Valid=.status.conditions[?(@.type=="Valid")].status',
        'Ready=.status.conditions[?(@.type=="Ready")].status',
        'Conflict=.status.conditions[?(@.type=="Conflict")].status',
        'Reason=.status.conditions[?(@.type=="Ready")].reason',
      ],
    ],
    [
      'ServiceImport',
      [
        'Type=.spec.type',
        'IP=.spec.ips',
        'Ready=.status.conditions[?(@.type=="Ready")].status',
        'Reason=.status.conditions[?(@.type=="Ready")].reason',
      ],
    ],
  ])('%s prints its columns and the age', (kind, columns) => {
    for (const version of byKind.get(kind)?.versions ?? []) {
      const printed = version.columns.map((column) => `${column.name}=${column.jsonPath}`);
      expect(printed).toEqual([...columns, 'Age=.metadata.creationTimestamp']);
    }
  });

  it('exactly the versions that were replaced are deprecated, with a warning that names the successor', () => {
    const deprecated = customResources.flatMap((resource) =>
      crdOf(resource)
        .spec.versions.filter((version) => version.deprecated === true)
        .map((version) => `${resource.kind}/${version.name}: ${version.deprecationWarning}`),
    );
    expect(deprecated).toEqual([
      expect.stringMatching(/^ClusterClaim\/v1alpha1: .*v1alpha2 ClusterClaim$/),
      expect.stringMatching(/^ClusterSet\/v1alpha1: .*v1alpha2 ClusterSet with spec\.clusterID$/),
    ]);
    for (const text of deprecated) expect(text.length).toBeLessThan(256);
  });

  it('the MCS kinds name the release of their schema, and both versions have the same', () => {
    for (const kind of ['ServiceExport', 'ServiceImport']) {
      const resource = byKind.get(kind);
      expect(resource?.labels).toMatchObject({
        'multicluster.x-k8s.io/release-version': 'v0.5.2',
        'multicluster.x-k8s.io/crd-schema-revision': '0',
      });
      expect(resource?.versions[0]?.schema).toEqual(resource?.versions[1]?.schema);
    }
  });
});

describe.each(customResources.map((resource) => [resource.kind, resource] as const))('%s', (_kind, resource) => {
  it('has structural schemas', () => {
    for (const version of resource.versions) expect(checkStructural(version.schema).map(formatFieldError)).toEqual([]);
  });

  it('is converted by nobody: the controllers of Antrea, which serve it as well, have no webhook for that', () => {
    expect(crdOf(resource).spec.conversion).toBeUndefined();
  });

  it('describes every field that it defines at its own level', () => {
    for (const version of resource.versions) {
      for (const [name, field] of Object.entries(version.schema.properties ?? {})) {
        if (name !== 'metadata') expect(field.description ?? '', name).not.toBe('');
      }
    }
  });

  it('has examples, and they are valid without losing a field', () => {
    expect(resource.examples.length).toBeGreaterThan(0);
    for (const example of resource.examples) {
      const { apiVersion } = example as { apiVersion: string };
      const { unknownFields, errors, object } = compileResource(resource.version(apiVersion.split('/')[1] ?? '')).admit(
        example,
      );
      expect({ unknownFields, errors: errors.map(formatFieldError) }).toEqual({ unknownFields: [], errors: [] });
      expect(object).toMatchObject(example as object);
    }
  });
});

describe('objects of old and new forms', () => {
  it('a ClusterSet loses nothing between its versions', () => {
    const spec = {
      clusterID: 'east',
      leaders: [{ clusterID: 'north', secret: 'token', server: 'https://192.0.2.10:6443', serviceAccount: 'sa' }],
      members: [{ clusterID: 'east', serviceAccount: 'member-east-access-sa' }],
      namespace: 'antrea-mcs-ns',
    };
    for (const version of [ClusterSet, ClusterSetV1alpha1]) {
      const object = {
        apiVersion: `multicluster.crd.antrea.io/${version.version}`,
        kind: 'ClusterSet',
        metadata: { name: 'a', namespace: 'b' },
        spec,
      };
      expect(compileResource(version).admit(object)).toMatchObject({ object, unknownFields: [], errors: [] });
    }
  });

  it.each([
    ['no leader', [], 'spec.leaders: Invalid value: 0: spec.leaders in body should have at least 1 items'],
    ['two leaders', [{}, {}], 'spec.leaders: Too many: 2: must have at most 1 item'],
  ])('a ClusterSet with %s is refused', (_what, leaders, text) => {
    const object = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'a', namespace: 'b' },
      spec: { leaders },
    };
    expect(compileResource(ClusterSet).validate(object).map(formatFieldError)).toEqual([text]);
  });

  it('payload keys differ between exports and imports as the wire has them', () => {
    const specOf = (version: typeof ResourceExport | typeof ResourceImport) =>
      Object.keys(version.schema.properties?.['spec']?.properties ?? {});
    expect(specOf(ResourceExport)).toEqual([
      'clusterID',
      'clusterInfo',
      'clusterNetworkPolicy',
      'endpointSlices',
      'endpoints',
      'externalEntity',
      'kind',
      'labelIdentity',
      'name',
      'namespace',
      'raw',
      'service',
    ]);
    expect(specOf(ResourceImport)).toEqual([
      'clusterID',
      'clusterinfo',
      'clusternetworkpolicy',
      'endpointSlices',
      'endpoints',
      'externalentity',
      'kind',
      'labelIdentity',
      'name',
      'namespace',
      'raw',
      'serviceImport',
    ]);
    expect(ResourceImport.schema.properties?.['spec']?.properties?.['clusterID']?.type).toBe('array');
  });

  it('the whole ServiceSpec of core/v1 is there', () => {
    const spec = ResourceExport.schema.properties?.['spec']?.properties?.['service']?.properties?.['serviceSpec'];
    expect(Object.keys(spec?.properties ?? {})).toEqual([
      'allocateLoadBalancerNodePorts',
      'clusterIP',
      'clusterIPs',
      'externalIPs',
      'externalName',
      'externalTrafficPolicy',
      'healthCheckNodePort',
      'internalTrafficPolicy',
      'ipFamilies',
      'ipFamilyPolicy',
      'loadBalancerClass',
      'loadBalancerIP',
      'loadBalancerSourceRanges',
      'ports',
      'publishNotReadyAddresses',
      'selector',
      'sessionAffinity',
      'sessionAffinityConfig',
      'trafficDistribution',
      'type',
    ]);
    expect(spec?.properties?.['ports']).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    });
  });

  it('a port of an exported Service gets its protocol', () => {
    const object = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ResourceExport',
      metadata: { name: 'a', namespace: 'b' },
      spec: { service: { serviceSpec: { ports: [{ port: 80 }] } } },
    };
    expect(compileResource(ResourceExport).admit(object).object.spec?.service?.serviceSpec?.ports).toEqual([
      { port: 80, protocol: 'TCP' },
    ]);
  });
});

describe('the types of objects', () => {
  it('read as people write them', () => {
    expectTypeOf<ClusterSet>().toEqualTypeOf<ObjectOf<typeof ClusterSetV1alpha1>>();
    expectTypeOf<NonNullable<ClusterSet['spec']>['leaders']>().items.toExtend<{
      readonly clusterID?: string | undefined;
    }>();
    expectTypeOf<MemberClusterAnnounce['clusterID']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ClusterClaim['value']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<LabelIdentity['spec']>['id']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<NonNullable<ServiceImport['spec']>['type']>().toEqualTypeOf<'ClusterSetIP' | 'Headless'>();
    expectTypeOf<NonNullable<ServiceExport['spec']>['exportedLabels']>().toEqualTypeOf<
      Readonly<Record<string, string>> | undefined
    >();
    expectTypeOf<NonNullable<ResourceExport['spec']>['endpointSlices']>().toEqualTypeOf<
      readonly EndpointSlicePayload[] | undefined
    >();
    expectTypeOf<
      NonNullable<NonNullable<NonNullable<ResourceExport['spec']>['service']>['serviceSpec']>
    >().toEqualTypeOf<NonNullable<Service['spec']>>();
    // @ts-expect-error objects are readonly
    const write = (set: ClusterSet) => void (set.metadata.name = 'x');
    // @ts-expect-error a type is one of two
    const spec: ServiceImport['spec'] = { ports: [], type: 'ClusterIP' };
    expect([typeof write, spec?.ports]).toEqual(['function', []]);
  });
});
