import { fullVersion } from '../../bundle/components-of.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import { ClusterContents, gitOpsManagers, readObjects } from './cluster-content.ts';
import { findingOfCrd } from '../../crd/finding-of-crd.ts';
import { contentReader } from './content.ts';
import type { OpenHook } from './hooks.ts';
import { hookSteps } from './hooks.ts';
import { leftOverFindings, leftOvers, removalSteps, strangerFindings } from './left-overs.ts';
import type { Move } from '../order/move.ts';
import type { Tolerates, Accepted } from '../order/toleration.ts';
import { needsOf } from '../order/move-needs.ts';
import { stepsOfMove } from './move-steps.ts';
import { numberSteps, stagesOf } from './number-steps.ts';
import type { Plan } from '../format/plan.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { isKubernetes, kubernetesOf } from '../input/planner-context.ts';
import type { Step } from '../format/step.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** The steps of a plan, and what was found while they were made. */
export interface PlannedSteps {
  readonly steps: readonly Step[];
  /** The ids of the steps of a change, by its id. */
  readonly stepsOfChange: ReadonlyMap<string, readonly string[]>;
  readonly pointOfNoReturn: Plan['spec']['pointOfNoReturn'];
  readonly findings: readonly Finding[];
  readonly notExamined: readonly string[];
  /** What waivers accept of the content of the steps, and while several of them are at work. */
  readonly waived: readonly Accepted[];
}

export interface StepOptions {
  readonly context: PlannerContext;
  readonly hooks: readonly OpenHook[];
  readonly start: FleetState;
  readonly tolerates: Tolerates;
}

/** The steps of moves that are in order, with what stands before and after them: hooks, freeze, backup, record. */
export function stepsOfPlan(moves: readonly Move[], { context, hooks, start, tolerates }: StepOptions): PlannedSteps {
  const { input, byId } = context;
  const inUnit = Map.groupBy([...byId.values()], (one) => one.unit ?? one.id);
  const contentOf = contentReader(
    [input.bundle, ...input.otherBundles],
    (component) => inUnit.get(component.unit ?? component.id)?.filter(({ id }) => id !== component.id) ?? [],
  );
  const contents = new ClusterContents(input);
  const findings: Finding[] = [];
  const notExamined: string[] = [];
  const waived: Accepted[] = [];
  const kubernetesMoves = new Set(
    moves.filter(({ component }) => isKubernetes(component)).map(({ cluster }) => cluster?.name),
  );
  const gated = new Set<string>();

  const ofMoves = moves.flatMap((move): readonly StepDraft[] => {
    const content = contentOf(move.component);
    const verdict = contents.judge(move, content);
    findings.push(...verdict.findings);
    notExamined.push(...verdict.notExamined);
    for (const one of verdict.waived)
      if (one.waivedBy !== undefined)
        waived.push({ finding: findingOfCrd(one, move.cluster?.name), waiver: one.waivedBy });
    const stays =
      move.component.method === 'helm' && kubernetesMoves.has(move.cluster?.name) && move.cluster !== undefined;
    const gate = `${move.family}\n${move.component.id}\n${move.cluster?.name ?? ''}`;
    const own = gated.has(gate)
      ? []
      : hooks.filter(
          ({ hook, family, component }) =>
            hook.at === 'before' && family === move.family && component === move.component.id,
        );
    gated.add(gate);
    return stepsOfMove(move, {
      ...verdict,
      content,
      hooks: own.map(({ hook, clusters }) => ({ hook, clusters: clusters.map(({ name }) => name) })),
      kubernetesStays: stays && move.cluster !== undefined ? kubernetesOf(move.cluster) : undefined,
      rules: context.rules,
    });
  });
  findings.push(...orphanFindings(input.orphans ?? [], ofMoves));
  const left = leftOvers(context, contentOf);
  findings.push(...leftOverFindings(left, input.prune), ...strangerFindings(context));
  const removal = removalSteps(left, input.prune);
  const touched = clustersOf(moves);
  const ofCluster = Map.groupBy(moves, ({ cluster }) => cluster?.name ?? '');
  const drafts = [
    ...hookSteps(hooks, 'before'),
    ...before(touched, ofCluster, ofMoves),
    ...ofMoves,
    ...removal,
    ...after(touched, ofCluster),
    ...hookSteps(hooks, 'after'),
  ];
  const needs = needsOf(moves, context.rules);
  const serial = serialStages(moves, { context, start, tolerates });
  const stages = stagesOf(drafts, serial.isSerial);
  const {
    steps,
    stepsOfMove: byMove,
    pointOfNoReturn,
  } = numberSteps(stages, {
    needs: (move) => needs.get(move) ?? [],
    soakSeconds: input.waves.soakSeconds ?? 0,
    clustersAtOnce: input.waves.clustersAtOnce,
  });
  const stepsOfChange = new Map<string, string[]>();
  for (const { key, change } of moves) {
    stepsOfChange.set(change.row.id, [...(stepsOfChange.get(change.row.id) ?? []), ...(byMove.get(key) ?? [])]);
  }
  return { steps, stepsOfChange, pointOfNoReturn, findings, notExamined, waived: [...waived, ...serial.waived] };
}

