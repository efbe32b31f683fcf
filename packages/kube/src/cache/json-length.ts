/**
 * The number of characters in the JSON of a value, without those that escapes add. The JSON is not
 * written, because each event of a watch is measured. Keeps its own stack, as `deepFreeze`.
 */
export function jsonLength(value: unknown): number {
  let length = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') length += next.length + 2;
    else if (typeof next !== 'object' || next === null) length += String(next).length;
    else if (Array.isArray(next)) {
      length += listLength(next.length);
      for (const item of next) waiting.push(item);
    } else {
      const members = next as Readonly<Record<string, unknown>>;
      let present = 0;
      for (const key of Object.keys(members)) {
        if (members[key] === undefined) continue;
        present++;
        length += key.length + 3;
        waiting.push(members[key]);
      }
      length += listLength(present);
    }
  }
  return length;
}

/** Brackets and commas. */
function listLength(items: number): number {
  return 2 + Math.max(0, items - 1);
}
