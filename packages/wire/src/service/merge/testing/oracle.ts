/**
 * The independent oracle of the merge, test-only. It shares no code with the merge, but uses its
 * types, so that a field cannot be forgotten here. Its rules are those of docs/spec/mcs-api.md §3
 * (the rules) and §2 (the names of the reasons), and docs/spec/merge.md §2 (the tie-break) and §3
 * (the table and the order of ports). One rule is from types.ts, the merge's own contract, and
 * marked in the code: the meaning of an export without IP families, or with slices alone. The
 * oracle cannot decide whether that rule is right. It is quadratic on purpose: each function is one
 * sentence of these texts.
 *
 * Its input is a model of a cluster's export, not the wire: `exporters.ts` renders the same model
 * as the merge's input. It assumes the validation of a Kubernetes API server (inside one export no
 * name and no (protocol, port) twice, valid times, one export per cluster). The merge's own tests
 * cover hostile input.
 */
import type { ConflictReason } from '../conflict-reasons.ts';
import type { ExportedServiceSpec } from '../types.ts';
import type { WholeField } from '../fields/whole-fields.ts';

/** A port of an exported Service. Absent name = unnamed; absent protocol = TCP. */
export interface ExporterPort {
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly port: number;
  readonly appProtocol?: string | undefined;
  readonly targetPort: number;
}

/** Addresses that serve the same ports. Port names are those of the Service's ports. */
export interface ExporterGroup {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ready: readonly string[];
  readonly notReady: readonly string[];
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly protocol?: string | undefined;
    readonly port: number;
  }[];
}

/** The Service that one cluster exports. */
export interface Exporter extends Pick<ExportedServiceSpec, WholeField> {
  readonly clusterID: string;
  readonly firstExported: string;
  readonly headless: boolean;
  /**
   * The kind of the addresses in `groups` if the Service is not headless; a headless one always has
   * Pod IPs.
   */
  readonly addresses: 'PodIP' | 'ClusterIP';
  readonly ports: readonly ExporterPort[];
  readonly ipFamilies?: readonly string[] | undefined;
  readonly exportedLabels?: Readonly<Record<string, string>> | undefined;
  readonly exportedAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly groups: readonly ExporterGroup[];
  /** The Pods behind the ClusterIP of `groups`, for agents; not with subsets alone. */
  readonly behind: readonly ExporterGroup[];
  /** The forms on the wire: an Antrea member sends subsets, ours both. */
  readonly sends: 'subsets' | 'slices' | 'both';
}

/**
 * The fields that the import copies from the oldest exporter: each field that is not named here is
 * one of them.
 */
export const wholeOf = (exporter: Exporter): Pick<ExportedServiceSpec, WholeField> => {
  const {
    clusterID: _clusterID,
    firstExported: _firstExported,
    headless: _headless,
    addresses: _addresses,
    ports: _ports,
    ipFamilies: _ipFamilies,
    exportedLabels: _exportedLabels,
    exportedAnnotations: _exportedAnnotations,
    groups: _groups,
    behind: _behind,
    sends: _sends,
    ...whole
  } = exporter;
  return whole;
};

/** A port of the import, absent values filled in ('' is the unnamed port). */
interface OraclePort {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly appProtocol: string | undefined;
}

/**
 * True if `a` has precedence over `b`: the older export, and at equal times the bytewise smaller
 * cluster ID (docs/spec/mcs-api.md §3, docs/spec/merge.md §2).
 */
export const precedes = (a: Exporter, b: Exporter): boolean => {
  const [timeA, timeB] = [Date.parse(a.firstExported), Date.parse(b.firstExported)];
  return timeA < timeB || (timeA === timeB && a.clusterID < b.clusterID);
};

/** The exporters, the one with precedence over all others first. */
export const byPrecedence = (exporters: readonly Exporter[]): readonly Exporter[] =>
  exporters
    .map((exporter) => ({ exporter, olderOnes: exporters.filter((other) => precedes(other, exporter)).length }))
    .toSorted((a, b) => a.olderOnes - b.olderOnes)
    .map(({ exporter }) => exporter);

const toOraclePort = (port: ExporterPort): OraclePort => ({
  name: port.name ?? '',
  protocol: port.protocol ?? 'TCP',
  port: port.port,
  appProtocol: port.appProtocol,
});

const sameName = (a: OraclePort, b: OraclePort): boolean => a.name === b.name;
const sameNumber = (a: OraclePort, b: OraclePort): boolean => a.protocol === b.protocol && a.port === b.port;

