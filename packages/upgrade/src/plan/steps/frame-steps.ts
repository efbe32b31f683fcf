import { fullVersion } from '../../bundle/components-of.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { leftAlone } from '../input/planner-context.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Move } from '../order/move.ts';
import { gitOpsManagers, readObjects } from './cluster-content.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** A cluster with what comes before and after its moves. */
export interface FramedCluster {
  readonly cluster: ClusterSnapshot;
  /** None where only its ClusterSet is held here. */
  readonly moves: readonly Move[];
  readonly held: readonly Held[];
}

/** The clusters that change, and those in which a ClusterSet is held that changes; by name. */
export function framedClusters(moves: readonly Move[], context: PlannerContext): readonly FramedCluster[] {
  const ofCluster = Map.groupBy(moves, ({ cluster }) => cluster?.name ?? '');
  const setOf = heldSets(moves, context);
  return context.clusters
    .filter(({ name }) => ofCluster.has(name) || setOf.has(name))
    .map((cluster) => {
      const own = ofCluster.get(cluster.name) ?? [];
      const isLeaderMoving = own.some(({ component }) => component.roles?.includes('leader') === true);
      const sets = (setOf.get(cluster.name) ?? []).map((set) => heldSet(set, isLeaderMoving));
      return { cluster, moves: own, held: [...sets, ...(own.length === 0 ? [] : heldTools(cluster, own))] };
    });
}

/**
 * The ClusterSets of which a leader or a member changes, by the cluster in which each is held: that
 * of its leader, also where the leader has its target, because the plan that upgraded it has left
 * its ClusterSet frozen until the members follow. Where the leader is left alone, the first one
 * that changes.
 */
function heldSets(moves: readonly Move[], { clusters, input }: PlannerContext): ReadonlyMap<string, readonly string[]> {
  const changing = moves.flatMap(({ cluster, component: { roles = [] } }) =>
    cluster?.clusterSet !== undefined && (roles.includes('leader') || roles.includes('member'))
      ? [{ set: cluster.clusterSet, name: cluster.name }]
      : [],
  );
  const bySet = Map.groupBy(changing, ({ set }) => set);
  const placed = [...bySet].map(([set, some]) => {
    const leader = clusters.find(
      (one) => one.clusterSet === set && one.roles.includes('leader') && leftAlone(one, input) === undefined,
    );
    const [first = ''] = some.map(({ name }) => name).toSorted();
    return { set, cluster: leader?.name ?? first };
  });
  return new Map(
    [...Map.groupBy(placed, ({ cluster }) => cluster)].map(([name, some]) => [name, some.map(({ set }) => set)]),
  );
}

/**
 * Pauses tools that would interfere, and keeps what a rollback needs
 * (docs/spec/upgrades.md §1.6, §2.3 G1).
 */
export function stepsBefore(clusters: readonly FramedCluster[], steps: readonly StepDraft[]): readonly StepDraft[] {
  const rewritten = new Set(steps.flatMap((one) => (one.irreversible.length > 0 ? (one.cluster ?? []) : [])));
  return clusters.flatMap(({ cluster, moves, held }) => {
    const place = { group: 'freeze' as const, lane: cluster.name, cluster: cluster.name };
    return [
      ...(held.length === 0
        ? []
        : [
            draft({
              ...place,
              kind: 'freeze',
              title: `Pause ${held.map(({ what }) => what).join(', ')} in ${cluster.name}`,
              why: held.map(({ why }) => why).join('; '),
              instructions: held.map(({ how }) => how).join(' '),
            }),
          ]),
      ...(moves.length > 0 && (isHub(cluster) || rewritten.has(cluster.name))
        ? [
            draft({
              ...place,
              kind: 'backup',
              title: `Save the data for a rollback of ${cluster.name}`,
              why: 'before any change: a later backup cannot undo a change of API versions',
              objects: [...keptIn(cluster)],
            }),
          ]
        : []),
    ];
  });
}

/**
 * The CRDs whose custom resources are backed up: those that the cluster has, and on a leader those
 * of a ClusterSet. If none are known, all custom resources.
 */
