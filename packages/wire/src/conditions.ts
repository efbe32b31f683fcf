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

/** metav1.Condition, as in the MCS API. */
export type Condition = NonNullable<NonNullable<ServiceExport['status']>['conditions']>[number];

/** The condition of ResourceExports: reason, message and time may be absent. */
export type ExportCondition = NonNullable<NonNullable<ResourceExport['status']>['conditions']>[number];

/**
 * The verdicts on conditions, by their keys in the definition; a condition without a verdict stays
 * as it is. `absent` removes a condition.
 */
export type Verdicts<D extends StatusDefinition> = {
  readonly [Type in ConditionKey<D>]?: Verdict<D, Type> | 'absent' | undefined;
};

export interface VerdictContext {
  /** RFC 3339: the lastTransitionTime of conditions whose status changes. */
  readonly now: string;
  /**
   * The generation that the verdicts are about; absent for kinds whose conditions have no such
   * field.
   */
  readonly observedGeneration?: number | undefined;
}

/**
 * metav1.Condition: API servers reject a longer message, and the status then stays as it was. Peers
 * may write any length.
 */
const longestMessage = 32_768;

/**
 * `conditions` with the verdicts, new ones in the order of the definition. No other function writes
 * conditions. A condition that the definition does not list does not compile.
 *
 * Guarantees: those of `setCondition`; without a change, the array itself is returned; no message
 * is longer than an API server accepts.
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
  // The fields of a verdict exist in each kind of conditions.
  return next as readonly C[];
}

function bounded<V extends Omit<AnyCondition, 'type'>>(verdict: V): V {
  const { message = '' } = verdict;
  return message.length <= longestMessage
    ? verdict
    : { ...verdict, message: `${message.slice(0, longestMessage - 1).toWellFormed()}…` };
}

/**
 * The reason of the condition; undefined if the condition is absent, or its reason is not in the
 * definition.
 */
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

/** The condition of a defined type; undefined if it is absent. */
export function conditionOf<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: ConditionType,
): C | undefined {
  return find(conditions, type);
}
