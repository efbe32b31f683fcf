import type { ServiceImportSpec, ServiceSpec } from '@isthmus/api';
import type { Problems } from '../problems.ts';
import type { ConflictReason } from '../conflict-reasons.ts';
import { isAbsent, isQualifiedName, recordOf, shown } from '../../../untrusted.ts';

/**
 * The fields of an imported Service that are merged as whole values: the oldest export decides
 * them. The others have rules of their own: `type` follows from the ClusterIP, `ports` are united,
 * `ips` and `ipFamilies` are each member's own.
 */
export type WholeField = Exclude<keyof ServiceImportSpec, 'type' | 'ports' | 'ips' | 'ipFamilies'>;

/** Fields of untrusted JSON. */
type Json = Readonly<Record<string, unknown>>;

/**
 * How one field gets from the exporting Service to the imported one. A field that is added to the
 * schema of ServiceImports needs a row in {@link wholeFields}; the exchange then includes it.
 */
export interface WholeFieldRule<Value> {
  /** The value that the exporting member publishes. */
  readonly exported: (service: ServiceSpec) => unknown;
  /**
   * The value that the leader reads from an exported `serviceSpec`: absent if it is not valid,
   * which is reported.
   */
  readonly read: (spec: Json, problems: Problems) => Value | undefined;
  /** How conflicts about the field are found and reported. */
  readonly conflict: {
    readonly reason: ConflictReason;
    /** The name of the field in messages. */
    readonly what: string;
    /** Exports agree if these are equal: absent is written as the default. */
    readonly key: (value: Value | undefined) => string;
  };
  /**
   * The value that an importing member uses from an import: absent if its API server would reject
   * the whole Service for it, which is reported.
   */
  readonly usable: (spec: Json, complain: (why: string) => void) => Value | undefined;
  /**
   * The value of the imported Service, which is not headless. `had` is its present value, undefined
   * if the Service is new: a default of the API server is kept, so that reconciles do not remove it
   * each time.
   */
  readonly applied: (value: Value | undefined, context: AppliedContext) => unknown;
}

export interface AppliedContext {
  readonly spec: ServiceImportSpec;
  readonly had: ServiceSpec | undefined;
}

/**
 * Seconds for which Kubernetes keeps a client at its endpoint if ClientIP affinity has no timeout.
 */
const defaultAffinitySeconds = 10_800;
const maxAffinitySeconds = 86_400;

type Affinity = 'None' | 'ClientIP';
type TrafficPolicy = 'Cluster' | 'Local';
interface AffinityConfig {
  readonly clientIP: { readonly timeoutSeconds: number };
}

export const wholeFields = {
  /** None or ClientIP; absent compares equal to None. */
  sessionAffinity: {
    exported: (service) => service.sessionAffinity ?? 'None',
    read: oneOf<Affinity>('sessionAffinity', ['None', 'ClientIP']),
    conflict: { reason: 'SessionAffinityConflict', what: 'Field sessionAffinity', key: (value) => value ?? 'None' },
    usable: oneKnown<Affinity>('sessionAffinity', ['None', 'ClientIP']),
    applied: (value, { had }) => value ?? (had === undefined ? undefined : 'None'),
  } satisfies WholeFieldRule<Affinity>,
  /**
   * Whole seconds from 1 to 86400; absent compares equal to 10800, whatever `sessionAffinity` is.
   * Only valid beside ClientIP, as in Kubernetes: dropped and reported otherwise.
   */
  sessionAffinityConfig: {
    exported: (service) => service.sessionAffinityConfig,
    read: readAffinityConfig,
    conflict: {
      reason: 'SessionAffinityConfigConflict',
      what: 'Field sessionAffinityConfig.clientIP.timeoutSeconds',
      key: (value) => String(value?.clientIP.timeoutSeconds ?? defaultAffinitySeconds),
    },
    usable(spec, complain) {
      const seconds = timeoutOf(spec);
      if (isAbsent(seconds)) return undefined;
      if (isTimeout(seconds)) return { clientIP: { timeoutSeconds: seconds } };
      complain(unknownHere('timeoutSeconds', seconds));
      return undefined;
    },
    applied(value, { spec, had }) {
      if (spec.sessionAffinity !== 'ClientIP') return undefined;
      // The API server sets the default if the field is absent.
      const hadConfig = had?.sessionAffinity === 'ClientIP' && had.sessionAffinityConfig !== undefined;
      return value ?? (hadConfig ? { clientIP: { timeoutSeconds: defaultAffinitySeconds } } : undefined);
    },
  } satisfies WholeFieldRule<AffinityConfig>,
  /** Cluster or Local; absent compares equal to Cluster. */
  internalTrafficPolicy: {
    exported: (service) => service.internalTrafficPolicy,
    read: oneOf<TrafficPolicy>('internalTrafficPolicy', ['Cluster', 'Local']),
    conflict: {
      reason: 'InternalTrafficPolicyConflict',
      what: 'Field internalTrafficPolicy',
      key: (value) => value ?? 'Cluster',
    },
    usable: oneKnown<TrafficPolicy>('internalTrafficPolicy', ['Cluster', 'Local']),
    applied: (value, { had }) => value ?? (had?.internalTrafficPolicy === undefined ? undefined : 'Cluster'),
  } satisfies WholeFieldRule<TrafficPolicy>,
  /** A qualified name such as PreferClose; absent differs from every value. */
  trafficDistribution: {
    exported: (service) => service.trafficDistribution,
    read(spec, problems) {
      const { trafficDistribution: value } = spec;
      if (isQualifiedName(value)) return value;
      if (!isAbsent(value))
        problems.add(`trafficDistribution of the Service: ${shown(value)} is not a qualified name; ignored`);
      return undefined;
    },
    conflict: {
      reason: 'TrafficDistributionConflict',
      what: 'Field trafficDistribution',
      key: (value) => value ?? 'not set',
    },
    usable: oneKnown<string>('trafficDistribution', ['PreferClose', 'PreferSameZone', 'PreferSameNode']),
    applied: (value) => value,
  } satisfies WholeFieldRule<string>,
} as const satisfies Readonly<Record<WholeField, unknown>>;

