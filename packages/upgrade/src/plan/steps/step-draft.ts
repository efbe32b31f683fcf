import type { Step } from '../format/step.ts';
import type { GroupName } from '../paths/cluster-groups.ts';

/** A step before it has its place. */
export interface StepDraft extends Omit<Step, 'id' | 'after' | 'group'> {
  readonly group: GroupName;
  readonly round: number;
  /** Steps of one lane come one after the other; lanes of a stage may go side by side. */
  readonly lane: string;
  /** The move that it belongs to. */
  readonly move?: string | undefined;
  /** The effects that cannot be undone once the step has begun; empty if all can. */
  readonly irreversible: readonly string[];
}

/** A step with only the given fields. */
export function draft(
  fields: Pick<StepDraft, 'kind' | 'title' | 'why' | 'group' | 'lane'> & Partial<StepDraft>,
): StepDraft {
  return {
    round: 0,
    wave: 0,
    nodes: [],
    objects: [],
    artifacts: [],
    effects: [],
    rolling: false,
    gates: [],
    interrupts: [],
    reversible: true,
    irreversible: [],
    ...fields,
  };
}
