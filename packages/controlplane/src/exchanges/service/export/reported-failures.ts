import type { EventReason } from '@isthmus/api';
import { reasonsOn, serviceExportStatus } from '@isthmus/api';
import type { Condition } from '@isthmus/wire';
import { conditionOf } from '@isthmus/wire';

interface Failure {
  readonly reason: EventReason<typeof serviceExportStatus>;
  readonly message: string;
}

const withEvent = reasonsOn(serviceExportStatus, 'Event');

/**
 * The new failures of a ServiceExport, for Events: each condition whose status, reason or message
 * was different before. If the ServiceExport is not valid, no further Event reports that it is not
 * exported.
 */
export function newFailures(before: readonly Condition[], after: readonly Condition[]): readonly Failure[] {
  const [valid, ready, conflict] = (['Valid', 'Ready', 'Conflict'] as const).map((type) => conditionOf(after, type));
  const wrong = [
    valid?.status === 'False' ? valid : undefined,
    valid?.status !== 'False' && ready?.status === 'False' ? ready : undefined,
    conflict?.status === 'True' ? conflict : undefined,
  ];
  return wrong.flatMap((condition) => {
    if (condition === undefined) return [];
    const last = before.find(({ type }) => type === condition.type);
    const isSame = (['status', 'reason', 'message'] as const).every((field) => last?.[field] === condition[field]);
    // If there are several reasons, the first names the Event: they are sorted by severity.
    const reason = withEvent.find((known) => condition.reason.split(',').includes(known));
    return isSame || reason === undefined ? [] : [{ reason, message: condition.message }];
  });
}
