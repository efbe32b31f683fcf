/**
 * A JSON value without a type in the schema, as a value of CEL: whole numbers are ints.
 */
export function dynamicValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(dynamicValue);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, dynamicValue(member)]])),
  );
}
