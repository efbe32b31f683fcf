/**
 * What a process remembers of one key: what the leader published for it, and what of it is missing.
 * Losing it costs half a second, or the part of a hold since its last record.
 */
export interface KeyMemory {
  /** By name, what was seen published, and whether it was withdrawn when last seen. */
  readonly seen: ReadonlyMap<string, boolean>;
  /** The whole import under an empty cluster ID, and the parts of single clusters. */
  readonly parts: ReadonlyMap<string, PartMemory>;
  /** The clusters whose parts are doubted. */
  readonly doubted: ReadonlySet<string>;
}

/** What is remembered of one thing that was or is missing. */
export interface PartMemory {
  /** Since when it is missing, by the monotonic clock; undefined: it is not. */
  readonly sinceMs?: number | undefined;
  /** It is held for a minute, whatever members announce. */
  readonly forAMinute?: boolean | undefined;
  /** It was lost together with more of the Common Area, in this process or in an earlier one. */
  readonly withArea?: boolean | undefined;
  /** It was held and came back: a record that is still there does not count for the next loss. */
  readonly wasHeld?: boolean | undefined;
}

const nothingKnown: KeyMemory = { seen: new Map(), parts: new Map(), doubted: new Set() };
const untouched: PartMemory = {};

/** The leader publishes it under these names; `isOver`: withdrawn, or meant for others alone. */
export function published(memory: KeyMemory = nothingKnown, names: Iterable<string>, isOver: boolean): KeyMemory {
  const changed = [...names].filter((name) => memory.seen.get(name) !== isOver);
  if (changed.length === 0) return memory;
  return { ...memory, seen: new Map([...memory.seen, ...changed.map((name) => [name, isOver] as const)]) };
}

/** It is missing now; the first look counts. */
export function missed(memory: KeyMemory = nothingKnown, clusterID: string, nowMs: number): KeyMemory {
  const doubted = clusterID === '' ? memory.doubted : new Set([...memory.doubted, clusterID]);
  const { sinceMs = nowMs } = partOf(memory, clusterID);
  return { ...withPart(memory, clusterID, { sinceMs }), doubted };
}

/** What is found out about something that is missing. */
export function noted(
  memory: KeyMemory = nothingKnown,
  clusterID: string,
  found: Pick<PartMemory, 'forAMinute' | 'withArea'>,
): KeyMemory {
  return withPart(memory, clusterID, found);
}

/** It is not missing any more; `isHeld`: it was kept until now. */
export function cameBack(memory: KeyMemory | undefined, clusterID: string, isHeld: boolean): KeyMemory | undefined {
  if (!isHeld && memory?.parts.has(clusterID) !== true) return memory;
  const before = memory ?? nothingKnown;
  const wasHeld = isHeld || partOf(before, clusterID).wasHeld === true;
  const parts = new Map(before.parts);
  if (wasHeld) parts.set(clusterID, { wasHeld });
  else parts.delete(clusterID);
  return { ...before, parts };
}

/** These parts of single clusters alone are doubted. */
export function onlyDoubted(memory: KeyMemory, clusterIDs: ReadonlySet<string>): KeyMemory {
  return { ...memory, doubted: new Set([...memory.doubted].filter((clusterID) => clusterIDs.has(clusterID))) };
}

/** Nothing of the key is imported: what was held of its parts alone stays known. */
export function gone(memory: KeyMemory): KeyMemory | undefined {
  const parts = new Map([...memory.parts].filter(([clusterID]) => clusterID !== ''));
  return parts.size === 0 ? undefined : { ...nothingKnown, parts };
}

/** What is remembered of one thing; nothing, where it was never missed. */
export function partOf(memory: KeyMemory | undefined, clusterID: string): PartMemory {
  return memory?.parts.get(clusterID) ?? untouched;
}

function withPart(memory: KeyMemory, clusterID: string, change: PartMemory): KeyMemory {
  const part = { ...partOf(memory, clusterID), ...change };
  return { ...memory, parts: new Map([...memory.parts, [clusterID, part]]) };
}
