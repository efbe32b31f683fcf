import { canonicalJson } from '@isthmus/machinery';

/**
 * The canonical text of a JSON value by RFC 8785: keys sorted by UTF-16 code units, numbers and
 * texts as ECMAScript writes them. Throws for values that the RFC rejects, with their place: a
 * number that is not finite, a text or key with half of a surrogate pair. Recurses as deep as the
 * value is nested: the reader of values bounds the depth.
 */
export function canonicalText(value: unknown): string {
  refuseOddities(value, '');
  return canonicalJson(value);
}

function refuseOddities(value: unknown, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new Error(`${path}: ${value} is not a JSON number, and has no canonical form (RFC 8785 §3.2.2.3)`);
  }
  if (typeof value === 'string') refuseHalves(value, path);
  else if (Array.isArray(value)) value.forEach((item, index) => refuseOddities(item, `${path}[${index}]`));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      refuseHalves(key, at);
      refuseOddities(member, at);
    }
  }
}

function refuseHalves(text: string, path: string): void {
  if (text.isWellFormed()) return;
  throw new Error(`${path.toWellFormed()}: half of a surrogate pair, which has no canonical form (RFC 8785 §3.2.2.2)`);
}
