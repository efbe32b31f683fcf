/** The fields that are there: those that are undefined are left out, so that equal values are equal JSON. */
export function present<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
