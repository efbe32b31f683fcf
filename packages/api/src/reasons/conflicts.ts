import type { ReasonDefinition } from './define-status.ts';

/**
 * The reasons of the condition Conflict (MCS API), in the order in which several are joined. The
 * leader gives them, each exporting member passes them on.
 */
export const conflictReasons = {
  PortConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning:
      'The exports of the Service differ in their ports. The import has the ports of all exports; if two ports contradict each other, the port of the oldest export is used. Each cluster serves only the ports that it exports.',
    cure: 'Give the Service the same ports in every exporting cluster. The message names the ports and the clusters.',
  },
  TypeConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning:
      'Some clusters export a headless Service, others a Service with a ClusterIP. The oldest export wins; endpoints that do not match its type are not used.',
    cure: 'Make the Service headless in all exporting clusters, or in none. Its ClusterIP cannot be edited: delete the Service where it differs, and create it again.',
  },
  SessionAffinityConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning: 'The exports differ in `spec.sessionAffinity`. The value of the oldest export is used.',
    cure: 'Set the same `sessionAffinity` in every exporting cluster.',
  },
  SessionAffinityConfigConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning:
      'The exports differ in `spec.sessionAffinityConfig.clientIP.timeoutSeconds`. The value of the oldest export is used.',
    cure: 'Set the same timeout in every exporting cluster.',
  },
  AnnotationsConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning: 'The exports differ in their exported annotations. The annotations of the oldest export are used.',
    cure: 'Set the same `exportedAnnotations` on the ServiceExport of every exporting cluster.',
  },
  LabelsConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning: 'The exports differ in their exported labels. The labels of the oldest export are used.',
    cure: 'Set the same `exportedLabels` on the ServiceExport of every exporting cluster.',
  },
  InternalTrafficPolicyConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning: 'The exports differ in `spec.internalTrafficPolicy`. The value of the oldest export is used.',
    cure: 'Set the same `internalTrafficPolicy` in every exporting cluster.',
  },
  TrafficDistributionConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning: 'The exports differ in `spec.trafficDistribution`. The value of the oldest export is used.',
    cure: 'Set the same `trafficDistribution` in every exporting cluster.',
  },
  IPFamilyConflict: {
    on: ['Conflict=True'],
    severity: 'warning',
    meaning:
      'The exports differ in their IP families: endpoints of an export cannot be reached over a family that it lacks.',
    cure: 'Set the same `ipFamilies` in every exporting cluster, if the clusters support it.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<'Conflict'>>>;

type ConflictReasons = typeof conflictReasons;

/** The same on an object that also gets an Event for each. */
export const reportedConflictReasons = Object.fromEntries(
  Object.entries(conflictReasons).map(([reason, definition]) => [
    reason,
    { ...definition, on: ['Conflict=True', 'Event'] },
  ]),
) as unknown as {
  readonly [Reason in keyof ConflictReasons]: Omit<ConflictReasons[Reason], 'on'> & {
    readonly on: readonly ['Conflict=True', 'Event'];
  };
};
