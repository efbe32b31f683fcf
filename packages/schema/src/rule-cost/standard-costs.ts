import type { CallCost, CallSite, Operand } from './call-site.ts';
import { sizeOf, withGiven } from './call-site.ts';
import type { CelType } from './cel-tree.ts';
import { eitherEntry } from './entry-sizes.ts';
import { matched, perCharacter } from './library-costs.ts';
import { eitherSize, most, product, scaled, sizeSum, sum } from './saturating.ts';

/** The language itself, as far as its calls do not cost 1: cel-go's `checker/cost.go`. */
export function standardCosts(site: CallSite): readonly CallCost[] | undefined {
  const { name, receiver, given } = site;
  const [first, second] = given;
  const one = withGiven(site, 1);
  const text = (operand: Operand | undefined) => scaled(sizeOf(operand).max, perCharacter);
  switch (name) {
    case '_?_:_':
      return [choiceCost(site)];
    case '_&&_':
    case '_||_':
      return [withGiven(site, 0)];
    case '_==_':
    case '_!=_':
      return [comparedCost(site)];
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return ofKinds(given, [[texts, comparedCost(site)]], one);
    case '_+_':
      return sumCosts(site, one);
    case '@in':
      return ofKind(second, [['list', withGiven(site, sizeOf(second).max)]], one);
    case '_[_]':
      return indexCosts(first, second, one);
    case 'startsWith':
    case 'endsWith':
      return receiver && [withGiven(site, text(first))];
    case 'contains':
      return receiver && [withGiven(site, product(text(receiver), text(first)))];
    case 'matches':
      return receiver && [withGiven(site, matched(sizeOf(receiver), sizeOf(first)))];
    case 'format':
      return receiver && [withGiven(site, text(receiver))];
    case 'string':
      return ofKind(first, [['bytes', withGiven(site, text(first), quarter(first))]], one);
    case 'bytes':
      return ofKind(first, [['string', withGiven(site, text(first), fourfold(first))]], one);
    case 'strings.quote':
      return [withGiven(site, text(first), quoted(first))];
    default:
      return undefined;
  }
}

const texts: readonly CelType['kind'][] = ['string', 'bytes'];

/** The overloads that an operand can mean: the one of its kind, all where the kind is not known. */
function ofKind(
  operand: Operand | undefined,
  dear: readonly (readonly [CelType['kind'], CallCost])[],
  other: CallCost,
): readonly CallCost[] {
  const kind = operand?.tree.type.kind ?? 'dyn';
  if (kind === 'dyn') return [...dear.map(([, cost]) => cost), other];
  return [dear.find(([own]) => own === kind)?.[1] ?? other];
}

/** The same for operands that are of one kind. */
function ofKinds(
  given: readonly Operand[],
  dear: readonly (readonly [readonly CelType['kind'][], CallCost])[],
  other: CallCost,
): readonly CallCost[] {
  const known = given.map(({ tree }) => tree.type.kind).find((kind) => kind !== 'dyn');
  if (known === undefined) return [...dear.map(([, cost]) => cost), other];
  return [dear.find(([kinds]) => kinds.includes(known))?.[1] ?? other];
}

function choiceCost({ given, costs }: CallSite): CallCost {
  const [, yes, no] = given;
  const [condition = 0, ifYes = 0, ifNo = 0] = costs;
  return {
    cost: sum(condition, Math.max(ifYes, ifNo)),
    size: eitherSize(sizeOf(yes), sizeOf(no)),
    entries: eitherEntry(yes?.entries, no?.entries),
  };
}

/** As far as the shorter one goes. */
function comparedCost(site: CallSite): CallCost {
  const [a, b] = site.given;
  return withGiven(site, scaled(Math.min(sizeOf(a).max, sizeOf(b).max), perCharacter));
}

function sumCosts(site: CallSite, one: CallCost): readonly CallCost[] {
  const [a, b] = site.given;
  const size = sizeSum(sizeOf(a), sizeOf(b));
  const entries = eitherEntry(a?.entries, b?.entries);
  const text = { ...withGiven(site, scaled(size.max, perCharacter), size), entries };
  const list = { ...withGiven(site, 1, size), entries };
  return ofKinds(
    site.given,
    [
      [texts, text],
      [['list'], list],
    ],
    one,
  );
}

function indexCosts(holder: Operand | undefined, index: Operand | undefined, one: CallCost): readonly CallCost[] {
  const item = { ...one, part: '@items' };
  const value = { ...one, part: '@values' };
  switch (holder?.tree.type.kind) {
    case 'list':
      return [item];
    case 'map':
      return [value];
    case 'optional':
      return [one];
    default:
      return ['int', 'dyn'].includes(index?.tree.type.kind ?? 'dyn') ? [item, value, one] : [value, one];
  }
}

function fourfold(operand: Operand | undefined) {
  const { min, max } = sizeOf(operand);
  return { min, max: Math.min(max * 4, most) };
}

function quarter(operand: Operand | undefined) {
  const { min, max } = sizeOf(operand);
  return { min: Math.floor(min / 4), max };
}

/** A size without a known bound overflows to 0 when it is doubled. */
function quoted(operand: Operand | undefined) {
  const { min, max } = sizeOf(operand);
  return { min: min + 2, max: max === most ? 0 : max * 2 + 2 };
}
