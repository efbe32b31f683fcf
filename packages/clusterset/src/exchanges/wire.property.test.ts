import type {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  LabelIdentity,
  ResourceExport,
  ResourceImport,
} from '@isthmus/api';
import { labelIdentityHash } from '@isthmus/api';
import { dns1123SubdomainErrors } from '@isthmus/machinery';
import { anyCharacter, sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExportGroup } from '../exchange/leader/leader-exchange.ts';
import { unknownReaders } from '../exchange/leader/readers.ts';
import { decideClusterInfoImport } from './cluster-info/import/decide.ts';
import { exchanges } from './index.ts';
import { decideLabelExport } from './label-identity/export/decide.ts';
import { decideLabelImport } from './label-identity/import/decide.ts';
import { labelProblem } from './label-identity/wire.ts';
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
/** Whatever JSON can hold: what the definitions of the wire leave open, as the spec of a policy. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constant('tier')), tie('value'), { maxKeys: 4 }),
  ),
})).value;
/** Of the types that the definitions ask for, as far as they do: an API server lets nothing else through. */
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

/** Those that have exchanges of their own; Services are read by `readExport` and `readImports`, with tests of their own. */
const fuzzed = exchanges.filter(({ name: exchange }) => exchange !== 'Service');

describe('whatever is written around all checks', () => {
  it.each(fuzzed)(
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
              // Nothing of somebody else is touched.
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

  it('as an import is decided by a member, which imports only what has a valid name', () => {
    const current = fc.oneof(anyObject, fc.constant(undefined));
    fc.assert(
      fc.property(anyImport, current, text, (remote, found, clusterID) => {
        const [policy] = exchanges.filter(({ name: exchange }) => exchange === 'ClusterNetworkPolicy');
        for (const key of policy?.member.importKeys(remote) ?? []) {
          const decision = decidePolicyImport({
            name: key,
            remote,
            current: found as ClusterNetworkPolicy | undefined,
            hasEngine: true,
            hasTier: () => true,
          });
          if (decision.kind === 'import' && found === undefined)
            expect(dns1123SubdomainErrors(decision.object.metadata.name)).toEqual([]);
        }
        const label = decideLabelImport({ remote, current: found as LabelIdentity | undefined });
        if (label.kind === 'import')
          expect(labelProblem(label.object.spec?.label, remote.metadata.name)).toBeUndefined();
        for (const { member } of exchanges) member.importKeys(remote);
        decideClusterInfoImport({
          remote,
          current: found as ClusterInfoImport | undefined,
          clusterID,
          namespace: 'kube-system',
        });
        decideLabelExport({ label: clusterID, found: remote as ResourceExport, clusterID });
      }),
      runs,
    );
  });
});
