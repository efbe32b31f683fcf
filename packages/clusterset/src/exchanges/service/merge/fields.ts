import { bytewise } from './precedence.ts';
import type { ConflictReason } from './types.ts';

export type StringMap = Readonly<Record<string, string>>;

/**
 * The fields of an exported Service that are merged as a whole: the oldest export's value wins, also where it has none (mcs-api.md §3).
 * Absent here means that the source has none, or none that is valid.
 */
export interface ServiceFields {
  readonly type: 'ClusterSetIP' | 'Headless';
  readonly sessionAffinity?: 'None' | 'ClientIP' | undefined;
  readonly sessionAffinityConfig?: { readonly clientIP: { readonly timeoutSeconds: number } } | undefined;
  readonly internalTrafficPolicy?: 'Cluster' | 'Local' | undefined;
  readonly trafficDistribution?: string | undefined;
  /** In a fixed order, without duplicates. */
  readonly ipFamilies?: readonly ('IPv4' | 'IPv6')[] | undefined;
  readonly exportedLabels?: StringMap | undefined;
  readonly exportedAnnotations?: StringMap | undefined;
}

/** How a field is compared between exports and told to people. */
export interface FieldRule {
  readonly reason: ConflictReason;
  readonly what: string;
  /** Exports agree when these are equal: absent is written as the default. */
  key(fields: ServiceFields): string;
  /** False where values are too long for a message. */
  readonly showsValue: boolean;
}

/** All rules but that of the ports, in the order of the reasons. */
export const fieldRules: readonly FieldRule[] = [
  { reason: 'TypeConflict', what: 'type', key: (fields) => fields.type, showsValue: true },
  {
    reason: 'SessionAffinityConflict',
    what: 'sessionAffinity',
    key: (fields) => fields.sessionAffinity ?? 'None',
    showsValue: true,
  },
  {
    reason: 'SessionAffinityConfigConflict',
    what: 'sessionAffinityConfig.clientIP.timeoutSeconds',
    key: (fields) => String(fields.sessionAffinityConfig?.clientIP.timeoutSeconds ?? defaultAffinitySeconds),
    showsValue: true,
  },
  {
    reason: 'AnnotationsConflict',
    what: 'exported annotations',
    key: (fields) => mapKey(fields.exportedAnnotations),
    showsValue: false,
  },
  {
    reason: 'LabelsConflict',
    what: 'exported labels',
    key: (fields) => mapKey(fields.exportedLabels),
    showsValue: false,
  },
  {
    reason: 'InternalTrafficPolicyConflict',
    what: 'internalTrafficPolicy',
    key: (fields) => fields.internalTrafficPolicy ?? 'Cluster',
    showsValue: true,
  },
  {
    reason: 'TrafficDistributionConflict',
    what: 'trafficDistribution',
    key: (fields) => fields.trafficDistribution ?? 'not set',
    showsValue: true,
  },
  {
    // Sets that differ leave a family over which some backends cannot be reached; equal sets leave none.
    reason: 'IPFamilyConflict',
    what: 'ipFamilies',
    key: (fields) => (fields.ipFamilies ?? ['IPv4']).join(' and '),
    showsValue: true,
  },
];

/** Seconds for which Kubernetes keeps a client at its endpoint when ClientIP affinity tells no time. */
const defaultAffinitySeconds = 10_800;

function mapKey(map: StringMap | undefined): string {
  return JSON.stringify(Object.entries(map ?? {}).sort((a, b) => bytewise(a[0], b[0])));
}
