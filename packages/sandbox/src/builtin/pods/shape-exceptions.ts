import type { ShapeExceptions } from '../shape/shape-errors.ts';

/** The real server's (1.36) differences from the shape of the OpenAPI definitions of Pods. */
export const shapeExceptions: ShapeExceptions = {
  unchecked: new Set([
    // May be empty.
    'v1.HTTPHeader.value',
    'v1.Sysctl.value',
    // Have a rule in part-rules.ts.
    'v1.HTTPHeader.name',
    'v1.HostAlias.ip',
    'v1.LabelSelectorRequirement.key',
    'v1.LabelSelectorRequirement.operator',
    'v1.PodAffinityTerm.topologyKey',
    'v1.Toleration.operator',
    'v1.TopologySpreadConstraint.topologyKey',
  ]),
  order: {
    'v1.DNSPolicy': ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
    'v1.PreemptionPolicy': ['PreemptLowerPriority', 'Never'],
    'v1.RestartPolicy': ['Always', 'OnFailure', 'Never'],
    'v1.TaintEffect': ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
    'v1.TerminationMessagePolicy': ['File', 'FallbackToLogsOnError'],
  },
};