function keptIn({ definitions, objectCounts, roles }: ClusterSnapshot): readonly string[] {
  const known = [...readObjects(definitions).map(({ metadata }) => metadata.name), ...Object.keys(objectCounts)];
  const ofLeader = ['clustersets', 'resourceexports', 'resourceimports'].map(
    (one) => `${one}.multicluster.crd.antrea.io`,
  );
  const all = [...known, ...(roles.includes('leader') ? ofLeader : [])];
  return all.length > 0 ? [...new Set(all)].toSorted() : ['all custom resources'];
}

/** Records the versions that run now, then resumes what was paused. */
export function stepsAfter(clusters: readonly FramedCluster[]): readonly StepDraft[] {
  return clusters.flatMap(({ cluster, moves, held }) => {
    const place = { group: 'post-steps' as const, lane: cluster.name, cluster: cluster.name };
    const changed = [...new Set(moves.map(({ component }) => `${component.id} ${fullVersion(component)}`))];
    return [
      ...(changed.length === 0
        ? []
        : [
            draft({
              ...place,
              kind: 'record',
              title: `Record the versions of ${cluster.name}`,
              why: `for the next plan: ${changed.toSorted().join(', ')}`,
            }),
          ]),
      ...(held.length === 0
        ? []
        : [
            draft({
              ...place,
              kind: 'unfreeze',
              title: `Resume ${held.map(({ what }) => what).join(', ')} in ${cluster.name}`,
              why: 'tools that were paused before stay paused',
              instructions: held.map(({ release }) => release).join(' '),
            }),
          ]),
    ];
  });
}

function isHub({ roles }: ClusterSnapshot): boolean {
  return roles.includes('leader') || roles.includes('management');
}

/** A tool that is paused while a cluster is upgraded, why, how, and how it is resumed. */
interface Held {
  readonly what: string;
  readonly why: string;
  readonly how: string;
  readonly release: string;
}

function heldSet(set: string, isLeaderMoving: boolean): Held {
  return {
    what: `new exports and members of ${set}`,
    why: `new exports and members of ${set} wait while its ${isLeaderMoving ? 'leader is' : 'members are'} upgraded`,
    how: `Inform the users of ${set}: do not add exports or members until the upgrade of ${set} is complete, members included. Nothing is switched off in the cluster: exports and imports that exist keep working.`,
    release: `Inform the users: ${set} accepts new exports and members again.`,
  };
}

function heldTools(cluster: ClusterSnapshot, own: readonly Move[]): readonly Held[] {
  const managers = [...new Set(readObjects(cluster.objects).flatMap(gitOpsManagers))].toSorted();
  const suspended = cluster.facts['flux/suspended']?.split(', ') ?? [];
  const isOwnSuspended = suspended.includes(ownKustomization);
  return [
    ...managers.map((manager) => {
      const known = manager.startsWith('argocd') ? [] : suspended;
      return {
        what: manager,
        why: `${manager} would revert the changes`,
        how: `${holdManager(manager)} ${known.length === 0 ? 'Note which of them were paused before.' : `Suspended already when the snapshot was taken: ${known.join(', ')}.`}`,
        release: `Resume ${manager}, except ${known.length === 0 ? 'where it was paused before' : `${known.join(', ')}, unless an earlier plan of this upgrade suspended it`}.`,
      };
    }),
    ...(own.some(({ component }) => component.method === 'flux')
      ? [
          {
            what: 'the Kustomizations of Flux',
            why: 'Flux itself is upgraded',
            how: `Stop pushes to the repository that Flux applies. ${isOwnSuspended ? `${ownKustomization} is suspended: resume it, otherwise Flux does not upgrade itself.` : 'If the Kustomization flux-system is suspended, resume it for the upgrade and suspend it again afterwards.'}`,
            release: `Allow pushes again.${isOwnSuspended ? ` Suspend ${ownKustomization} again.` : ''}`,
          },
        ]
      : []),
  ];
}

/** By which Flux applies itself. */
const ownKustomization = 'Kustomization flux-system/flux-system';

/** How a GitOps tool is kept from reverting the changes (docs/spec/upgrades.md §4). */
function holdManager(manager: string): string {
  if (manager.startsWith('argocd'))
    return 'Switch automated sync off in the Applications of Argo CD that have these objects.';
  if (manager.startsWith('helm-controller')) return 'Suspend the HelmReleases that have these objects.';
  return 'Annotate these objects with `kustomize.toolkit.fluxcd.io/reconcile: disabled`, or suspend their Kustomizations.';
}
