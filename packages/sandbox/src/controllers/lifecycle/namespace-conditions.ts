import type { BuiltInCondition } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';

/** The remaining objects of one resource in a Namespace that is being deleted. */
export interface Remaining {
  /** `plural.group`; with the dot even if the group is empty. */
  readonly resource: string;
  /** The finalizers of each object. */
  readonly finalizers: readonly (readonly string[])[];
}

type Condition = Omit<BuiltInCondition, 'lastTransitionTime'>;

/**
 * The conditions of a Namespace while it is being deleted, in the words and the order of
 * kube-controller-manager 1.36.
 */
export function namespaceConditions(
  before: readonly BuiltInCondition[] | undefined,
  remaining: readonly Remaining[],
  now: string,
): readonly BuiltInCondition[] {
  return [...fixed, contentCondition(remaining), finalizerCondition(remaining)].map((condition) => {
    const known = conditionOf(before, condition.type);
    const since = known?.status === condition.status ? known.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? now };
  });
}

const fixed: readonly Condition[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
];

function contentCondition(remaining: readonly Remaining[]): Condition {
  const type = 'NamespaceContentRemaining';
  if (remaining.length === 0) {
    return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
  }
  const parts = remaining.map(({ resource, finalizers }) => `${resource} has ${finalizers.length} resource instances`);
  const message = `Some resources are remaining: ${parts.toSorted().join(', ')}`;
  return { type, status: 'True', reason: 'SomeResourcesRemain', message };
}

function finalizerCondition(remaining: readonly Remaining[]): Condition {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const name of remaining.flatMap(({ finalizers }) => finalizers.flat())) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) {
    const message = 'All content-preserving finalizers finished';
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message };
  }
  const parts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${parts.toSorted().join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
