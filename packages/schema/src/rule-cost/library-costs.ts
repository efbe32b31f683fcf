import type { CallSite, Operand } from './call-site.ts';
import { itemSize, sizeOf } from './call-site.ts';
import type { CelType } from './cel-tree.ts';
import type { Size } from './saturating.ts';
import { exactly, most, product, scaled, sizeProduct, sizeSum, sum } from './saturating.ts';

/** A text is looked at for a tenth of its length, a pattern weighs a quarter of it. */
export const perCharacter = 0.1;
const perPatternCharacter = 0.25;

interface OwnCost {
  readonly cost: number;
  readonly size?: Size | undefined;
}

/**
 * Kubernetes' libraries, and the functions of texts that it weighs itself (k8s.io/apiserver,
 * `pkg/cel/library/cost.go`).
 */
export function libraryCost(site: CallSite): OwnCost | undefined {
  const { name, receiver, given, bounds } = site;
  const [first, second] = given;
  const text = sizeOf(receiver);
  const read = (times = 1) =>
    first === undefined ? undefined : { cost: scaled(sizeOf(first).max, times * perCharacter) };
  switch (name) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return receiver && { cost: lookedThrough(receiver, site) };
    case 'url':
      return given.length === 1 ? { cost: scaled(sizeOf(first).max, perCharacter), size: sizeOf(first) } : undefined;
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return receiver && { cost: scaled(text.max, perCharacter), size: text };
    case 'replace':
      return (
        receiver && first && second && { cost: scaled(text.max, 2 * perCharacter), size: replaced(text, first, second) }
      );
    case 'split': {
      const limit = second?.tree.kind === 'literal' ? second.tree.int : undefined;
      const parts = limit === undefined ? text.max : limit < 0n ? most : Number(limit);
      return receiver && { cost: scaled(text.max, 2 * perCharacter), size: { min: 0, max: parts } };
    }
    case 'join': {
      if (receiver === undefined) return undefined;
      const size = joined(
        receiver,
        first,
        receiver.tree.type.parameters === undefined ? exactly(0) : itemSize(receiver, bounds),
      );
      return { cost: scaled(size.max, perCharacter), size };
    }
    case 'find':
    case 'findAll':
      return receiver && first && { cost: matched(text, sizeOf(first)), size: { min: 0, max: text.max } };
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return read();
    case 'ip':
      return receiver === undefined ? read() : { cost: 1 };
    case 'ip.isCanonical':
      return read(2);
    case 'containsIP':
      return first && { cost: sum(4, parsed(first)) };
    case 'containsCIDR':
      return first && { cost: sum(7, parsed(first)) };
    case 'validate':
      return first && { cost: scaled(scaled(sizeOf(first).max, perCharacter), 128 * perPatternCharacter) };
    case '_==_':
      return first && second && equalityCost(first, second);
    default:
      return cheap.has(name) ? { cost: 1 } : undefined;
  }
}

/** Functions that only read a stored value. */
const cheap: ReadonlySet<string> = new Set([
  'masked',
  'prefixLength',
  'family',
  'isUnspecified',
  'isLoopback',
  'isLinkLocalMulticast',
  'isLinkLocalUnicast',
  'isGlobalUnicast',
  'format.named',
  'sign',
  'asInteger',
  'isInteger',
  'asApproximateFloat',
  'isGreaterThan',
  'isLessThan',
  'compareTo',
  'add',
  'sub',
  'major',
  'minor',
  'patch',
  'getScheme',
  'getHostname',
  'getHost',
  'getPort',
  'getEscapedPath',
  'getQuery',
]);

/** 1 for each item, and what texts among them weigh; a text as it is. */
function lookedThrough(list: Operand, { bounds }: CallSite): number {
  const [item] = list.tree.type.parameters ?? [];
  const { max } = sizeOf(list);
  if (item === undefined) return scaled(max, perCharacter);
  const isText = item.kind === 'string' || item.kind === 'bytes';
  return product(max, isText ? sum(1, scaled(itemSize(list, bounds).max, perCharacter)) : 1);
}

function replaced(text: Size, old: Operand, by: Operand): Size {
  const [from, to] = [sizeOf(old), sizeOf(by)];
  // Nothing is everywhere between the characters, which stay.
  const times = { min: 0, max: 0 };
  const kept = { min: 0, max: 0 };
  if (from.min === 0) [times.max, kept.max] = [sum(text.max, 1), text.max];
  else if (to.max <= from.min) kept.max = text.max;
  else times.max = Math.ceil(text.max / from.min);
  if (from.max === 0) [times.min, kept.min] = [sum(text.min, 1), text.min];
  else if (from.max <= to.min) kept.min = text.min;
  else times.min = Math.ceil(text.min / from.max);
  return sizeSum(sizeProduct(times, to), kept);
}

function joined(list: Operand, separator: Operand | undefined, item: Size): Size {
  const count = sizeOf(list);
  const items = sizeProduct(count, item);
  if (separator === undefined) return items;
  const between = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
  return sizeSum(items, sizeProduct(sizeOf(separator), between));
}

/** The cost of searching a pattern. */
export function matched(text: Size, pattern: Size): number {
  return product(scaled(sum(text.max, 1), perCharacter), scaled(pattern.max, perPatternCharacter));
}

/** An address or network that is given as a text has to be read. */
function parsed(operand: Operand): number {
  const { kind } = operand.tree.type;
  return kind === 'string' || kind === 'dyn' ? scaled(sizeOf(operand).max, perCharacter) : 0;
}

function equalityCost({ tree: { type } }: Operand, other: Operand): OwnCost | undefined {
  if (type.kind !== 'object' || type.name !== other.tree.type.name) return undefined;
  switch (type.name satisfies CelType['name']) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return { cost: 1 };
    case 'kubernetes.NamedFormat':
      return { cost: scaled(64, perCharacter) };
    case 'kubernetes.URL':
      return { cost: scaled(other.size?.max ?? 1, perCharacter) };
    default:
      return undefined;
  }
}
