import type { CelTree } from './cel-tree.ts';
import type { EntrySizes } from './entry-sizes.ts';
import type { GrowingPath } from './growing-path.ts';
import type { Size } from './saturating.ts';
import { sum, unknownSize } from './saturating.ts';
import type { ValueBounds } from './value-bounds.ts';
import { sizeAt } from './value-bounds.ts';

/** An argument of a call, with the facts that are known before evaluation. */
export interface Operand {
  readonly tree: CelTree;
  readonly path: GrowingPath | undefined;
  readonly size: Size | undefined;
  readonly entries: EntrySizes | undefined;
}

/** A call whose cost is asked for. */
export interface CallSite {
  readonly name: string;
  readonly receiver: Operand | undefined;
  readonly given: readonly Operand[];
  /** The costs of the arguments themselves. */
  readonly costs: readonly number[];
  readonly bounds: ValueBounds;
}

/** The cost of one overload of a call, including its arguments. */
export interface CallCost {
  readonly cost: number;
  /** The size of the result. */
  readonly size?: Size | undefined;
  readonly entries?: EntrySizes | undefined;
  /** The result is this part of the first argument: `@items`, `@values`. */
  readonly part?: string | undefined;
}

/** A call of its own cost. */
export function withGiven({ costs }: CallSite, own: number, size?: Size): CallCost {
  return { cost: costs.reduce(sum, own), size };
}

export function sizeOf(operand: Operand | undefined): Size {
  return operand?.size ?? unknownSize;
}

/** How large the items of a list can be. */
export function itemSize({ path }: Operand, bounds: ValueBounds): Size {
  const at = path === undefined ? undefined : [...path.names(), '@items'];
  return (at === undefined ? undefined : sizeAt(bounds, at)) ?? unknownSize;
}
