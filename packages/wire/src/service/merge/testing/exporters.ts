/**
 * Generated exporters, and the same exporters as the merge reads them. Test-only, like oracle.ts
 * beside it.
 */
import * as fc from 'fast-check';
import type { ExportedEndpointSlice, ExportedService, ExportedSubset } from '../types.ts';
import type { WholeField } from '../fields/whole-fields.ts';
import type { Exporter, ExporterGroup, ExporterPort } from './oracle.ts';
import { wholeOf } from './oracle.ts';
import { wholeFieldValues } from './whole-field-examples.ts';

/**
 * An exporter with one plain port and no other values; tests override the fields that they are
 * about.
 */
export const exporter = (clusterID: string, firstExported: string, overrides: Partial<Exporter> = {}): Exporter => ({
  clusterID,
  firstExported,
  headless: false,
  addresses: 'ClusterIP',
  ports: [],
  groups: [],
  behind: [],
  sends: 'both',
  ...overrides,
});

const endpointPorts = (group: ExporterGroup): NonNullable<ExportedSubset['ports']> =>
  group.ports.map(({ name, protocol, port }) => ({ name, protocol, port }));

const subsetsOf = (groups: readonly ExporterGroup[]): readonly ExportedSubset[] =>
  groups
    .filter(({ ready }) => ready.length > 0)
    .map((group) => ({ addresses: group.ready.map((ip) => ({ ip })), ports: endpointPorts(group) }));

const slicesOf = (groups: readonly ExporterGroup[]): readonly ExportedEndpointSlice[] =>
  groups.map((group) => ({
    addressType: group.addressType,
    endpoints: [
      ...group.ready.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ...group.notReady.map((address) => ({ addresses: [address], conditions: { ready: false } })),
    ],
    ports: endpointPorts(group),
  }));

/** The first slice of each family has the Pods of that family. */
const withPods = (
  slices: readonly ExportedEndpointSlice[],
  behind: readonly ExportedEndpointSlice[],
): readonly ExportedEndpointSlice[] =>
  slices.map((slice, index) => {
    const isFirst = slices.findIndex(({ addressType }) => addressType === slice.addressType) === index;
    const pods = behind.filter(({ addressType }) => isFirst && addressType === slice.addressType);
    return pods.length === 0 ? slice : { ...slice, pods: pods.map(({ endpoints, ports }) => ({ endpoints, ports })) };
  });

/** Deeply frozen, so that a merge that changes its input throws. */
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

/**
 * The exporter on the wire (docs/spec/wire.md §8.1). Values that it does not have are absent, as in
 * JSON.
 */
export const onTheWire = (from: Exporter): ExportedService => {
  const wire: ExportedService = {
    clusterID: from.clusterID,
    firstExported: from.firstExported,
    endpointIPType: from.addresses,
    service: {
      ports: from.ports,
      clusterIP: from.headless ? 'None' : '10.96.0.1',
      ...wholeOf(from),
      ipFamilies: from.ipFamilies,
    },
    exportedLabels: from.exportedLabels,
    exportedAnnotations: from.exportedAnnotations,
    endpoints: {
      subsets: from.sends === 'slices' ? undefined : subsetsOf(from.groups),
      endpointSlices: from.sends === 'subsets' ? undefined : withPods(slicesOf(from.groups), slicesOf(from.behind)),
    },
  };
  return frozen(JSON.parse(JSON.stringify(wire)) as ExportedService);
};

/**
 * In bytewise order. Digits inside a name are not compared as a number, and a name may be the
 * beginning of another one.
 */
const clusterIDs = ['east', 'east-10', 'east-9', 'east.eu', 'east1', 'west'] as const;

/**
 * Few instants, some of them written in several ways; bytewise order of the texts is not the order
 * of the instants.
 */