/**
 * Whether the clusters of a stage have to come one after the other: with all of them at work at once, versions before and after side by side,
 * a rule between clusters would break. Asked for stage after stage, in their order.
 */
function serialStages(
  moves: readonly Move[],
  { context, start, tolerates }: Omit<StepOptions, 'hooks'>,
): { readonly isSerial: (stage: readonly StepDraft[]) => boolean; readonly waived: readonly Accepted[] } {
  const { rules, supportOf } = context;
  const wide = ['clusterset', 'management', 'fleet'];
  const between = {
    ...rules,
    floors: [],
    kubernetes: [],
    skew: rules.skew.filter(({ scope }) => wide.includes(scope)),
  };
  const byKey = new Map(moves.map((one) => [one.key, one]));
  const index = new FleetIndex(start);
  const waived: Accepted[] = [];
  const isSerial = (stage: readonly StepDraft[]) => {
    const some = [...new Set(stage.flatMap(({ move }) => move ?? []))].flatMap((key) => byKey.get(key) ?? []);
    const added = some.flatMap((one) => one.after);
    for (const one of added) index.add(one);
    const moving = new Set(some.map(({ component }) => component.id));
    const broken = violationsOf(index, between, false, { supportOf, touched: added });
    for (const one of some.flatMap((move) => move.before)) index.remove(one);
    const blocking = broken.filter(({ severity }) => severity === 'block');
    const tolerated = blocking.map((finding) => ({ finding, toleration: tolerates(finding, moving) }));
    if (tolerated.some(({ toleration }) => toleration === undefined)) return true;
    for (const { finding, toleration } of tolerated)
      if (toleration?.waiver !== undefined) waived.push({ finding, waiver: toleration.waiver });
    return false;
  };
  return { isSerial, waived };
}

/** What was asked for and is not done: Pods that answer webhooks are never left beside new ones, and what stays need not be made anew. */
function orphanFindings(orphans: readonly string[], steps: readonly StepDraft[]): readonly Finding[] {
  return orphans.flatMap((name) => {
    const anew = steps.filter(({ kind, objects }) => kind === 'recreate' && objects.includes(`Deployment ${name}`));
    if (anew.some(({ action }) => action === 'recreate-orphan')) return [];
    const why =
      anew.length === 0
        ? `the Pods of Deployment ${name} were to be kept, but it is not recreated`
        : `the Pods of Deployment ${name} were to be kept, but they serve webhooks: they are deleted first`;
    return [
      planFinding(
        'plan.orphan',
        'warn',
        { object: `Deployment ${name}` },
        { why, unblock: 'remove it from --recreate-orphan' },
      ),
    ];
  });
}

