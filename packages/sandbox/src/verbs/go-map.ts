/** A value as Go's %v prints it: `map[spec:map[ports:[map[port:80]]]]`, keys sorted. */
export function goMap(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${goMap(member)}`).join(' ')}]`;
}