/**
 * Protocols bytewise, then numbers: the order of the ports that the oldest export does not have
 * (docs/spec/merge.md §3).
 */
const byProtocolAndNumber = (a: OraclePort, b: OraclePort): number => {
  if (a.protocol !== b.protocol) return a.protocol < b.protocol ? -1 : 1;
  return a.port - b.port;
};

/**
 * The union of the ports. The table of docs/spec/merge.md §3 is an operation on two exporters. It
 * is applied to the result of the older ones and the next younger one, oldest first. So a port is
 * left out exactly if a port that *is* in the import has its name or its (protocol, port).
 *
 * With three exporters "first by name, then by (protocol, port)" has a second reading: decide all
 * names over all exporters, and only then the numbers. The readings differ if a port loses to one
 * that is itself left out: http TCP 80, then web TCP 80, then web TCP 81. Here web TCP 81 is in. In
 * the other reading no cluster may use it, although nothing in the import clashes with it. The
 * union requires the first reading.
 */
const oraclePorts = (exporters: readonly Exporter[]): readonly OraclePort[] => {
  const [oldest, ...younger] = byPrecedence(exporters);
  const fromOldest = (oldest?.ports ?? []).map(toOraclePort);
  const others: OraclePort[] = [];
  for (const port of younger.flatMap((exporter) => exporter.ports.map(toOraclePort))) {
    const clash = [...fromOldest, ...others].some((merged) => sameName(merged, port) || sameNumber(merged, port));
    if (!clash) others.push(port);
  }
  return [...fromOldest, ...others.toSorted(byProtocolAndNumber)];
};

/**
 * Row 11: under a headless import, the addresses of a ClusterSetIP export are used only if they are
 * those of Pods.
 */
const addressesUsable = (exporters: readonly Exporter[], exporter: Exporter): boolean =>
  byPrecedence(exporters)[0]?.headless !== true || exporter.headless || exporter.addresses === 'PodIP';

/**
 * The ports of the import that this cluster exposes itself: the same name, protocol and number
 * (rows 2–4, 6, 9; appProtocol does not matter, row 10).
 */
const oracleExposed = (exporters: readonly Exporter[], exporter: Exporter): readonly OraclePort[] =>
  oraclePorts(exporters).filter((merged) =>
    exporter.ports.map(toOraclePort).some((port) => sameName(port, merged) && sameNumber(port, merged)),
  );

