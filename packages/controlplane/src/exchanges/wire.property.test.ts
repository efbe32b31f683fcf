import type { ClusterInfoImport, ClusterNetworkPolicy, LabelIdentity, ResourceExport } from '@isthmus/api';
import { ResourceImport, labelIdentityHash } from '@isthmus/api';
import { dns1123SubdomainErrors, liveOf } from '@isthmus/machinery';
import { compileResource, formatFieldError } from '@isthmus/schema';
import { anyCharacter, sweepRuns } from '@isthmus/testkit';
import type { ExportGroup } from '@isthmus/wire';
import { labelProblem, unknownReaders } from '@isthmus/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideClusterInfoImport } from './cluster-info/import/decide.ts';
import { exchanges } from './index.ts';
import { decideLabelExport } from './label-identity/export/decide.ts';
import { decideLabelImport } from './label-identity/import/decide.ts';
import { decidePolicyImport } from './policy/import/decide.ts';

const runs = { numRuns: sweepRuns(2_000, { oneIn: 8 }), seed: 1 };

const words = ['__proto__', 'constructor', 'toString', 'east', 'east-1', 'prod', 'web-api', '', 'shop', '10.0.0.0/8'];
const kinds = ['AntreaClusterNetworkPolicy', 'ClusterInfo', 'LabelIdentity', 'Service', 'Endpoints', 'ServiceImport'];
const hashes = [labelIdentityHash('ns:&pod:'), '0123456789abcdef'];
const text = fc.oneof(
  fc.constantFrom(...words, ...hashes),
  fc.string({ unit: anyCharacter(), maxLength: 30 }),
  fc.constantFrom('x'.repeat(300), 'ns:&pod:', 'ns:a=b&pod:__proto__=constructor'),
);
/** Any JSON value, for fields that the CRDs leave open, such as the spec of a policy. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constant('tier')), tie('value'), { maxKeys: 4 }),
  ),
})).value;
/**
 * Values of the types in the CRDs, as far as these define types: an API server rejects everything
 * else.
 */
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const clusterInfo = fc.record({
  clusterID: some(text),
  serviceCIDR: some(text),
  podCIDRs: some(fc.array(text, { maxLength: 2 })),
  gatewayInfos: some(fc.array(fc.record({ gatewayIP: some(text) }), { maxLength: 2 })),
  wireGuard: some(fc.record({ publicKey: some(text) })),
});
const number = fc.oneof(fc.integer(), fc.constantFrom(0, 1, 16_777_214, 16_777_215));
const name = fc.oneof(
  fc.constantFrom(
    'east-clusterinfo',
    'constructor',
    '__proto__',
    'strict-antreaclusternetworkpolicy',
    `east-${hashes[0]}`,
    ...hashes,
  ),
  text,
);
const strings = fc.dictionary(
  fc.oneof(
    text,
    fc.constantFrom(
      'sourceKind',
      'sourceName',
      'isthmus.dev/withdrawn',
      'isthmus.dev/network-conflict',
      'isthmus.dev/dataplane',
    ),
  ),
  text,
  { maxKeys: 3 },
);
const payload = fc.record(
  {
    clusterID: text,
    namespace: text,
    name: text,
    clusterInfo,
    clusterinfo: clusterInfo,
    labelIdentity: fc.record({ normalizedLabel: some(text), label: some(text), id: some(number) }),
    clusterNetworkPolicy: anything,
    clusternetworkpolicy: anything,
  },
  { requiredKeys: [] },
);
const spec = fc
  .tuple(fc.oneof(fc.constantFrom(...kinds), text), payload)
  .map(([kind, others]) => Object.assign({ kind }, others));
