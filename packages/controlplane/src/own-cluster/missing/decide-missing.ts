import type { LossInput } from '../../loss/decide-loss.ts';
import { decideLoss, isLostWithArea } from '../../loss/decide-loss.ts';

/**
 * How often announcements are read during a hold: no cache of a member contains those of others.
 */
export const announcesMs = 5_000;
/** How often to ask the leader again whether it publishes an existing export. */
const exportedMs = 10_000;

export interface MissingInput extends LossInput {
  /** For how long the import may still come back at once. */
  readonly graceLeftMs: number;
  /** The exporter runs another product and restores no export: its announcements prove nothing. */
  readonly isOfOtherImplementation: boolean;
}

export type MissingVerdict =
  | { readonly kind: 'go' }
  | Kept
  /** The leader is asked, past the cache: the import is removed unless it or its export exists. */
  | { readonly kind: 'ask'; readonly ifExported: Kept };

type Kept =
  /** Too early to call it lost: it is neither counted nor reported. */
  | { readonly kind: 'wait'; readonly forMs: number; readonly why: string }
  | { readonly kind: 'hold'; readonly forMs: number; readonly forAMinute?: boolean };

/** Decides whether an import that the leader no longer has stays here. */
export function decideMissing(input: MissingInput): MissingVerdict {
  const { graceLeftMs, withdrawn, allowed, areaLost, isOfOtherImplementation, connectedMs } = input;
  const verdict = decideLoss({ ...input, connectedMs: areaLost && isOfOtherImplementation ? undefined : connectedMs });
  switch (verdict.kind) {
    case 'go':
      if (graceLeftMs > 0) return { kind: 'wait', forMs: graceLeftMs, why: 'the import may come back at once' };
      // A withdrawal without a mark is still a withdrawal: there is no export to ask for.
      if (withdrawn || allowed) return { kind: 'go' };
      return { kind: 'ask', ifExported: { kind: 'hold', forMs: exportedMs, forAMinute: true } };
    case 'confirm':
      return { kind: 'ask', ifExported: { kind: 'wait', forMs: exportedMs, why: 'it is still exported' } };
    case 'wait':
      return { kind: 'wait', forMs: verdict.forMs, why: 'it may be one of many' };
    case 'hold':
      return { kind: 'hold', forMs: implementationOf(input.marks).nextLookMs(verdict.forMs, input) };
  }
}

/** The earliest reading of the announcements that counts. Undefined: no reading is needed. */
export function readAnnouncesFromMs(look: MissingLook): number | undefined {
  return look.withdrawn || look.allowed ? undefined : implementationOf(look.marks).readAnnouncesFromMs(look);
}

/** The differences between leaders that mark withdrawals and leaders that do not. */
export interface LeaderImplementation {
  /**
   * {@link readAnnouncesFromMs}, for an import that was neither withdrawn nor allowed to be
   * removed.
   */
  readAnnouncesFromMs(look: MissingLook): number | undefined;
  /** Whether the import was lost together with more of the Common Area. */
  isLostWithArea(loss: AreaLossInput): boolean;
  /** When to look again at an import that is held. */
  nextLookMs(forMs: number, held: Pick<MissingInput, 'heldMs' | 'connectedMs'>): number;
  /** Whether the leader answers heartbeats, until that is known. */
  readonly answers: false | undefined;
}

export interface MissingLook extends Pick<LossInput, 'withdrawn' | 'allowed' | 'marks' | 'heldMs'> {
  readonly graceLeftMs: number;
  /** Until when the import may come back at once, by the monotonic clock. */
  readonly graceOverMs: number;
}

export interface AreaLossInput {
  readonly isOfOtherImplementation: boolean;
  /** This process has seen its publication. */
  readonly isSeen: boolean;
  readonly isLostWithArea: () => boolean;
}

/**
 * A leader of Isthmus: it loses an import that was seen published only together with more of the
 * Common Area.
 */
const markingLeader: LeaderImplementation = {
  readAnnouncesFromMs: ({ heldMs }) => (heldMs === undefined ? undefined : Number.NEGATIVE_INFINITY),
  isLostWithArea: (loss) => loss.isOfOtherImplementation && (loss.isSeen || loss.isLostWithArea()),
  // Exporters may send a heartbeat at any moment, or have been silent for long.
  nextLookMs: (forMs, { heldMs = 0, connectedMs }) =>
    Math.min(forMs, connectedMs === undefined ? Math.max(announcesMs, heldMs / 10) : announcesMs),
  answers: undefined,
};

/**
 * A leader of Antrea or Isthmus 0.1.0: a hold lasts a minute, and losses of the area are recorded.
 */
const unmarkingLeader: LeaderImplementation = {
  // An exporter had time to announce that it withdrew nothing.
  readAnnouncesFromMs: ({ heldMs, graceLeftMs, graceOverMs }) => {
    if (graceLeftMs > 0) return undefined;
    return heldMs === undefined ? graceOverMs : Number.NEGATIVE_INFINITY;
  },
  isLostWithArea: (loss) => loss.isLostWithArea(),
  nextLookMs: (forMs) => forMs,
  answers: false,
};

export function implementationOf(marks: boolean): LeaderImplementation {
  return marks ? markingLeader : unmarkingLeader;
}

/** A creation time has no fractions of a second. */
const creationMs = 1_000;

/**
 * Whether an import went missing when the Common Area lost more, and existed before: a member that
 * joins does not find its own announcement either. `importedAtMs` and `nowMs` are epoch
 * milliseconds, the others are from the monotonic clock.
 */
export function isLostWithCommonArea(input: {
  readonly sinceMs: number;
  readonly importedAtMs: number;
  readonly areaLostMs: number | undefined;
  readonly nowMs: number;
  readonly monotonicMs: number;
}): boolean {
  const { sinceMs, importedAtMs, areaLostMs, nowMs, monotonicMs } = input;
  if (areaLostMs === undefined) return false;
  const lostAtMs = nowMs - (monotonicMs - areaLostMs);
  return importedAtMs + creationMs <= lostAtMs && isLostWithArea(sinceMs, areaLostMs);
}
