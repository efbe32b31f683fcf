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
  /** What cannot be taken back once it has begun; empty where all can. */
  readonly irreversible: readonly string[];
}

/** A step with nothing in it but what is given. */
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
