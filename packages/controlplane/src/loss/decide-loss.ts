import type { Restoring } from './beats.ts';
import type { LossCount } from './counted-losses.ts';

/** Up to this many losses at once are not doubted, if the owners do not mark withdrawals. */
const undoubted = 10;
/** How long a doubtful loss is held before the sources are checked again. */
export const holdMs = 60_000;
/** How often to look again at a loss while its exporter sends no heartbeats. */
const lookAgainMs = 60_000;
/** The same while a member announces that it has exports to restore. */
const restoredAgainMs = 5_000;
/**
 * How long the announcements of members that are not known to be the exporter hold a loss. Members
 * restore within two minutes what they can. Without a limit, a member that always announces would
 * keep, for every cluster, objects that others withdraw without a mark.
 */
const restoredByOthersMs = 600_000;

/**
 * An object that goes missing this soon after the Common Area has lost more counts as lost with it.
 */
const lostTogetherMs = 10_000;

/**
 * Whether an object that is missing since `sinceMs` was lost together with objects that no member
 * withdraws, such as a CRD. Both times are from the monotonic clock. `areaLostMs` undefined: the
 * Common Area has lost no object of that kind.
 */
export function isLostWithArea(sinceMs: number, areaLostMs: number | undefined): boolean {
  return areaLostMs !== undefined && sinceMs <= areaLostMs + lostTogetherMs;
}

export interface LossInput {
  /** The owner withdrew it, and the mark was seen; or the exporter has left. */
  readonly withdrawn: boolean;
  /** A user allowed the removal. */
  readonly allowed: boolean;
  /** Whether the owner marks its withdrawals. */
  readonly marks: boolean;
  /**
   * Whether it was one of many ({@link isMass}) at the first look. Called only if the owner does
   * not mark.
   */
  readonly isOneOfMany: () => boolean;
  /**
   * For how many milliseconds it is not known yet if it is one of many, because more may follow
   * (`settling-losses.ts`). Called only if it is not held.
   */
  readonly settlesMs: () => number;
  /**
   * Which member announces that it has lost exports and restores them: this may be one of them.
   * Undefined: no member.
   */
  readonly restoring: Restoring | undefined;
  /** {@link isLostWithArea}. It counts only if the owner does not mark. */
  readonly areaLost: boolean;
  /** For how long this object has been held. Undefined: this is the first look. */
  readonly heldMs: number | undefined;
  /**
   * For how long the exporters have sent heartbeats since the loss, without exports to restore.
   * Undefined: not all of them have.
   */
  readonly connectedMs: number | undefined;
  /**
   * For how long exporters must send heartbeats before the missing restore of this object counts.
   */
  readonly patienceMs: number;
  /** For how long a silent exporter is remembered, see `silence.ts`. */
  readonly forgottenAfterMs: number;
}

export type LossVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'hold'; readonly forMs: number }
  /** Too early to decide: it is kept too, but neither counted nor reported as held. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Held long enough: look once more, past the cache, and remove it if it is still missing. */
  | { readonly kind: 'confirm' };

/**
 * Fail static (docs/spec/membership.md §7): decides if an object that has lost its source is to be
 * removed.
 *
 * If the owner marks its withdrawals, there is no doubt: without a mark it is a loss, even a small
 * one. It is held until its exporter had time to restore it and did not.
 *
 * Otherwise numbers decide. If more than half, and more than ten, are missing at once, an error at
 * the source is more likely than a withdrawal of all. They are counted when no more follow.
 *
 * At any number, it is held while a member of ours announces that it has exports to restore. If
 * that member is not known to be the exporter, the limit is {@link restoredByOthersMs}. Under a
 * leader that does not mark, this announcement is how an exporter reports that it withdrew nothing.
 *
 * The same applies if the Common Area has lost objects that no member withdraws. Then a user is at
 * work there, who may need more than a minute.
 */
export function decideLoss(input: LossInput): LossVerdict {
  if (input.withdrawn || input.allowed) return { kind: 'go' };
  return input.marks ? unmarkedRemoval(input) : unexplainedRemoval(input);
}

/** The owner marks its withdrawals, and has not marked this one. */
function unmarkedRemoval({ heldMs = 0, connectedMs, patienceMs, forgottenAfterMs }: LossInput): LossVerdict {
  // If no member has claimed it for as long as a silent member is remembered, it is gone forever.
  if (heldMs >= forgottenAfterMs) return { kind: 'confirm' };
  if (connectedMs === undefined) return { kind: 'hold', forMs: lookAgainMs };
  return connectedMs >= patienceMs ? { kind: 'confirm' } : { kind: 'hold', forMs: patienceMs - connectedMs };
}

/** The owner marks nothing: only the circumstances show whether it withdrew this object. */
function unexplainedRemoval(input: LossInput): LossVerdict {
  const { heldMs, forgottenAfterMs } = input;
  const leftMs = holdMs - (heldMs ?? 0);
  // A held object stays held while the others come back: it may be the next.
  if (input.isOneOfMany() && leftMs > 0) return { kind: 'hold', forMs: leftMs };
  if ((heldMs ?? 0) < forgottenAfterMs) {
    const restoredMs = { exporter: forgottenAfterMs, other: restoredByOthersMs };
    const mayBeRestored = input.restoring !== undefined && (heldMs ?? 0) < restoredMs[input.restoring];
    if (mayBeRestored) return { kind: 'hold', forMs: restoredAgainMs };
    if (input.areaLost) return { kind: 'hold', forMs: lookAgainMs };
  }
  if (heldMs !== undefined) return { kind: 'confirm' };
  const settlesMs = input.settlesMs();
  return settlesMs > 0 ? { kind: 'wait', forMs: settlesMs } : { kind: 'go' };
}

/** Whether this many losses at once are doubted, if the owner does not mark its withdrawals. */
export function isMass({ missing, total }: LossCount): boolean {
  return missing > undoubted && missing > total / 2;
}

/** Whether losses of this many published objects can ever be numerous enough to be doubted. */
export function mayBeMass(total: number): boolean {
  return isMass({ missing: total, total });
}
