import type {
  ConditionKey,
  ConditionType,
  ReasonOn,
  ResourceExport,
  ServiceExport,
  StatusDefinition,
  Verdict,
} from '@isthmus/api';
import { conditionTypeOf } from '@isthmus/api';
import type { AnyCondition } from '@isthmus/machinery';
import { conditionOf as find, setCondition } from '@isthmus/machinery';

/** metav1.Condition, as the MCS API has it. */
export type Condition = NonNullable<NonNullable<ServiceExport['status']>['conditions']>[number];

/** The condition of ResourceExports: reason, message and time may be absent. */
export type ExportCondition = NonNullable<NonNullable<ResourceExport['status']>['conditions']>[number];

/** A verdict on each condition that there is something to say about, by its key in the definition; `absent` where the condition is not to be there. */
export type Verdicts<D extends StatusDefinition> = {
  readonly [Type in ConditionKey<D>]?: Verdict<D, Type> | 'absent' | undefined;
};

export interface VerdictContext {
  /** RFC 3339: the lastTransitionTime of conditions whose status changes. */
  readonly now: string;
  /** The generation that the verdicts speak about; absent for kinds whose conditions have no such field. */
  readonly observedGeneration?: number | undefined;
}

/** metav1.Condition: no API server takes a longer message, and what it rejects leaves the status of before. Peers may write any length. */
const longestMessage = 32_768;

/**
 * `conditions` with the verdicts in them, new ones in the order of the definition. The only way to write a condition: what the definition does
 * not list does not compile.
 *
 * Guarantees: those of `setCondition`; the array itself comes back when nothing changes; no message is longer than an API server takes.
 */
export function setVerdicts<C extends AnyCondition, D extends StatusDefinition>(
  definition: D,
  conditions: readonly C[],
  verdicts: Verdicts<NoInfer<D>>,
  { now, observedGeneration }: VerdictContext,
): readonly C[] {
  let next: readonly AnyCondition[] = conditions;
  const byKey: Readonly<Record<string, Omit<AnyCondition, 'type'> | 'absent' | undefined>> = verdicts;
  for (const key of Object.keys(definition.conditions)) {
    const verdict = byKey[key];
    const type = conditionTypeOf(key);
    if (verdict === undefined) continue;
    if (verdict === 'absent') {
      if (find(next, type) !== undefined) next = next.filter((condition) => condition.type !== type);
      continue;
    }
    const generation = observedGeneration === undefined ? {} : { observedGeneration };
    next = setCondition(next, { ...bounded(verdict), ...generation, type }, now);
  }
  // Each kind of conditions has the fields of a verdict.
  return next as readonly C[];
}

function bounded<V extends Omit<AnyCondition, 'type'>>(verdict: V): V {
  const { message = '' } = verdict;
  return message.length <= longestMessage
    ? verdict
    : { ...verdict, message: `${message.slice(0, longestMessage - 1).toWellFormed()}…` };
}

/** The reason that the condition gives; undefined where there is none, or one that the definition does not list. */
export function reasonOf<D extends StatusDefinition, Type extends ConditionKey<D>>(
  definition: D,
  conditions: readonly AnyCondition[] | undefined,
  type: Type,
): ReasonOn<D, `${Type}=${Verdict<D, Type>['status']}`> | undefined {
  const reason = find(conditions, conditionTypeOf(type))?.reason ?? '';
  const isListed = (definition.reasons[reason]?.on ?? []).some((place) => place.startsWith(`${type}=`));
  return isListed ? (reason as ReasonOn<D, `${Type}=${Verdict<D, Type>['status']}`>) : undefined;
}

/** metav1.Condition: the API server rejects a status with any other reason. */
export function isConditionReason(reason: string): boolean {
  return reason.length <= 1_024 && /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason);
}

/** The condition of a type that is defined; undefined where there is none. */
export function conditionOf<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: ConditionType,
): C | undefined {
  return find(conditions, type);
}
