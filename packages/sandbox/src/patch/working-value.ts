import type { Json } from '@isthmus/schema';

/**
 * A JSON value that is being changed. Objects are maps, so that no key means anything but itself.
 */
export type Working = null | boolean | number | string | Working[] | Map<string, Working>;

/** A value that contains other values. */
export type Container = Working[] | Map<string, Working>;

export function isContainer(value: Working | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

/** A copy to work on. Members that are `undefined` are absent. */
export function toWorking(value: Json): Working {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toWorking);
  const members = Object.entries(value as Readonly<Record<string, Json | undefined>>);
  return new Map(members.flatMap(([key, member]) => (member === undefined ? [] : [[key, toWorking(member)]])));
}

/** The value as plain JSON, with every key its own member. */
export function toJson(value: Working): Json {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(toJson);
  return Object.fromEntries([...value].map(([key, member]) => [key, toJson(member)]));
}

/** The approximate length of the value as JSON; infinite if it has more levels. */
export function sizeWithin(value: Working, levels: number): number {
  if (!isContainer(value)) return typeof value === 'string' ? value.length + 2 : 4;
  if (levels === 0) return Infinity;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeWithin(item, levels - 1);
  else for (const [key, member] of value) size += key.length + 4 + sizeWithin(member, levels - 1);
  return size;
}

export function cloneWorking(value: Working): Working {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(cloneWorking);
  return new Map([...value].map(([key, member]) => [key, cloneWorking(member)]));
}

export function equalWorking(a: Working, b: Working): boolean {
  if (!isContainer(a) || !isContainer(b)) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => equalWorking(item, b[i] ?? null));
  }
  if (a.size !== b.size) return false;
  return [...a].every(([key, member]) => {
    const other = b.get(key);
    return other !== undefined && equalWorking(member, other);
  });
}

/**
 * The item at an index in the API server's form: signed, negative from the end. Undefined if it
 * does not exist.
 */
export function childOf(list: Working[], key: string): { readonly index: number; readonly value: Working } | undefined {
  const index = indexOf(key, list.length);
  const value = index === undefined ? undefined : list[index];
  return index === undefined || value === undefined ? undefined : { index, value };
}

/**
 * Sets a member, or inserts an item (`-` appends it). Returns false if the key is not a position in
 * the list.
 */
export function addAt(container: Container, key: string, value: Working): boolean {
  if (container instanceof Map) {
    container.set(key, value);
    return true;
  }
  const index = key === '-' ? container.length : indexOf(key, container.length + 1);
  if (index === undefined) return false;
  container.splice(index, 0, value);
  return true;
}

/** Removes a member or an item. Returns false if it does not exist. */
export function removeAt(container: Container, key: string): boolean {
  if (container instanceof Map) return container.delete(key);
  const found = childOf(container, key);
  if (found === undefined) return false;
  container.splice(found.index, 1);
  return true;
}

function indexOf(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number(key);
  const fromStart = index < 0 ? index + length : index;
  return fromStart >= 0 && fromStart < length ? fromStart : undefined;
}
