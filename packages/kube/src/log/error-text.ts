/**
 * The message of an unknown thrown value, on one line of at most `limit` characters, with the
 * messages of its causes if they add something. Never a stack.
 */
export function errorText(error: unknown, limit = 1_024): string {
  const parts: string[] = [];
  for (let next = error, depth = 0; next !== undefined && next !== null && depth < 8; depth++) {
    const text = textOf(next);
    if (text !== '' && !parts.some((part) => part.includes(text))) parts.push(text);
    next = next instanceof Error ? next.cause : undefined;
  }
  const line = parts.join(': ').replace(/\s+/g, ' ').trim() || 'unknown error';
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.message || value.name;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return 'a value that is not an Error was thrown';
}
