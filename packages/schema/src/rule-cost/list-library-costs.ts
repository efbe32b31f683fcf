import type { CallCost, CallSite } from './call-site.ts';
import { sizeOf, withGiven } from './call-site.ts';
import type { CelTree } from './cel-tree.ts';
import type { Size } from './saturating.ts';
import { exactly, most, product, scaled, sizeProduct, sum } from './saturating.ts';

/** The extensions of lists and sets: cel-go's `ext/lists.go`, `ext/sets.go`. */
export function listLibraryCosts(site: CallSite): readonly CallCost[] | undefined {
  const { name, receiver, given } = site;
  const [first, second] = given;
  if (receiver === undefined) {
    switch (name) {
      case 'sets.contains':
      case 'sets.intersects':
        return [setCost(site, 1)];
      case 'sets.equivalent':
        return [setCost(site, 2)];
      case 'lists.range':
        return [made(site, 1, exactly(intOf(first?.tree, most)))];
      default:
        return undefined;
    }
  }
  const size = sizeOf(receiver);
  switch (`${name}/${given.length}`) {
    case 'slice/2':
      return [made(site, 1, exactly(unsigned(intOf(second?.tree, size.max) - intOf(first?.tree, 0))))];
    case 'flatten/0':
      return [made(site, 1, size)];
    case 'flatten/1':
      return [made(site, intOf(first?.tree, most), size)];
    case 'reverse/0':
      return [made(site, 1, size)];
    case 'distinct/0':
      return [made(site, 2, sizeProduct(size, size))];
    case 'sort/0':
      return [made(site, sortFactor(receiver.tree), sizeProduct(size, size))];
    default:
      return undefined;
  }
}

function setCost(site: CallSite, factor: number): CallCost {
  const [a, b] = site.given;
  return withGiven(site, sum(scaled(product(sizeOf(a).max, sizeOf(b).max), factor), 1));
}

/** A list that is made: 10 for it, 1 for the call. */
function made(site: CallSite, factor: number, size: Size): CallCost {
  return withGiven(site, sum(scaled(size.max, factor), 11), size);
}

/** Texts are compared by their content, which costs more. */
function sortFactor({ type: { parameters: [item] = [] } }: CelTree): number {
  return item === undefined || ['string', 'bytes', 'dyn'].includes(item.kind) ? 2.1 : 2;
}

/** The value of an int that is written there. */
function intOf(tree: CelTree | undefined, otherwise: number): number {
  if (tree?.kind !== 'literal' || tree.int === undefined) return otherwise;
  return tree.int < 0n ? 0 : Number(tree.int);
}

/** Without a sign there is nothing below 0: it starts again from the most. */
function unsigned(value: number): number {
  return value < 0 ? most : value;
}
