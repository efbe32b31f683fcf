import type { EndpointSlicePayload, ServiceImportPort, Verdict } from '@isthmus/api';
import type { resourceExportStatus } from '@isthmus/api';
import type { ExportedMetadata } from './fields/exported-metadata.ts';
import type { MergeProblem } from './problems.ts';
import type { UntrustedWholeValues, WholeValues } from './fields/whole-fields.ts';

/**
 * The input and output of the merge, as plain JSON and independent of the resource definitions.
 * Inputs come from other clusters: the types describe the expected content, and the code trusts
 * none of it.
 */

/**
 * One port of an exported Service. It may contain `targetPort` and `nodePort`; they have no meaning
 * in other clusters and are ignored.
 */
export interface ExportedPort {
  /** Absent and empty mean the same: the unnamed port. Otherwise a DNS label. */
  readonly name?: string | undefined;
  /** TCP, UDP or SCTP; the default is TCP. */
  readonly protocol?: string | undefined;
  readonly port: number;
  readonly targetPort?: number | string | undefined;
  /** A qualified name; anything else counts as absent. Absent differs from every value. */
  readonly appProtocol?: string | undefined;
}

/**
 * The part of `serviceSpec` on a Service ResourceExport that the merge reads: the fields here and
 * the whole-value fields of `whole-fields.ts`. An Antrea member fills only `ports`.
 */
export interface ExportedServiceSpec extends UntrustedWholeValues {
  readonly ports?: readonly ExportedPort[] | undefined;
  /**
   * ExternalName cannot be exported: an export with it is left out. Every other value is accepted
   * and ignored.
   */
  readonly type?: string | undefined;
  /** `None` here, or first in `clusterIPs`, means headless. Any other value means ClusterSetIP. */
  readonly clusterIP?: string | undefined;
  readonly clusterIPs?: readonly string[] | undefined;
  /**
   * IPv4, IPv6 or both; the order does not matter; absent compares equal to IPv4 (the only family
   * that Antrea exports).
   */
  readonly ipFamilies?: readonly string[] | undefined;
}

export interface ExportedEndpointPort {
  /** The name of the Service port that it serves. */
  readonly name?: string | null | undefined;
  readonly port?: number | null | undefined;
  readonly protocol?: string | null | undefined;
  readonly appProtocol?: string | null | undefined;
}

/**
 * `spec.endpoints.subsets[]` of an Endpoints ResourceExport: the form that every peer understands.
 */
export interface ExportedSubset {
  readonly addresses?: readonly { readonly ip: string }[] | undefined;
  readonly notReadyAddresses?: readonly { readonly ip: string }[] | undefined;
  readonly ports?: readonly ExportedEndpointPort[] | undefined;
}

/** `spec.endpointSlices[]` of an Endpoints ResourceExport: our own members only. */
export interface ExportedEndpointSlice {
  readonly addressType: string;
  readonly endpoints?: readonly ExportedEndpoint[] | undefined;
  readonly ports?: readonly ExportedEndpointPort[] | null | undefined;
  /** If the endpoints are ClusterIPs: the Pods behind them. */
  readonly pods?: readonly Omit<ExportedEndpointSlice, 'addressType' | 'pods'>[] | undefined;
}

interface ExportedEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions | undefined;
  readonly hostname?: string | undefined;
  readonly zone?: string | undefined;
}

/** `ready` absent means ready. */
export type EndpointConditions = NonNullable<PayloadEndpoint['conditions']>;

/**
 * The export of one cluster under the name of one Service, as the leader reads it. Absent labels
 * and annotations compare equal to empty ones.
 */