/** One address behind one port. The number is that of the endpoint's port. */
export interface Served {
  readonly address: string;
  readonly addressType: string;
  readonly ready: boolean;
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

/**
 * The addresses and ports that a cluster's endpoints may serve: each address with each endpoint
 * port that the cluster exposes under that name and protocol (traffic to a port goes only to
 * clusters that expose it, docs/spec/mcs-api.md §3).
 */
const oracleServed = (exporters: readonly Exporter[], exporter: Exporter): readonly Served[] =>
  servedOf(exporters, exporter, exporter.groups);

/**
 * The endpoints that agents may use in place of a cluster's ClusterIP (docs/spec/wire.md §8.1): its
 * Pods, by the same rule, of the families in which the ClusterIP itself serves anything.
 */
const oracleBehind = (exporters: readonly Exporter[], exporter: Exporter): readonly Served[] => {
  const families = new Set(oracleServed(exporters, exporter).map(({ addressType }) => addressType));
  return servedOf(exporters, exporter, exporter.behind).filter(({ addressType }) => families.has(addressType));
};

const servedOf = (
  exporters: readonly Exporter[],
  exporter: Exporter,
  groups: readonly ExporterGroup[],
): readonly Served[] => {
  if (!addressesUsable(exporters, exporter)) return [];
  const exposed = oracleExposed(exporters, exporter);
  return groups.flatMap(({ addressType, ready, notReady, ports }) =>
    ports
      .map(({ name = '', protocol = 'TCP', port }) => ({ name, protocol, port }))
      .filter((port) => exposed.some(({ name, protocol }) => name === port.name && protocol === port.protocol))
      .flatMap((port) => [
        ...ready.map((address) => ({ ...port, address, addressType, ready: true })),
        ...notReady.map((address) => ({ ...port, address, addressType, ready: false })),
      ]),
  );
};

const setText = (values: readonly unknown[]): string =>
  JSON.stringify(values.map((value) => JSON.stringify(value)).toSorted());
const disagree = (values: readonly string[]): boolean => values.some((a) => values.some((b) => a !== b));

/**
 * What exporters must agree about, by the reason of the condition `Conflict` for a disagreement, in
 * the order of docs/spec/mcs-api.md §2. Absent and the default of Kubernetes are equal. IP
 * families: if two clusters have different ones, the backends of one cannot be reached over a
 * family of the other. A cluster without the field has IPv4 (types.ts).
 */
const compared: Readonly<Record<ConflictReason, (exporter: Exporter) => string>> = {
  PortConflict: ({ ports }) => setText(ports.map(toOraclePort)),
  TypeConflict: ({ headless }) => String(headless),
  SessionAffinityConflict: ({ sessionAffinity = 'None' }) => sessionAffinity,
  SessionAffinityConfigConflict: ({ sessionAffinityConfig: config }) =>
    String(config?.clientIP?.timeoutSeconds ?? 10_800),
  AnnotationsConflict: ({ exportedAnnotations = {} }) => setText(Object.entries(exportedAnnotations)),
  LabelsConflict: ({ exportedLabels = {} }) => setText(Object.entries(exportedLabels)),
  InternalTrafficPolicyConflict: ({ internalTrafficPolicy = 'Cluster' }) => internalTrafficPolicy,
  TrafficDistributionConflict: ({ trafficDistribution = '' }) => trafficDistribution,
  IPFamilyConflict: ({ ipFamilies = ['IPv4'] }) => setText(ipFamilies),
};

/** The reasons of the condition `Conflict`: each field on which two exporters differ. */
export const oracleReasons = (exporters: readonly Exporter[]): readonly string[] =>
  Object.entries(compared)
    .filter(([, valueOf]) => disagree(exporters.map(valueOf)))
    .map(([reason]) => reason);

/**
 * The facts that the texts require of the merge of one Service, in a form in which two equal
 * results are equal text.
 */
export interface Verdict {
  readonly import: {
    readonly type: string;
    readonly ports: readonly OraclePort[];
    readonly whole: Pick<ExportedServiceSpec, WholeField>;
  };
  readonly exportedLabels: Readonly<Record<string, string>>;
  readonly exportedAnnotations: Readonly<Record<string, string>>;
  /** For Antrea members: without the source cluster, ready addresses only. */
  readonly merged: readonly string[];
  readonly clusters: Readonly<Record<string, ClusterVerdict>>;
}

interface ClusterVerdict {
  readonly accepted: readonly string[];
  readonly status: string;
  readonly reason: string;
  readonly served: readonly string[];
  /** For agents alone. */
  readonly behind: readonly string[];
}

const isReady = ({ ready }: Served): boolean => ready;

/** Sorted texts, each once. */
export const servedTexts = (served: readonly Served[]): readonly string[] =>
  [
    ...new Set(
      served.map(
        (one) =>
          `${one.addressType} ${one.address} ${one.ready ? 'ready' : 'not ready'} for ${one.name}/${one.protocol}/${String(one.port)}`,
      ),
    ),
  ].toSorted();

/**
 * The verdict of the texts. Requires at least one exporter. Whole-value fields are those of the
 * oldest (docs/spec/mcs-api.md §3).
 */
export const oracleVerdict = (exporters: readonly Exporter[]): Verdict => {
  const [oldest] = byPrecedence(exporters);
  if (oldest === undefined) throw new Error('the oracle needs an exporter');
  const reasons = oracleReasons(exporters);
  return {
    import: {
      type: oldest.headless ? 'Headless' : 'ClusterSetIP',
      ports: oraclePorts(exporters),
      whole: wholeOf(oldest),
    },
    exportedLabels: oldest.exportedLabels ?? {},
    exportedAnnotations: oldest.exportedAnnotations ?? {},
    // The leader derives the IPv4 part if a member sends only slices (types.ts, ExportedEndpoints).
    merged: servedTexts(
      exporters.flatMap((exporter) =>
        oracleServed(exporters, exporter)
          .filter(isReady)
          .filter(({ addressType }) => exporter.sends !== 'slices' || addressType === 'IPv4'),
      ),
    ),
    clusters: Object.fromEntries(
      exporters.map((exporter) => [
        exporter.clusterID,
        {
          accepted: addressesUsable(exporters, exporter)
            ? oracleExposed(exporters, exporter)
                .map(({ name }) => name)
                .toSorted()
            : [],
          // On all exporters, whichever of them differ.
          status: reasons.length > 0 ? 'True' : 'False',
          reason: reasons.length > 0 ? reasons.join(',') : 'NoConflicts',
          // Subsets contain only ready addresses.
          served: servedTexts(
            oracleServed(exporters, exporter).filter((one) => one.ready || exporter.sends !== 'subsets'),
          ),
          behind: servedTexts(oracleBehind(exporters, exporter)),
        },
      ]),
    ),
  };
};