const times = [
  '2026-03-01T00:00:00Z',
  '2026-03-01T00:00:00.000Z',
  '2026-03-01T01:00:00+01:00',
  '2026-03-01T00:00:00.500Z',
  '2026-03-01T00:00:01Z',
] as const;

const maybe = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> => fc.constantFrom(undefined, ...values);

const port: fc.Arbitrary<ExporterPort> = fc.record({
  name: maybe('', 'admin', 'http', 'http', 'web'),
  protocol: maybe('TCP', 'TCP', 'UDP', 'SCTP'),
  port: fc.constantFrom(80, 81, 443, 8081),
  appProtocol: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant('h2c') }),
  targetPort: fc.constantFrom(8080, 9090),
});

/**
 * As an API server accepts them: no name twice, no (protocol, port) twice, an unnamed port only
 * alone.
 */
const portList = fc
  .uniqueArray(port, {
    minLength: 1,
    maxLength: 4,
    comparator: (a, b) =>
      (a.name ?? '') === (b.name ?? '') || ((a.protocol ?? 'TCP') === (b.protocol ?? 'TCP') && a.port === b.port),
  })
  .map((list) => (list.length === 1 ? list : list.filter(({ name = '' }) => name !== '')));

type Policies = Pick<Exporter, WholeField | 'ipFamilies' | 'exportedLabels' | 'exportedAnnotations'>;

const record = maybe<Readonly<Record<string, string>>>(
  {},
  { a: '1' },
  { a: '2' },
  { b: '1', a: '1' },
  { a: '1', b: '1' },
);

