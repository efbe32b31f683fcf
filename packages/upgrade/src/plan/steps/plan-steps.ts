import type { Finding } from '../../finding.ts';
import { FleetIndex } from '../../fleet/fleet-index.ts';
import type { FleetState } from '../../fleet/fleet-state.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import { otherInstallationFindings } from './other-installations.ts';
import { otherNamespaceFindings } from './other-namespaces.ts';
import { ClusterContents } from './cluster-content.ts';
import { findingOfCrd } from '../../crd/finding-of-crd.ts';
import { contentReader } from './content.ts';
import { framedClusters, stepsAfter, stepsBefore } from './frame-steps.ts';
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

/** The steps of a plan, and what was found while they were made. */
export interface PlannedSteps {
  readonly steps: readonly Step[];
  /** The ids of the steps of a change, by its id. */
  readonly stepsOfChange: ReadonlyMap<string, readonly string[]>;
  readonly pointOfNoReturn: Plan['spec']['pointOfNoReturn'];
  readonly findings: readonly Finding[];
  readonly notExamined: readonly string[];
  /**
   * The findings about the steps that waivers accept, including those about several steps at once.
   */
  readonly waived: readonly Accepted[];
}

export interface StepOptions {
  readonly context: PlannerContext;
  readonly hooks: readonly OpenHook[];
  readonly start: FleetState;
  readonly tolerates: Tolerates;
}

/**
 * The steps of ordered moves, with the steps before and after them: hooks, freeze, backup, record.
 */
export function stepsOfPlan(moves: readonly Move[], { context, hooks, start, tolerates }: StepOptions): PlannedSteps {
  const { input, byId } = context;
  const inUnit = Map.groupBy([...byId.values()], (one) => one.unit ?? one.id);
  const bundles = [input.bundle, ...input.otherBundles];
  const contentOf = contentReader(
    bundles,
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
    findings.push(
      ...verdict.findings,
      ...otherNamespaceFindings(move, content),
      ...otherInstallationFindings(move, content, bundles),
    );
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
  const framed = framedClusters(moves, context);
  const drafts = [
    ...hookSteps(hooks, 'before'),
    ...stepsBefore(framed, ofMoves),
    ...ofMoves,
    ...removal,
    ...stepsAfter(framed),
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
 * Whether the clusters of a stage have to come one after the other: with all of them at work at
 * once, versions before and after side by side, a rule between clusters would break. Asked for
 * stage after stage, in their order.
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

/**
 * Reports requests that have no effect: Pods that answer webhooks are never left beside new ones,
 * and unchanged Deployments are not recreated.
 */
function orphanFindings(orphans: readonly string[], steps: readonly StepDraft[]): readonly Finding[] {
  return orphans.flatMap((name) => {
    const anew = steps.filter(({ kind, objects }) => kind === 'recreate' && objects.includes(`Deployment ${name}`));
    if (anew.some(({ action }) => action === 'recreate-orphan')) return [];
    const why =
      anew.length === 0
        ? `--recreate-orphan keeps the Pods of Deployment ${name}, but it is not recreated`
        : `--recreate-orphan keeps the Pods of Deployment ${name}, but they serve webhooks: they are deleted first`;
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