const metadata = fc.record({
  name,
  namespace: fc.constant('antrea-multicluster'),
  uid: fc.constantFrom('1', '2'),
  creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', 'never'),
  labels: fc.oneof(fc.constant(undefined), strings),
  annotations: fc.oneof(fc.constant(undefined), strings),
});
const label = 'ns:&pod:';
const network = { clusterID: 'east', serviceCIDR: '10.96.0.0/12', gatewayInfos: [{ gatewayIP: '192.0.2.1' }] };
/** Well-formed: an export and an import of each kind. */
const wellFormed = [
  ['strict', { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusterNetworkPolicy: { priority: 1 } }],
  [
    'strict-antreaclusternetworkpolicy',
    { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusternetworkpolicy: { priority: 1 } },
  ],
  ['east-clusterinfo', { kind: 'ClusterInfo', clusterID: 'east', clusterInfo: network, clusterinfo: network }],
  [`east-${hashes[0]}`, { kind: 'LabelIdentity', clusterID: 'east', labelIdentity: { normalizedLabel: label } }],
  [hashes[0], { kind: 'LabelIdentity', labelIdentity: { label, id: 9 } }],
] as const;
const spoilt = fc
  .tuple(fc.constantFrom(...wellFormed), metadata, fc.oneof(payload, fc.constant({})), fc.boolean())
  .map(([[usual, whole], some, others, isRenamed]) => ({
    metadata: isRenamed ? some : { ...some, name: usual },
    spec: { ...whole, ...others },
  }));
const anyObject = fc.oneof(spoilt, fc.record({ metadata, spec }), fc.record({ metadata }));
const anyExport = anyObject as fc.Arbitrary<unknown> as fc.Arbitrary<ResourceExport>;
const anyImport = anyObject as fc.Arbitrary<unknown> as fc.Arbitrary<ResourceImport>;

/** The CRD of the imports, as the API server of the leader applies it. */
const definition = compileResource(ResourceImport);
const asSent = (object: ResourceImport, namespace: string) => ({
  ...object,
  apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
  kind: 'ResourceImport',
  metadata: { ...object.metadata, namespace },
});

const groupOf = (exports: readonly ResourceExport[], imports: readonly ResourceImport[]): ExportGroup => ({
  exports,
  imports,
  readers: unknownReaders,
  now: '2026-11-21T12:00:00Z',
  incompleteForMs: new Map(),
  refused: new Map(),
  pruned: [],
  free: 7,
});

const [service] = exchanges.filter(({ name: exchange }) => exchange === 'Service');
const others = exchanges.filter((one) => one !== service);

/**
 * Parts of a Service and of its endpoints, well-formed and malformed: an older CRD of the leader
 * may let them through.
 */
function orAnything(...usual: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: anything });
}
const port = fc.record(
  {
    name: orAnything('http', 'x'.repeat(64)),
    port: orAnything(80, 8080, 0, 70_000),
    protocol: orAnything('TCP', 'UDP', 'SCTP'),
    appProtocol: anything,
  },
  { requiredKeys: [] },
);
const listOf = (one: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary: fc.array(one, { maxLength: 3 }) }, { weight: 1, arbitrary: anything });
const address = orAnything('10.1.0.1', 'fd00::1', '127.0.0.1', '10.1.0.1/32');
const serviceSpec = fc.record(
  {
    ports: listOf(port),
    type: anything,
    clusterIP: orAnything('None', '10.96.0.7'),
    ipFamilies: listOf(fc.constantFrom('IPv4', 'IPv6')),
    sessionAffinity: anything,
    sessionAffinityConfig: anything,
    internalTrafficPolicy: anything,
    trafficDistribution: anything,
  },
  { requiredKeys: ['ports'] },
);
const subset = fc.record({ addresses: listOf(fc.record({ ip: address })), ports: listOf(port) });
const slice = fc.record({
  addressType: orAnything('IPv4', 'IPv6', 'FQDN'),
  endpoints: listOf(fc.record({ addresses: listOf(address), conditions: anything, hostname: anything })),
  ports: listOf(port),
});
const exportsOfAService = fc
  .tuple(
    fc.constantFrom('east', 'east-1', 'West', '__proto__'),
    fc.constantFrom(['prod', 'web-api'], ['prod-web', 'api'], ['constructor', '__proto__']),
    fc.record({ serviceSpec, subsets: listOf(subset), endpointSlices: listOf(slice) }),
    fc.option(strings, { nil: {} }),
  )
  .map(([clusterID, [of, called], { serviceSpec: exported, subsets, endpointSlices }, annotations]) =>
    ['Service', 'Endpoints'].map((kind) => ({
      metadata: {
        name: `${clusterID}-${of}-${called}-${kind.toLowerCase()}`,
        namespace: 'antrea-multicluster',
        uid: `${clusterID}-${of}-${kind}`,
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { sourceClusterID: clusterID },
        annotations,
      },
      spec: {
        kind,
        clusterID,
        namespace: of,
        name: called,
        ...(kind === 'Service' ? { service: { serviceSpec: exported } } : { endpoints: { subsets }, endpointSlices }),
      },
    })),
  );

