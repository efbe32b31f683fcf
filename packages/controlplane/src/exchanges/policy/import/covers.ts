import { listOf, recordOf } from '@isthmus/wire';

/**
 * Whether `actual` has every field of `wanted`. Further fields of objects in `actual` are allowed:
 * the API server may have set them.
 */
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
