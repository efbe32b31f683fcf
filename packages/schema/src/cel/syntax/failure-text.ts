/** Why an evaluation failed, in the words of cel-go. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, summary } = error as { readonly code?: unknown; readonly summary?: unknown };
  if (typeof code !== 'string' || typeof summary !== 'string') return error.message;
  const target = conversions[code];
  if (target !== undefined) return `type conversion error from 'string' to '${target}'`;
  if (code === 'no_such_key') return summary.replace(/^No such key/, 'no such key');
  if (code === 'index_out_of_bounds') return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ''}`;
  return texts[code] ?? summary;
}

const conversions: Readonly<Record<string, string>> = {
  bool_conversion_error: 'bool',
  int_conversion_error: 'int',
  uint_conversion_error: 'uint',
  double_conversion_error: 'double',
  invalid_timestamp: 'google.protobuf.Timestamp',
  invalid_duration: 'google.protobuf.Duration',
};

const texts: Readonly<Record<string, string>> = {
  modulo_by_zero: 'modulus by zero',
  numeric_overflow: 'integer overflow',
  optional_value_missing: 'optional.none() dereference',
  no_such_overload: 'no such overload',
  no_matching_overload: 'no such overload',
  invalid_logical_operand: 'no such overload',
  invalid_condition_type: 'no such overload',
};