function clustersOf(moves: readonly Move[]): readonly ClusterSnapshot[] {
  const byName = new Map(
    moves.flatMap(({ cluster }) => (cluster === undefined ? [] : [[cluster.name, cluster] as const])),
  );
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

type MovesByCluster = ReadonlyMap<string, readonly Move[]>;

/** What would interfere is held, and what a rollback needs is kept (docs/spec/upgrades.md §1.6, §2.3 G1). */
function before(
  clusters: readonly ClusterSnapshot[],
  moves: MovesByCluster,
  steps: readonly StepDraft[],
): readonly StepDraft[] {
  const rewritten = new Set(steps.flatMap((one) => (one.irreversible.length > 0 ? (one.cluster ?? []) : [])));
  return clusters.flatMap((cluster) => {
    const place = { group: 'freeze' as const, lane: cluster.name, cluster: cluster.name };
    const held = heldIn(cluster, moves.get(cluster.name) ?? []);
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
      ...(isHub(cluster) || rewritten.has(cluster.name)
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

/** Custom resources by their CRDs: those that the cluster has; where nobody looked, those that a ClusterSet lives on. */
function keptIn({ definitions, objectCounts, roles }: ClusterSnapshot): readonly string[] {
  const known = [...readObjects(definitions).map(({ metadata }) => metadata.name), ...Object.keys(objectCounts)];
  const ofLeader = ['clustersets', 'resourceexports', 'resourceimports'].map(
    (one) => `${one}.multicluster.crd.antrea.io`,
  );
  const all = [...known, ...(roles.includes('leader') ? ofLeader : [])];
  return all.length > 0 ? [...new Set(all)].toSorted() : ['all custom resources'];
}

/** What now runs is written down; then what was held is let go. */
function after(clusters: readonly ClusterSnapshot[], moves: MovesByCluster): readonly StepDraft[] {
  return clusters.flatMap((cluster) => {
    const place = { group: 'post-steps' as const, lane: cluster.name, cluster: cluster.name };
    const own = moves.get(cluster.name) ?? [];
    const changed = [...new Set(own.map(({ component }) => `${component.id} ${fullVersion(component)}`))];
    const held = heldIn(cluster, own);
    return [
      draft({
        ...place,
        kind: 'record',
        title: `Record the versions of ${cluster.name}`,
        why: `for the next plan: ${changed.toSorted().join(', ')}`,
      }),
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

/** What is held while a cluster is upgraded, why, how, and how it is let go. */
interface Held {
  readonly what: string;
  readonly why: string;
  readonly how: string;
  readonly release: string;
}

function heldIn(cluster: ClusterSnapshot, own: readonly Move[]): readonly Held[] {
  const managers = [...new Set(readObjects(cluster.objects).flatMap(gitOpsManagers))].toSorted();
  const hasLeader =
    own.some(({ component }) => component.roles?.includes('leader') === true) && cluster.clusterSet !== undefined;
  const set = cluster.clusterSet ?? '';
  const suspended = cluster.facts['flux/suspended']?.split(', ') ?? [];
  const isOwnSuspended = suspended.includes(ownKustomization);
  return [
    ...(hasLeader
      ? [
          {
            what: `new exports and members of ${set}`,
            why: `new exports and members of ${set} wait while its leader is upgraded`,
            how: `Inform the users of ${set}: do not add exports or members until the upgrade of ${set} is complete, members included. Nothing is switched off in the cluster: exports and imports that exist keep working.`,
            release: `Inform the users: ${set} accepts new exports and members again.`,
          },
        ]
      : []),
    ...managers.map((manager) => {
      const known = manager.startsWith('argocd') ? [] : suspended;
      return {
        what: manager,
        why: `${manager} would revert the changes`,
        how: `${holdManager(manager)} ${known.length === 0 ? 'Note which of them were paused before.' : `Suspended before, and not by this plan: ${known.join(', ')}.`}`,
        release: `Resume ${manager}, except ${known.length === 0 ? 'where it was paused before' : known.join(', ')}.`,
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

/** How a GitOps tool is kept from putting back what is changed (docs/spec/upgrades.md §4). */
function holdManager(manager: string): string {
  if (manager.startsWith('argocd'))
    return 'Switch automated sync off in the Applications of Argo CD that have these objects.';
  if (manager.startsWith('helm-controller')) return 'Suspend the HelmReleases that have these objects.';
  return 'Annotate these objects with `kustomize.toolkit.fluxcd.io/reconcile: disabled`, or suspend their Kustomizations.';
}
