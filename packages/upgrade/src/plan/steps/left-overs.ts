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

/** The objects that earlier versions brought to a cluster and the bundle does not have. */
export interface LeftOver {
  readonly cluster: ClusterSnapshot;
  /** By the unit that brought them. */
  readonly parts: readonly LeftOverPart[];
}

/** The objects of a release: its CRDs, and the workloads that use their objects. */
interface LeftOverPart {
  readonly unit: string;
  readonly objects: readonly KubernetesObject[];
}

/**
 * The objects that are left over in each cluster once it has the bundle: objects of the manifests
 * of the running versions, taken from the other available bundles, that no manifest of the target
 * has. Only components that our own applier upgrades count: other tools remove their own objects. A
 * cluster is left out if a manifest of the target is not available.
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
      const seen = new Set(kept);
      const parts = [...Map.groupBy(before, ({ id, unit = id }) => unit)].map(([unit, components]) => {
        const gone = components
          .flatMap((component) => contentOf(component).all)
          .filter((one) => one.kind !== 'Namespace' && !seen.has(identity(one)));
        for (const one of gone) seen.add(identity(one));
        return { unit, objects: [...new Map(gone.map((one) => [identity(one), one])).values()] };
      });
      const left = parts.filter(({ objects }) => objects.length > 0);
      return left.length === 0 ? [] : [{ cluster, parts: left }];
    });
}

/**
 * The findings about left-over objects: they are only reported unless their removal was requested.
 */
export function leftOverFindings(left: readonly LeftOver[], prune: Prune | undefined): readonly Finding[] {
  const ofClusters = left.flatMap((one): readonly Finding[] => {
    const { cluster, parts } = one;
    const subject = { cluster: cluster.name };
    if (prune === undefined) {
      const names = parts.flatMap(({ objects }) => objects.map(nameOf)).toSorted();
      const why = `the running versions contain ${names.length === 1 ? 'an object' : `${names.length} objects`} that the bundle does not have: ${names.join(', ')}; they are kept`;
      return [planFinding('plan.left-over', 'info', subject, { why, unblock: 'use --prune to remove them' })];
    }
    const { kept, findings, staying } = removalOf(one, prune);
    const reported = kept.map(({ object, why }) =>
      planFinding(
        'plan.kept',
        'warn',
        { ...subject, object },
        {
          why: `the bundle does not have ${object}, and it is kept: ${why}`,
          unblock: `${cluster.objectCounts[object] === undefined ? 'take the snapshot with --object-counts, or ' : ''}use --prune-crd ${object} if its objects can be deleted`,
        },
      ),
    );
    const needed = staying.map(({ unit, names, definitions }) =>
      planFinding('plan.kept', 'warn', subject, {
        why: `the bundle does not have ${names.join(', ')} (${unit}), and they are kept: objects of ${definitions.join(', ')} stay, and their controller and webhooks with them`,
        unblock: `delete these objects first, or use --prune-crd ${definitions.join(',')}`,
      }),
    );
    return [...reported, ...needed, ...findings];
  });
  const names = new Set(left.flatMap(({ parts }) => parts.flatMap(({ objects }) => objects.map(nameOf))));
  const idle = prune?.withObjects.filter((name) => !names.has(name)) ?? [];
  return [...ofClusters, ...idle.map(idlePrune)];
}

/** A CRD that was to go with its objects, and that no cluster has left over. */
function idlePrune(name: string): Finding {
  const why = `${name} is not removed: the bundle has it, or no cluster of this plan runs a version that contains it`;
  return planFinding('plan.prune-crd', 'warn', { object: name }, { why, unblock: 'leave it out of --prune-crd' });
}

/**
 * The removal of left-over objects, a step for each phase; objects that are removed with their CRD
 * are backed up first.
 */
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

/**
 * Reports components that run in clusters and are not a part of the bundle. Parts of Kubernetes,
 * which a bundle need not have, are left out.
 */
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

/** The objects of a unit beside its CRDs, which stay because objects of CRDs stay. */
interface Staying {
  readonly unit: string;
  readonly names: readonly string[];
  /** The CRDs whose objects stay. */
  readonly definitions: readonly string[];
}

/**
 * Decides which objects are removed. If a CRD stays with its objects, all objects of its unit stay
 * too, because its controller clears finalizers and its webhooks answer for them. A unit without
 * CRDs may contain that controller, so it stays as well.
 */
function removalOf(
  { cluster, parts }: LeftOver,
  { withObjects }: Prune,
): Removal & { readonly staying: readonly Staying[] } {
  const { name, objectCounts } = cluster;
  const options = { cluster: name, objectCounts, withObjects };
  const all = removalOrder(
    parts.flatMap(({ objects }) => objects),
    options,
  );
  const keptNames = all.kept.map(({ object }) => object);
  const stays = ({ objects }: LeftOverPart) => {
    const own = objects.filter(isDefinition).map(nameOf);
    return own.length === 0 ? keptNames.length > 0 : own.some((one) => keptNames.includes(one));
  };
  const going = parts.filter((part) => !stays(part)).flatMap(({ objects }) => objects);
  const staying = parts.filter(stays).flatMap(({ unit, objects }): readonly Staying[] => {
    const own = objects.filter(isDefinition).map(nameOf);
    const names = objects.filter((one) => !isDefinition(one)).map(nameOf);
    const definitions = keptNames.filter((one) => own.length === 0 || own.includes(one));
    return names.length === 0 ? [] : [{ unit, names: names.toSorted(), definitions }];
  });
  return { ...all, phases: removalOrder(going, options).phases, staying };
}

function isDefinition({ kind }: KubernetesObject): boolean {
  return kind === 'CustomResourceDefinition';
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
