/**
 * The examples of each whole-value field for the tests of the merge and of the import. A field
 * without a row does not compile. Test-only.
 */
import * as fc from 'fast-check';
import type { ExportedServiceSpec } from '../types.ts';
import type { WholeField } from '../fields/whole-fields.ts';

export interface WholeFieldExamples {
  /**
   * A value that is not the default, with the fields that a Service must have beside it; members
   * import it unchanged.
   */
  readonly set: ExportedServiceSpec;
  /**
   * The value of an imported Service that had {@link set}, after the import has no value any more.
   */
  readonly unset: unknown;
  /**
   * Exports that differ in nothing else; west is older. `imported`: the fields that members import.
   */
  readonly differ: {
    readonly west: ExportedServiceSpec;
    readonly east: ExportedServiceSpec;
    readonly imported: ExportedServiceSpec;
    readonly reason: string;
    readonly message: string;
  };
  /** Exports that agree, though their content need not be equal. */
  readonly agree: Examples<readonly [what: string, ExportedServiceSpec, ExportedServiceSpec]>;
  /** Values that are not valid, and how they are reported. */
  readonly invalid: Examples<readonly [what: string, spec: unknown, message: string]>;
  /** As long as a value may be; another value for each `nth` from 0 to 6. */
  readonly longest: (nth: number) => ExportedServiceSpec;
  /**
   * Values that Services have, including defaults and absence, without the fields that are required
   * beside them.
   */
  readonly values: readonly unknown[];
}

/** At least one. */
type Examples<T> = readonly [T, ...T[]];

/** A Service whose clients stay at one endpoint for this time. */
export function clientIP(timeoutSeconds: number) {
  return { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds } } } as const;
}

const wholeFieldExamples: Readonly<Record<WholeField, WholeFieldExamples>> = {
  sessionAffinity: {
    set: { sessionAffinity: 'ClientIP' },
    unset: 'None',
    differ: {
      west: { sessionAffinity: 'ClientIP' },
      east: { sessionAffinity: 'None' },
      imported: { sessionAffinity: 'ClientIP' },
      reason: 'SessionAffinityConflict',
      message: 'Field sessionAffinity is ClientIP in west (exported first) and None in east',
    },
    agree: [['no affinity and None', {}, { sessionAffinity: 'None' }]],
    invalid: [
      [
        'sessionAffinity',
        { sessionAffinity: 'Sticky' },
        'sessionAffinity of the Service: "Sticky" is not None or ClientIP; ignored',
      ],
    ],
    // A timeout is only valid beside ClientIP.
    longest: () => ({ sessionAffinity: 'ClientIP' }),
    values: [undefined, 'None', 'ClientIP'],
  },
  sessionAffinityConfig: {
    set: clientIP(60),
    unset: undefined,
    differ: {
      west: clientIP(10),
      east: { sessionAffinity: 'ClientIP' },
      imported: clientIP(10),
      reason: 'SessionAffinityConfigConflict',
      message: 'Field sessionAffinityConfig.clientIP.timeoutSeconds is 10 in west (exported first) and 10800 in east',
    },
    agree: [['no time-out and 10800', { sessionAffinity: 'ClientIP' }, clientIP(10_800)]],
    invalid: [
      [
        'a time-out beside None',
        { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } },
        'sessionAffinityConfig.clientIP.timeoutSeconds of the Service: only valid if sessionAffinity is ClientIP; ignored',
      ],
      [
        'a time-out of 86401 s',
        clientIP(86_401),
        'sessionAffinityConfig.clientIP.timeoutSeconds of the Service: 86401 is not a number from 1 to 86400; ignored',
      ],
      [
        'a time-out of 0 s',
        clientIP(0),
        'sessionAffinityConfig.clientIP.timeoutSeconds of the Service: 0 is not a number from 1 to 86400; ignored',
      ],
    ],
    longest: (nth) => clientIP(nth + 1),
    values: [undefined, { clientIP: { timeoutSeconds: 10_800 } }, { clientIP: { timeoutSeconds: 10 } }],
  },
  internalTrafficPolicy: {
    set: { internalTrafficPolicy: 'Local' },
    unset: 'Cluster',
    differ: {
      west: {},
      east: { internalTrafficPolicy: 'Local' },
      imported: {},
      reason: 'InternalTrafficPolicyConflict',
      message: 'Field internalTrafficPolicy is Cluster in west (exported first) and Local in east',
    },
    agree: [['no internalTrafficPolicy and Cluster', {}, { internalTrafficPolicy: 'Cluster' }]],
    invalid: [
      [
        'internalTrafficPolicy',
        { internalTrafficPolicy: 7 },
        'internalTrafficPolicy of the Service: 7 is not Cluster or Local; ignored',
      ],
    ],
    longest: (nth) => ({ internalTrafficPolicy: nth === 0 ? 'Local' : 'Cluster' }),
    values: [undefined, 'Cluster', 'Local'],
  },
  trafficDistribution: {
    set: { trafficDistribution: 'PreferClose' },
    unset: undefined,
    differ: {
      west: { trafficDistribution: 'PreferClose' },
      east: {},
      imported: { trafficDistribution: 'PreferClose' },
      reason: 'TrafficDistributionConflict',
      message: 'Field trafficDistribution is PreferClose in west (exported first) and not set in east',
    },
    // Absent differs from every value.
    agree: [
      ['one trafficDistribution', { trafficDistribution: 'PreferClose' }, { trafficDistribution: 'PreferClose' }],
    ],
    invalid: [
      [
        'trafficDistribution',
        { trafficDistribution: 'to the\nmoon' },
        'trafficDistribution of the Service: "to the\\nmoon" is not a qualified name; ignored',
      ],
    ],
    longest: (nth) => ({ trafficDistribution: `${'a.'.repeat(126)}a/${String(nth).padStart(63, 'x')}` }),
    values: [undefined, 'PreferClose', 'PreferSameZone'],
  },
};

/** The rows, by field. */
export const wholeFieldRows = Object.entries(wholeFieldExamples) as readonly (readonly [
  WholeField,
  WholeFieldExamples,
])[];

/** Fields of Services as an API server accepts them. */
export const wholeFieldValues: fc.Arbitrary<Pick<ExportedServiceSpec, WholeField>> = fc
  .record(Object.fromEntries(wholeFieldRows.map(([field, { values }]) => [field, fc.constantFrom(...values)])))
  // A timeout is only allowed beside ClientIP.
  .map((fields: Pick<ExportedServiceSpec, WholeField>) =>
    fields.sessionAffinity === 'ClientIP' ? fields : { ...fields, sessionAffinityConfig: undefined },
  );
