import type { Finding } from '../../finding.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { Move } from '../order/move.ts';
import type { Content } from './content.ts';

/**
 * A component that runs in a Namespace for which the bundle has no workload of it: what runs there
 * would stay as it is, and applying the manifest would install the component a second time. Other
 * tools than our own applier know themselves where they have installed it.
 */
export function otherNamespaceFindings(
  { component, cluster }: Pick<Move, 'component' | 'cluster'>,
  { all }: Pick<Content, 'all'>,
): readonly Finding[] {
  if (cluster === undefined || component.method !== 'apply') return [];
  const live = cluster.components.find(({ id }) => id === component.id)?.live ?? [];
  const wanted = new Set(
    component.workloads.length > 0
      ? component.workloads.map(({ namespace }) => namespace)
      : all.filter(isWorkload).map(({ metadata }) => metadata.namespace ?? 'default'),
  );
  const others = [...new Set(live.flatMap(({ namespace }) => namespace ?? []))].filter((one) => !wanted.has(one));
  if (wanted.size === 0 || others.length === 0) return [];
  const [here, there] = [others, [...wanted]].map((names) => names.toSorted().join(', '));
  return [
    planFinding(
      'plan.other-namespace',
      'block',
      { cluster: cluster.name, component: component.id },
      {
        why: `${component.id} runs in Namespace ${here ?? ''}, but the bundle has it in ${there ?? ''}: it would be installed a second time, and the running one would not be upgraded`,
        unblock: `use a bundle whose manifest and workloads have Namespace ${here ?? ''}, or move ${component.id} to ${there ?? ''} as its own documentation describes, first`,
      },
    ),
  ];
}

function isWorkload({ kind = '' }: { readonly kind?: string | undefined }): boolean {
  return ['Deployment', 'DaemonSet', 'StatefulSet'].includes(kind);
}