/** The valid values of the fields; absent if the source has none. */
export type WholeValues = {
  readonly [Field in WholeField]?: NonNullable<ReturnType<(typeof wholeFields)[Field]['read']>> | undefined;
};

/**
 * The fields as another cluster may fill them: any text for an enumeration, and any part may be
 * absent.
 */
export type UntrustedWholeValues = Untrusted<WholeValues>;
type Untrusted<Value> = Value extends string
  ? string
  : Value extends object
    ? { readonly [Key in keyof Value]?: Untrusted<Value[Key]> | undefined }
    : Value;

/** A rule of any field. */
type AnyRule = WholeFieldRule<unknown>;

/** The names of the fields, in the order of their rules. */
export const wholeFieldNames = Object.keys(wholeFields) as readonly WholeField[];

/** The rule of a field. A value that it returns may be given only to the rule of the same field. */
export function wholeFieldRule(field: WholeField): AnyRule {
  return wholeFields[field] as unknown as AnyRule;
}

/** One value for each field, without absent ones. */
export function wholeValues(valueOf: (rule: AnyRule, field: WholeField) => unknown): WholeValues {
  const entries = wholeFieldNames.map((field) => [field, valueOf(wholeFieldRule(field), field)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * The values of the fields in the imported Service, absent ones as undefined; see
 * {@link WholeFieldRule.applied}.
 */
export function appliedFields(spec: ServiceImportSpec, had: ServiceSpec | undefined): Partial<ServiceSpec> {
  const entries = wholeFieldNames.map((field) => [field, wholeFieldRule(field).applied(spec[field], { spec, had })]);
  return Object.fromEntries(entries);
}

function oneOf<Value extends string>(field: WholeField, allowed: readonly Value[]) {
  return (spec: Json, problems: Problems): Value | undefined => {
    const value = spec[field];
    const found = allowed.find((each) => each === value);
    if (found === undefined && !isAbsent(value)) {
      problems.add(`${field} of the Service: ${shown(value)} is not ${allowed.join(' or ')}; ignored`);
    }
    return found;
  };
}

function oneKnown<Value extends string>(field: WholeField, known: readonly Value[]) {
  return (spec: Json, complain: (why: string) => void): Value | undefined => {
    const value = spec[field];
    const found = known.find((each) => each === value);
    if (found === undefined && !isAbsent(value)) complain(unknownHere(field, value));
    return found;
  };
}

function unknownHere(field: string, value: unknown): string {
  return `${field} ${shown(value)} is not supported`;
}

function readAffinityConfig(spec: Json, problems: Problems): AffinityConfig | undefined {
  const timeoutSeconds = timeoutOf(spec);
  if (isAbsent(timeoutSeconds)) return undefined;
  const what = 'sessionAffinityConfig.clientIP.timeoutSeconds of the Service';
  if (spec['sessionAffinity'] !== 'ClientIP') {
    problems.add(`${what}: only valid if sessionAffinity is ClientIP; ignored`);
  } else if (!isTimeout(timeoutSeconds)) {
    problems.add(`${what}: ${shown(timeoutSeconds)} is not a number from 1 to ${maxAffinitySeconds}; ignored`);
  } else {
    return { clientIP: { timeoutSeconds } };
  }
  return undefined;
}

function timeoutOf(spec: Json): unknown {
  return recordOf(recordOf(spec['sessionAffinityConfig'])?.['clientIP'])?.['timeoutSeconds'];
}

/** Whole seconds, at most a day, like the validation of the API server. */
function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxAffinitySeconds;
}
