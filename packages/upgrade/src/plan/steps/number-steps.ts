import type { Plan } from '../format/plan.ts';
import type { Step } from '../format/step.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** Consecutive steps of one round, group and wave. */
export interface Stage {
  readonly drafts: readonly StepDraft[];
  /** Whether its lanes have to come one after the other, in the order given. */
  readonly isSerial: boolean;
}

/** Cuts drafts where round, group or wave changes. */
export function stagesOf(
  drafts: readonly StepDraft[],
  isSerial: (stage: readonly StepDraft[]) => boolean,
): readonly Stage[] {
  const stages: StepDraft[][] = [];
  for (const one of drafts) {
    const last = stages.at(-1);
    const before = last?.[0];
    if (last !== undefined && before?.group === one.group && before.wave === one.wave && before.round === one.round)
      last.push(one);
    else stages.push([one]);
  }
  return stages.map((stage) => ({ drafts: stage, isSerial: lanesOf(stage).length > 1 && isSerial(stage) }));
}

export interface NumberOptions {
  readonly needs: (move: string) => Iterable<string>;
  readonly soakSeconds: number;
  /** The most lanes of a wave that are at work at once. Default: all. */
  readonly clustersAtOnce?: number | undefined;
}

/**
 * Gives each step its number and the steps that it follows. Steps of a lane follow one another.
 * Lanes of a stage run in parallel, unless the stage is serial or a need orders them. A stage
 * follows all of the stage before. Between two stages with several lanes there is a step that only
 * waits for all lanes.
 */
export function numberSteps(
  stages: readonly Stage[],
  { needs, soakSeconds, clustersAtOnce = Infinity }: NumberOptions,
): {
  readonly steps: readonly Step[];
  readonly stepsOfMove: ReadonlyMap<string, readonly string[]>;
  readonly pointOfNoReturn: Plan['spec']['pointOfNoReturn'];
} {
  const steps: Step[] = [];
  const stepsOfMove = new Map<string, string[]>();
  let pointOfNoReturn: Plan['spec']['pointOfNoReturn'];
  let ends: readonly string[] = [];
  const ids = idsOf(stages);
  for (const [at, { drafts, isSerial }] of stages.entries()) {
    const lanes = new Map<string, string>();
    let last: string | undefined;
    const next = () => ids.next(at);
    const names = lanesOf(drafts);
    const limit = (drafts[0]?.wave ?? 0) > 0 ? clustersAtOnce : Infinity;
    /** The lane that has to end before this one begins, where only some are at work at once. */
    const aheadOf = (lane: string) => names[names.indexOf(lane) - limit];
    const grouped = Number.isFinite(limit)
      ? names.flatMap((name) => drafts.filter(({ lane }) => lane === name))
      : drafts;
    for (const one of grouped) {
      const { lane, move, round: _, irreversible, ...fields } = one;
      const id = next();
      const own = isSerial ? last : lanes.get(lane);
      const ahead = lanes.get(aheadOf(lane) ?? '');
      const first = own !== undefined ? [own] : ahead !== undefined ? [ahead] : ends;
      const isFirst = move !== undefined && !stepsOfMove.has(move);
      const across = !isFirst ? [] : [...needs(move)].flatMap((key) => stepsOfMove.get(key)?.at(-1) ?? []);
      const inStage = across.filter((other) => [...lanes].some(([name, step]) => step === other && name !== lane));
      if (irreversible.length > 0 && pointOfNoReturn === undefined)
        pointOfNoReturn = { step: id, reasons: [...irreversible] };
      const after = [...new Set([...first, ...inStage])];
      steps.push({ ...fields, id, after, reversible: pointOfNoReturn === undefined });
      if (move !== undefined) stepsOfMove.set(move, [...(stepsOfMove.get(move) ?? []), id]);
      lanes.set(lane, id);
      last = id;
    }
    ends = isSerial && last !== undefined ? [last] : [...lanes.values()];
    const following = stages[at + 1];
    if (soakSeconds > 0 && isNextWave(drafts[0], following?.drafts[0])) soak(steps, ends, drafts[0], soakSeconds);
    if (ends.length > 1 && following !== undefined && lanesOf(following.drafts).length > 1) {
      const id = next();
      steps.push({ ...barrier(drafts[0]), id, after: [...ends], reversible: pointOfNoReturn === undefined });
      ends = [id];
    }
  }
  return { steps, stepsOfMove, pointOfNoReturn };
}

function isNextWave(wave: StepDraft | undefined, next: StepDraft | undefined): boolean {
  return (
    wave !== undefined && next !== undefined && wave.wave > 0 && wave.group === next.group && next.wave > wave.wave
  );
}

/**
 * Puts a gate behind the last steps of a wave: time passes before the next one begins. Not behind
 * steps that others of the wave wait for: these would wait as well.
 */
function soak(steps: Step[], ends: readonly string[], last: StepDraft | undefined, seconds: number): void {
  const gate = {
    id: 'soak',
    at: 'after',
    kind: 'soak',
    what: `Wave ${last?.wave ?? 0} of ${last?.group ?? ''} has run for ${seconds} s, and its gates are still met.`,
    seconds,
  } as const;
  const followed = new Set(steps.flatMap(({ after }) => after));
  const behind = new Set(ends.filter((id) => !followed.has(id)));
  for (const [at, step] of steps.entries())
    if (behind.has(step.id)) steps[at] = { ...step, gates: [...step.gates, gate] };
}

function lanesOf(drafts: readonly StepDraft[]): readonly string[] {
  return [...new Set(drafts.map(({ lane }) => lane))];
}

function barrier(first: StepDraft | undefined): Omit<Step, 'id' | 'after'> {
  const wave = first?.wave ?? 0;
  const group = first?.group ?? 'members';
  const what = wave > 0 ? `wave ${wave} of ${group}` : `the group ${group}`;
  const {
    lane: _,
    round: __,
    move: ___,
    irreversible: ____,
    ...fields
  } = draft({
    kind: 'verify',
    title: wave > 0 ? `Wait until ${what} is upgraded` : `Wait until every step of ${group} is complete`,
    why: 'later steps start when every earlier cluster has passed its gates',
    group,
    lane: '',
    wave,
    gates: [{ id: 'all-stand', at: 'after', kind: 'ready', what: `Every step of ${what} has passed its gates.` }],
  });
  return fields;
}

/** Group, wave and step, counted from 1; the wave is left out in groups that have none. */
function idsOf(stages: readonly Stage[]): { readonly next: (stage: number) => string } {
  let group = 0;
  let before: StepDraft | undefined;
  const groups: number[] = [];
  const hasWaves = new Set<number>();
  for (const { drafts } of stages) {
    const [first] = drafts;
    if (before === undefined || first?.group !== before.group || first.round !== before.round) group++;
    before = first;
    groups.push(group);
    if ((first?.wave ?? 0) > 0) hasWaves.add(group);
  }
  const counts = new Map<string, number>();
  return {
    next: (stage) => {
      const number = groups[stage] ?? 0;
      const prefix = hasWaves.has(number) ? `${number}.${stages[stage]?.drafts[0]?.wave ?? 0}` : `${number}`;
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}.${count}`;
    },
  };
}
