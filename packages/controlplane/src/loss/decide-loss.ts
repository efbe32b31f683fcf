import type { Restoring } from './beats.ts';
import type { LossCount } from './counted-losses.ts';

/** Up to this many losses at once are not doubted, where the owners do not mark what they withdraw. */
const undoubted = 10;
/** How long a doubtful loss is held before the world is asked again. */
export const holdMs = 60_000;
/** How often a loss is looked at again while its exporter is not heard. */
const lookAgainMs = 60_000;
/** The same, while a member announces that it has exports to restore. */
const restoredAgainMs = 5_000;
/**
 * For how long the announcements of members that are not known to be the exporter hold a loss. Members restore within two minutes what they can; without a
 * bound, one that always announces would keep for everybody what others withdraw without a mark.
 */
const restoredByOthersMs = 600_000;

/** What goes missing so soon after the Common Area has lost more, was lost with it. */
const lostTogetherMs = 10_000;

/**
 * Whether something that is missing since then was lost together with what no member withdraws, such as a definition; both by the monotonic clock.
 * `areaLostMs` undefined: the Common Area has lost nothing of the kind.
 */
export function isLostWithArea(sinceMs: number, areaLostMs: number | undefined): boolean {
  return areaLostMs !== undefined && sinceMs <= areaLostMs + lostTogetherMs;
}

export interface LossInput {
  /** The owner withdrew it, and the mark was seen; or the exporter has left. */
  readonly withdrawn: boolean;
  /** A person allowed the removal. */
  readonly allowed: boolean;
  /** Whether the owner marks what it withdraws. */
  readonly marks: boolean;
  /** Whether it was one of many ({@link isMass}) when it was first asked about. Asked only where the owner does not mark. */
  readonly isOneOfMany: () => boolean;
  /** For how many milliseconds it is not known yet whether it is one of many, because more may follow (`settling-losses.ts`). Asked only where it is not held. */
  readonly settlesMs: () => number;
  /** Who announces that it has lost exports, and restores them: this may be one of them. Undefined: nobody. */
  readonly restoring: Restoring | undefined;
  /** {@link isLostWithArea}. It counts only where the owner does not mark. */
  readonly areaLost: boolean;
  /** How long this one has been held; undefined: it is asked about for the first time. */
  readonly heldMs: number | undefined;
  /** For how long the exporters have been heard since the loss, without anything to restore; undefined: not all of them are. */
  readonly heardMs: number | undefined;
  /** For how long exporters are to be heard before their silence about this one counts. */
  readonly patienceMs: number;
  /** For how long a silent exporter is remembered, see `silence.ts`. */
  readonly forgottenAfterMs: number;
}

export type LossVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'hold'; readonly forMs: number }
  /** Too early to say: kept as well, and neither counted nor reported as held. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Held long enough: look once more, past the cache, and go if it is still missing. */
  | { readonly kind: 'confirm' };

/**
 * Fail static (docs/spec/membership.md §7). Whether what has lost its source is to go.
 *
 * An owner that marks what it withdraws leaves no doubt: without a mark it is a loss, however small, and held until its exporter could have
 * mended it and did not. Of an owner that does not, numbers have to do: where more than half, and more than ten, are missing at once, it is
 * likelier that the source is wrong than that all were withdrawn. They are counted when no more follow. And whatever the number, it is held while a member of ours announces that it has
 * exports to restore, for {@link restoredByOthersMs} where that is not known to be the exporter: under a leader that does not mark, that is how an exporter says that it withdrew nothing. The same where the Common Area
 * has lost what nobody withdraws: then a person is at work there, who may need longer than a minute.
 */
export function decideLoss(input: LossInput): LossVerdict {
  if (input.withdrawn || input.allowed) return { kind: 'go' };
  return input.marks ? unmarkedRemoval(input) : unexplainedRemoval(input);
}

/** The owner marks what it withdraws, and has not marked this. */
function unmarkedRemoval({ heldMs = 0, heardMs, patienceMs, forgottenAfterMs }: LossInput): LossVerdict {
  // What nobody has claimed for as long as a silent member is remembered is gone for good.
  if (heldMs >= forgottenAfterMs) return { kind: 'confirm' };
  if (heardMs === undefined) return { kind: 'hold', forMs: lookAgainMs };
  return heardMs >= patienceMs ? { kind: 'confirm' } : { kind: 'hold', forMs: patienceMs - heardMs };
}

/** The owner marks nothing: only the circumstances show whether it withdrew this. */
function unexplainedRemoval(input: LossInput): LossVerdict {
  const { heldMs, forgottenAfterMs } = input;
  const leftMs = holdMs - (heldMs ?? 0);
  // What is held stays so while the others come back: it may be the next.
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

/** Whether so many losses at once are doubted, where the owner does not mark what it withdraws. */
export function isMass({ missing, total }: LossCount): boolean {
  return missing > undoubted && missing > total / 2;
}

/** Whether of so many that are published ever so many can be missing that they are doubted. */
export function mayBeMass(total: number): boolean {
  return isMass({ missing: total, total });
}