describe('whatever is written around all checks', () => {
  it.each(others)(
    'as an export or import of kind $name is placed and decided by a leader, and what it publishes has a valid name',
    ({ leader }) => {
      let published = 0;
      fc.assert(
        fc.property(
          fc.array(anyExport, { minLength: 1, maxLength: 3 }),
          fc.array(anyImport, { maxLength: 2 }),
          (exports, imports) => {
            for (const key of new Set([...exports.flatMap(leader.exportKeys), ...imports.flatMap(leader.importKeys)])) {
              const mine = exports.filter((one) => leader.exportKeys(one).includes(key));
              const names = leader.importNames(key, mine);
              const there = imports.filter(
                (one) => leader.importKeys(one).includes(key) || names.includes(one.metadata.name),
              );
              there.forEach((one) => leader.sources(one));
              const decision = leader.decide(groupOf(mine, there), () => []);
              published += decision.wanted.length;
              for (const wanted of decision.wanted) expect(dns1123SubdomainErrors(wanted.metadata.name)).toEqual([]);
              // Objects of other clients are not touched.
              for (const object of [...decision.unwanted, ...(decision.retired ?? [])])
                expect(object.metadata.labels?.['app.kubernetes.io/managed-by'] ?? 'isthmus').toBe('isthmus');
            }
          },
        ),
        runs,
      );
      expect(published, 'add an export and an import of the kind to `wellFormed`').toBeGreaterThan(0);
    },
  );

  it('as an export of a Service, or of its endpoints, is merged by a leader, and what it publishes can be published', () => {
    let published = 0;
    fc.assert(
      fc.property(fc.array(exportsOfAService, { minLength: 1, maxLength: 3 }), (services) => {
        const byName = new Map(services.flat().map((one) => [one.metadata.name, one]));
        const all = [...byName.values()] as readonly unknown[] as readonly ResourceExport[];
        for (const key of new Set(all.flatMap((one) => service?.leader.exportKeys(one) ?? []))) {
          const mine = all.filter((one) => service?.leader.exportKeys(one).includes(key) === true);
          const decision = service?.leader.decide(groupOf(mine, []), () => []);
          for (const wanted of decision?.wanted ?? []) {
            published++;
            expect(dns1123SubdomainErrors(wanted.metadata.name)).toEqual([]);
            const { unknownFields, errors } = definition.admit(asSent(wanted, 'antrea-multicluster'));
            expect({ unknownFields, errors: errors.map(formatFieldError) }).toEqual({ unknownFields: [], errors: [] });
          }
        }
      }),
      runs,
    );
    expect(published).toBeGreaterThan(100);
  });

  it('as an import is decided by a member, which imports only what has a valid name', () => {
    const current = fc.oneof(anyObject, fc.constant(undefined));
    fc.assert(
      fc.property(anyImport, current, text, (remote, found, clusterID) => {
        const [policy] = exchanges.filter(({ name: exchange }) => exchange === 'ClusterNetworkPolicy');
        for (const key of policy?.member.importKeys(remote) ?? []) {
          const decision = decidePolicyImport({
            name: key,
            remote,
            current: liveOf(found as ClusterNetworkPolicy | undefined),
            hasEngine: true,
            hasTier: () => true,
          });
          if (decision.kind === 'import' && found === undefined)
            expect(dns1123SubdomainErrors(decision.object.metadata.name)).toEqual([]);
        }
        const label = decideLabelImport({ remote, current: liveOf(found as LabelIdentity | undefined) });
        if (label.kind === 'import')
          expect(labelProblem(label.object.spec?.label, remote.metadata.name)).toBeUndefined();
        for (const { member } of exchanges) member.importKeys(remote);
        decideClusterInfoImport({
          remote,
          current: liveOf(found as ClusterInfoImport | undefined),
          clusterID,
          namespace: 'kube-system',
        });
        decideLabelExport({ label: clusterID, found: remote as ResourceExport, clusterID });
      }),
      runs,
    );
  });
});
