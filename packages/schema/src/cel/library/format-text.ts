/**
 * `'%s is %d'.format([…])` of cel-go's strings extension: the clauses `%s %d %f %e %b %o %x %X %%`,
 * with a precision for numbers.
 */
export function formatText(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replace(
    /%(?:%|(?:\.(\d+))?(.?))/gs,
    (clause, precision: string | undefined, verb: string | undefined) => {
      if (clause === '%%') return '%';
      if (next >= values.length) throw new Error(`index ${next} out of range`);
      return printed(verb ?? '', values[next++], precision === undefined ? 6 : Number(precision));
    },
  );
}

function printed(verb: string, value: unknown, precision: number): string {
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  if (verb === 's') return shown(value);
  if (verb === 'd' && isNumber) return String(value);
  if (verb === 'f' && isNumber) return Number(value).toFixed(Math.min(precision, 100));
  if (verb === 'e' && isNumber) {
    return Number(value)
      .toExponential(Math.min(precision, 100))
      .replace(/e([+-])(\d)$/, 'e$10$2');
  }
  if (verb === 'b' && (typeof value === 'bigint' || typeof value === 'boolean')) return BigInt(value).toString(2);
  if (verb === 'o' && typeof value === 'bigint') return value.toString(8);
  if (verb === 'x' || verb === 'X') {
    const hex = typeof value === 'bigint' ? value.toString(16) : Buffer.from(shown(value)).toString('hex');
    return verb === 'X' ? hex.toUpperCase() : hex;
  }
  throw new Error(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (value instanceof Map) {
    const members = [...value].map(([key, member]) => `${shown(key)}: ${shown(member)}`);
    return `{${members.sort().join(', ')}}`;
  }
  return String(value);
}
