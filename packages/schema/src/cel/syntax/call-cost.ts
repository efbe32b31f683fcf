/**
 * The cost of a call beyond the size of its arguments, for calls that read or create more than
 * that, or ask the authorizer. `given`: the arguments, the receiver first.
 */
export function callCost(name: string, given: readonly unknown[]): number {
  const [first, second, third] = given;
  switch (name) {
    case 'distinct':
      return lengthOf(first) ** 2 / 10;
    case 'contains':
    case 'equivalent':
    case 'intersects': {
      const [one = 0, other = 0] = given.filter(Array.isArray).map(lengthOf);
      return (one * other) / 10;
    }
    case 'replace':
      return (timesIn(first, second) * lengthOf(third)) / 10;
    case 'join':
      return (lengthOf(first) * lengthOf(second)) / 10;
    case 'range':
      return given.reduce((most: number, count) => (typeof count === 'bigint' ? Number(count) : most), 0) / 10;
    case 'check':
      return 350_000;
    default:
      return 0;
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

function timesIn(text: unknown, part: unknown): number {
  if (typeof text !== 'string' || typeof part !== 'string') return 0;
  if (part === '') return text.length + 1;
  let times = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) times++;
  return times;
}
