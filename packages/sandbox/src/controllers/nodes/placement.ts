import type { Node, NodeSelectorTerm, Placement, Taint, Toleration } from '../kinds.ts';
import { conditionOf } from '@isthmus/machinery';

/**
 * The reason why a Pod does not fit on a Node, in the words of kube-scheduler; undefined if it
 * fits.
 */
export function misfit(spec: Placement, node: Node): string | undefined {
  if (!matchesNode(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = taintsOf(node).find(
    (one) => one.effect !== 'PreferNoSchedule' && !isTolerated(one, spec.tolerations ?? []),
  );
  return taint === undefined ? undefined : `node(s) had untolerated taint(s)`;
}

/** Whether the selector and the required affinity of a Pod allow a Node. */
export function matchesNode({ nodeSelector = {}, affinity }: Placement, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** The taints in the spec, and those that the state of the Node implies. */
function taintsOf({ spec, status }: Node): readonly Taint[] {
  const taints = [...(spec?.taints ?? [])];
  const imply = (key: string) => {
    if (!taints.some((taint) => taint.key === key)) taints.push({ key, effect: 'NoSchedule' });
  };
  if (spec?.unschedulable === true) imply('node.kubernetes.io/unschedulable');
  if (conditionOf(status?.conditions, 'Ready')?.status !== 'True') imply('node.kubernetes.io/not-ready');
  return taints;
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const meets = (
    { operator, values = [] }: { operator: string; values?: readonly string[] | undefined },
    value: string | undefined,
  ) => {
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'Gt':
        return value !== undefined && Number(value) > Number(values[0]);
      case 'Lt':
        return value !== undefined && Number(value) < Number(values[0]);
      default:
        return false;
    }
  };
  return (
    matchExpressions.every((one) => meets(one, metadata.labels?.[one.key])) &&
    matchFields.every((one) => one.key === 'metadata.name' && meets(one, metadata.name))
  );
}
