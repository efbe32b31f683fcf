import { listOf, recordOf } from '@isthmus/wire';

/** Whether `actual` has all that `wanted` has; fields of objects that it has beside may have been filled in by the API server. */
export function covers(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  const list = listOf(wanted);
  if (list !== undefined) {
    const other = listOf(actual);
    return other?.length === list.length && list.every((item, index) => covers(other[index], item));
  }
  const record = recordOf(wanted);
  if (record === undefined) return actual === wanted;
  const other = recordOf(actual);
  return (
    other !== undefined &&
    Object.entries(record).every(([key, value]) => covers(Object.hasOwn(other, key) ? other[key] : undefined, value))
  );
}
