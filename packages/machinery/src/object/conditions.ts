/**
 * The least that an observation has in every list of conditions, metav1's and Antrea's; `type` is
 * the key of the list.
 */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/** The condition of that type, or undefined. */
export function conditionOf<C extends AnyCondition>(conditions: readonly C[] | undefined, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * `conditions` with `next` in the place of the condition of its type, or at the end.
 *
 * Guarantees: `lastTransitionTime` is unchanged while `status` is the same, and is `now` (RFC 3339)
 * otherwise. Conditions of other types are untouched and keep their order; a second condition of
 * the type is removed. The same array is returned if nothing changes.
 */
export function setCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  next: Omit<NoInfer<C>, 'lastTransitionTime'> & Pick<AnyCondition, 'type' | 'status'>,
  now: string,
): readonly C[] {
  const current = conditions ?? [];
  const wanted: AnyCondition = next;
  const before = conditionOf(current, wanted.type);
  const since = before?.status === wanted.status ? (before.lastTransitionTime ?? now) : now;
  // C has exactly one field more than `next`: the time that is set here.
  const after = { ...next, lastTransitionTime: since } as unknown as C;
  if (before === undefined) return [...current, after];
  const rest = current.filter((condition) => condition === before || condition.type !== wanted.type);
  if (conditions !== undefined && rest.length === current.length && same(before, after)) return conditions;
  return rest.map((condition) => (condition === before ? after : condition));
}

function same(a: AnyCondition, b: AnyCondition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.lastTransitionTime === b.lastTransitionTime &&
    a.observedGeneration === b.observedGeneration
  );
}
