import type { KubernetesObject } from '@isthmus/machinery';
import type { Component } from '../../bundle/component.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import type { Removal } from '../../immutable/removal-order.ts';
import { nameOf, removalOrder } from '../../immutable/removal-order.ts';
import { identity } from './cluster-content.ts';
import type { Content } from './content.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { leftAlone, targetsOf } from '../input/planner-context.ts';
import type { Prune } from '../input/plan-input.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** What earlier versions brought to a cluster and the bundle does not have. */
export interface LeftOver {
  readonly cluster: ClusterSnapshot;
  readonly objects: readonly KubernetesObject[];
}

/**
 * What is left over in each cluster once it has the bundle: objects of the manifests of what runs now, as the other bundles at hand have them, that no
 * manifest of the target has. Only of components that our own applier upgrades: other tools remove what is theirs. Nothing is said of a cluster for
 * which a manifest of the target is not at hand.
 */
export function leftOvers(context: PlannerContext, contentOf: (component: Component) => Content): readonly LeftOver[] {
  return context.clusters
    .filter((cluster) => leftAlone(cluster, context.input) === undefined)
    .flatMap((cluster) => {
      const targets = targetsOf(cluster, context).components.filter(({ method }) => method === 'apply');
      const next = targets.map(contentOf);
      if (next.some(({ missing }) => missing.length > 0)) return [];
      const kept = new Set(next.flatMap(({ all }) => all.map(identity)));
      const before = cluster.components
        .filter(({ skip }) => skip === undefined)
        .flatMap((installed) =>
          runningOf(installed).flatMap(({ version }) => context.atVersion(installed.id, version.text)?.component ?? []),
        )
        .filter(({ method }) => method === 'apply');
      const gone = before
        .flatMap((component) => contentOf(component).all)
        .filter((one) => one.kind !== 'Namespace' && !kept.has(identity(one)));
      const objects = [...new Map(gone.map((one) => [identity(one), one])).values()];
      return objects.length === 0 ? [] : [{ cluster, objects }];
    });
}

/** What becomes of what is left over: told, where nobody asked for more. */
export function leftOverFindings(left: readonly LeftOver[], prune: Prune | undefined): readonly Finding[] {
  return left.flatMap(({ cluster, objects }): readonly Finding[] => {
    const subject = { cluster: cluster.name };
    if (prune === undefined) {
      const names = objects.map(nameOf).toSorted();
      const why = `the running versions contain ${names.length === 1 ? 'an object' : `${names.length} objects`} that the bundle does not have: ${names.join(', ')}; they are kept`;
      return [planFinding('plan.left-over', 'info', subject, { why, unblock: 'use --prune to remove them' })];
    }
    const { kept, findings } = removalOf({ cluster, objects }, prune);
    const reported = kept.map(({ object, why }) =>
      planFinding(
        'plan.kept',
        'warn',
        { ...subject, object },
        {
          why: `the bundle does not have ${object}, and it is kept: ${why}`,
          unblock: `use --prune-crd ${object} if its objects can be deleted`,
        },
      ),
    );
    return [...reported, ...findings];
  });
}

/** The removal of what is left over, a step for each phase; objects that go with their CRD are kept aside first. */
export function removalSteps(left: readonly LeftOver[], prune: Prune | undefined): readonly StepDraft[] {
  if (prune === undefined) return [];
  return left.flatMap((one): readonly StepDraft[] => {
    const { cluster } = one;
    const place = { group: 'post-steps' as const, lane: cluster.name, cluster: cluster.name };
    const { phases } = removalOf(one, prune);
    const going = phases.find(({ phase }) => phase === 'definitions')?.objects ?? [];
    const withObjects = going.filter((name) => prune.withObjects.includes(name) && cluster.objectCounts[name] !== 0);
    return [
      ...(withObjects.length === 0
        ? []
        : [
            draft({
              ...place,
              kind: 'backup',
              title: `Save the objects of ${withObjects.join(', ')} in ${cluster.name}`,
              why: 'they are deleted with their CRD',
              objects: withObjects,
            }),
          ]),
      ...phases.map(({ phase, objects, until }, at) =>
        draft({
          ...place,
          kind: 'clean-up',
          title: `Remove ${words[phase]} in ${cluster.name} that the bundle does not have`,
          why: 'custom resources are removed while their controller still clears finalizers, then webhooks, workloads, other objects, and CRDs last',
          objects: [...objects],
          gates: [{ id: 'gone', at: 'after', kind: 'ready', what: `${capital(until)}.` }],
          irreversible:
            at === 0 && withObjects.length > 0 ? [`the objects of ${withObjects.join(', ')} are deleted`] : [],
        }),
      ),
    ];
  });
}

/** What runs in clusters and is not a part of the bundle; parts of Kubernetes, which a bundle need not have, are left out. */
export function strangerFindings({ clusters, byId }: PlannerContext): readonly Finding[] {
  return clusters.flatMap((cluster) =>
    cluster.components
      .filter(({ id, type = id }) => !byId.has(id) && !/^(?:kube-|kubelet$|cloud-controller-manager$|etcd$)/.test(type))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id }) =>
        planFinding(
          'plan.not-in-bundle',
          'info',
          { cluster: cluster.name, component: id },
          {
            why: `the bundle does not have ${id}: it is not changed`,
          },
        ),
      ),
  );
}

function removalOf({ cluster, objects }: LeftOver, { withObjects }: Prune): Removal {
  const { name, objectCounts } = cluster;
  return removalOrder(objects, { cluster: name, objectCounts, withObjects });
}

const words: Readonly<Record<Removal['phases'][number]['phase'], string>> = {
  'custom-resources': 'custom resources',
  webhooks: 'webhooks',
  workloads: 'workloads',
  others: 'objects of no workload',
  definitions: 'CRDs',
};

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