const policies: fc.Arbitrary<Policies> = fc
  .record({
    whole: wholeFieldValues,
    ipFamilies: maybe(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']),
    exportedLabels: record,
    exportedAnnotations: record,
  })
  .map(({ whole, ...others }) => ({ ...others, ...whole }));

/** One group of Pods before it belongs to a cluster: hosts 1–3 are ready, 4–5 are not. */
interface Pods {
  readonly addressType: ExporterGroup['addressType'];
  readonly ready: readonly number[];
  readonly notReady: readonly number[];
  /** Pods of one Service may resolve a named target port differently. */
  readonly targetOffset: number;
  /** Which of the Service's ports these Pods lack, by index. */
  readonly without: number | undefined;
  /**
   * A port that the Service does not have (slices with such a port are written by hand); names are
   * unique in a slice.
   */
  readonly foreign: ExporterGroup['ports'][number] | undefined;
}

const podGroup: fc.Arbitrary<Pods> = fc.record({
  addressType: fc.constantFrom('IPv4' as const, 'IPv4' as const, 'IPv6' as const),
  ready: fc.subarray([1, 2, 3]),
  notReady: fc.subarray([4, 5]),
  targetOffset: fc.constantFrom(0, 0, 1),
  without: maybe(0, 1),
  foreign: maybe({ name: 'foreign', protocol: 'TCP', port: 7 }, { name: 'http', protocol: 'SCTP', port: 7 }),
});

/** Canonical (RFC 5952) for clusters 1–9, and different for each cluster. */
const addressOf = (addressType: ExporterGroup['addressType'], cluster: number, host: number): string =>
  addressType === 'IPv4' ? `10.${String(cluster)}.0.${String(host)}` : `fd00:${String(cluster)}::${String(host)}`;

type Shape = Pick<Exporter, 'headless' | 'addresses' | 'ports' | 'sends'>;

const podPorts = (shape: Shape, pods: Pods): ExporterGroup['ports'] => {
  const own = shape.ports
    .filter((_, index) => index !== pods.without)
    .map(({ name, protocol, targetPort }) => ({ name, protocol, port: targetPort + pods.targetOffset }));
  const { foreign } = pods;
  return foreign === undefined || own.some(({ name }) => name === foreign.name) ? own : [...own, foreign];
};

const podGroups = (shape: Shape, cluster: number, pods: readonly Pods[]): readonly ExporterGroup[] =>
  pods.map((group) => ({
    addressType: group.addressType,
    ready: group.ready.map((host) => addressOf(group.addressType, cluster, host)),
    notReady: group.notReady.map((host) => addressOf(group.addressType, cluster, host)),
    ports: podPorts(shape, group),
  }));

const sendsPodIPs = (shape: Shape): boolean => shape.headless || shape.addresses === 'PodIP';

const groupsOf = (shape: Shape, cluster: number, pods: readonly Pods[]): readonly ExporterGroup[] => {
  if (sendsPodIPs(shape)) return podGroups(shape, cluster, pods);
  // The Service's ClusterIP, while any Pod is ready.
  const clusterIP: ExporterGroup = {
    addressType: 'IPv4',
    ready: [addressOf('IPv4', cluster, 100)],
    notReady: [],
    ports: shape.ports.map(({ name, protocol, port: number }) => ({ name, protocol, port: number })),
  };
  return pods.some(({ ready }) => ready.length > 0) ? [clusterIP] : [];
};

/** Only a headless Service may have no port at all. */
type Deviation = 'no' | 'reversed' | 'without appProtocol' | 'other' | 'none';

const portsOf = (
  common: readonly ExporterPort[],
  own: readonly ExporterPort[],
  deviation: Deviation,
): readonly ExporterPort[] => {
  switch (deviation) {
    case 'no':
      return common;
    case 'reversed':
      return common.toReversed();
    case 'without appProtocol':
      return common.map((one) => ({ ...one, appProtocol: undefined }));
    case 'other':
      return own;
    case 'none':
      return [];
  }
};

/**
 * One to six exporters of one Service. Ports and policies are drawn once for all, and each exporter
 * may deviate, in the kinds of fields in which this set may differ: agreement, a single conflict
 * and several at once are all frequent.
 */
export const exporterSets: fc.Arbitrary<readonly Exporter[]> = fc
  .record({
    ports: portList,
    policies,
    headless: fc.boolean(),
    mayDiffer: fc.record({ ports: fc.boolean(), policies: fc.boolean(), type: fc.boolean() }),
    exporters: fc.uniqueArray(
      fc.record({
        clusterID: fc.constantFrom(...clusterIDs),
        firstExported: fc.constantFrom(...times),
        ownPorts: fc.constantFrom<Deviation>(
          'no',
          'no',
          'no',
          'reversed',
          'without appProtocol',
          'other',
          'other',
          'none',
        ),
        ports: portList,
        ownPolicies: fc.boolean(),
        policies,
        otherType: fc.constantFrom(false, false, true),
        addresses: fc.constantFrom('PodIP' as const, 'ClusterIP' as const),
        sends: fc.constantFrom('subsets' as const, 'slices' as const, 'both' as const, 'both' as const),
        pods: fc.array(podGroup, { maxLength: 2 }),
        hasAgents: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6, selector: ({ clusterID }) => clusterID },
    ),
  })
  .map((set) =>
    set.exporters.map((own): Exporter => {
      const headless = set.headless !== (set.mayDiffer.type && own.otherType);
      const deviation = set.mayDiffer.ports && (headless || own.ownPorts !== 'none') ? own.ownPorts : 'no';
      const shape: Shape = {
        headless,
        addresses: own.addresses,
        ports: portsOf(set.ports, own.ports, deviation),
        sends: own.sends,
      };
      const cluster = clusterIDs.indexOf(own.clusterID) + 1;
      const announcesPods = own.hasAgents && !sendsPodIPs(shape) && shape.sends !== 'subsets';
      return {
        clusterID: own.clusterID,
        firstExported: own.firstExported,
        ...shape,
        ...(set.mayDiffer.policies && own.ownPolicies ? own.policies : set.policies),
        groups: groupsOf(shape, cluster, own.pods),
        behind: announcesPods ? podGroups(shape, cluster, own.pods) : [],
      };
    }),
  );