export interface ExportedService extends ExportedMetadata {
  /** A DNS subdomain of at most 63 characters; an export with any other ID is left out. */
  readonly clusterID: string;
  /** RFC 3339, see age.ts. A text that is not a time counts as younger than every time. */
  readonly firstExported: string;
  readonly service: ExportedServiceSpec;
  /**
   * The kind of the endpoint addresses of a Service that is not headless; ClusterIP if absent.
   * Those of a headless Service are always Pod IPs. Only matters if the merged Service is headless:
   * a ClusterIP cannot be used there.
   */
  readonly endpointIPType?: 'ClusterIP' | 'PodIP' | undefined;
  /** Absent until the Endpoints ResourceExport exists. */
  readonly endpoints?: ExportedEndpoints | undefined;
}

export interface ExportedEndpoints {
  /** Absent: made from the ready IPv4 endpoints of `endpointSlices`. */
  readonly subsets?: readonly ExportedSubset[] | undefined;
  /** Absent: made from `subsets`. */
  readonly endpointSlices?: readonly ExportedEndpointSlice[] | undefined;
}

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** A port of the merged import. `name` is absent for the unnamed port, never empty. */
export interface MergedPort extends Omit<ServiceImportPort, 'protocol'> {
  readonly protocol: Protocol;
}

/**
 * `spec` of the merged ServiceImport. `ips` and `ipFamilies` are each member's own and are not part
 * of it.
 */
interface MergedImport extends WholeValues {
  readonly type: 'ClusterSetIP' | 'Headless';
  readonly ports: readonly MergedPort[];
}

type PayloadPort = NonNullable<EndpointSlicePayload['ports']>[number];
type PayloadEndpoint = EndpointSlicePayload['endpoints'][number];

/** `port` is that of the exporter's endpoints: a target port if they are Pods. */
export interface MergedEndpointPort extends Omit<PayloadPort, 'port' | 'protocol'> {
  readonly port: number;
  readonly protocol: Protocol;
}

/** At least one address and at least one port. */
export interface MergedSubset {
  readonly addresses: readonly { readonly ip: string }[];
  readonly ports: readonly MergedEndpointPort[];
}

/**
 * At least one endpoint; at most one slice per address family and set of ports, for any number of
 * endpoints. Endpoints that are not ready are included. `ports` is empty only for a headless
 * Service that exposes none.
 */
export interface MergedEndpointSlice extends MergedPods {
  readonly addressType: 'IPv4' | 'IPv6';
  /**
   * The Pods behind endpoints that are ClusterIPs, with the first slice of the family; absent if
   * there are none.
   */
  readonly pods?: readonly MergedPods[] | undefined;
}

/** Endpoints of one family that share their ports. */
export interface MergedPods {
  readonly endpoints: readonly MergedEndpoint[];
  readonly ports: readonly MergedEndpointPort[];
}

export type MergedEndpoint = PayloadEndpoint;

/** The condition without its times and generation, which its writer adds. */
export type ConflictCondition = { readonly type: 'Conflict' } & Verdict<typeof resourceExportStatus, 'Conflict'>;

/**
 * The result of merging the exports of one Service; labels and annotations are those of the oldest
 * export. Maps have one entry per usable export, in the order of cluster IDs.
 */
export interface Merged extends ExportedMetadata {
  /** Absent if no export is usable. */
  readonly import?: MergedImport | undefined;
  /**
   * Names of the merged ports (empty for the unnamed one) that the cluster's endpoints serve: those
   * whose name, protocol and number it exposes. Empty if the merged Service is headless and its
   * endpoints are ClusterIPs.
   */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * The merged Endpoints for Antrea members: ready addresses only, sorted by source cluster, then
   * by ports.
   */
  readonly subsets: readonly MergedSubset[];
  /**
   * The slices that each source cluster contributes, for our members. No slices at all if it has no
   * endpoint, ready or not.
   */
  readonly perCluster: ReadonlyMap<string, readonly MergedEndpointSlice[]>;
  /** The same condition for each exporter. */
  readonly conflicts: ReadonlyMap<string, ConflictCondition>;
  readonly problems: readonly MergeProblem[];
}
