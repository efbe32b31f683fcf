/**
 * A process's memory of one key: what the leader published for it, and which parts are missing. A
 * restart loses it, which costs half a second, or the part of a hold since its last record.
 */
export interface KeyMemory {
  /** By name, what was seen published, and whether it was withdrawn when last seen. */
  readonly seen: ReadonlyMap<string, boolean>;
  /** The whole import under an empty cluster ID, and the parts of single clusters. */
  readonly parts: ReadonlyMap<string, PartMemory>;
  /** The clusters whose parts are doubted. */
  readonly doubted: ReadonlySet<string>;
}

/** The memory of one object that is or was missing. */
export interface PartMemory {
  /** Since when it has been missing, by the monotonic clock. Undefined: it is not missing. */
  readonly sinceMs?: number | undefined;
  /** It is held for a minute, independent of what members announce. */
  readonly forAMinute?: boolean | undefined;
  /** It was lost together with more of the Common Area, in this process or an earlier one. */
  readonly withArea?: boolean | undefined;
  /** It was held and came back: an old record on it does not count for the next loss. */
  readonly wasHeld?: boolean | undefined;
}

const nothingKnown: KeyMemory = { seen: new Map(), parts: new Map(), doubted: new Set() };
const untouched: PartMemory = {};

/** The leader publishes it under these names. `isOver`: withdrawn, or meant for others alone. */
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

/** Adds facts about a missing object. */
export function noted(
  memory: KeyMemory = nothingKnown,
  clusterID: string,
  found: Pick<PartMemory, 'forAMinute' | 'withArea'>,
): KeyMemory {
  return withPart(memory, clusterID, found);
}

/** It is no longer missing. `isHeld`: it was kept until now. */
export function cameBack(memory: KeyMemory | undefined, clusterID: string, isHeld: boolean): KeyMemory | undefined {
  if (!isHeld && memory?.parts.has(clusterID) !== true) return memory;
  const before = memory ?? nothingKnown;
  const wasHeld = isHeld || partOf(before, clusterID).wasHeld === true;
  const parts = new Map(before.parts);
  if (wasHeld) parts.set(clusterID, { wasHeld });
  else parts.delete(clusterID);
  return { ...before, parts };
}

/** Only these parts of single clusters are doubted. */
export function onlyDoubted(memory: KeyMemory, clusterIDs: ReadonlySet<string>): KeyMemory {
  return { ...memory, doubted: new Set([...memory.doubted].filter((clusterID) => clusterIDs.has(clusterID))) };
}

/** No object of the key is imported. Only the memory of held parts stays. */
export function gone(memory: KeyMemory): KeyMemory | undefined {
  const parts = new Map([...memory.parts].filter(([clusterID]) => clusterID !== ''));
  return parts.size === 0 ? undefined : { ...nothingKnown, parts };
}

/** The memory of one object; empty if it was never missing. */
export function partOf(memory: KeyMemory | undefined, clusterID: string): PartMemory {
  return memory?.parts.get(clusterID) ?? untouched;
}

function withPart(memory: KeyMemory, clusterID: string, change: PartMemory): KeyMemory {
  const part = { ...partOf(memory, clusterID), ...change };
  return { ...memory, parts: new Map([...memory.parts, [clusterID, part]]) };
}
