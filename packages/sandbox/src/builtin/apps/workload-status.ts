import type { Stored } from '../../store/stored.ts';
import type { Errors } from '../field-checks.ts';
import { nonNegative, when } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';

type Counts = Readonly<Record<string, number | undefined>>;

export interface StatusRules {
  /** Fields that count, in the order of the real server. */
  readonly counts: readonly string[];
  /** Counts that may not exceed another count, and the name of that one in the message. */
  readonly notMoreThan: readonly (readonly [field: string, limit: string, named: string])[];
}

/** The errors of the next status of a kind that creates Pods. */
export function workloadStatusErrors({ counts, notMoreThan }: StatusRules): (object: Stored, before: Stored) => Errors {
  return (object, before) => {
    const status = (object['status'] ?? {}) as Counts;
    const { collisionCount: had } = (before['status'] ?? {}) as Counts;
    const { collisionCount } = status;
    const decremented = had !== undefined && (collisionCount === undefined || collisionCount < had);
    return [
      ...counts.flatMap((field) => nonNegative(`status.${field}`, status[field])),
      ...notMoreThan.flatMap(([field, limit, named]) =>
        when(
          (status[field] ?? 0) > (status[limit] ?? 0),
          invalid(`status.${field}`, status[field] ?? 0, `cannot be greater than ${named}`),
        ),
      ),
      ...when(
        counts.includes('collisionCount') && decremented,
        invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented'),
      ),
    ];
  };
}
