/**
 * An expression of CEL as cel-go holds it when it was checked: macros are expanded, functions of a
 * namespace (`sets.contains`) are calls without a receiver, operators are calls too, by the names
 * that cel-go has for them (`_+_`, `@in`, `_[_]`, `_?_:_`).
 */
export type CelTree =
  | CelLiteral
  | (Typed & { readonly kind: 'name'; readonly name: string })
  | (Typed & { readonly kind: 'field'; readonly of: CelTree; readonly field: string })
  /** `has(a.b)`, of which only `a` is evaluated. */
  | (Typed & { readonly kind: 'presence'; readonly of: CelTree })
  | CelCall
  | (Typed & { readonly kind: 'list'; readonly items: readonly CelTree[] })
  | (Typed & { readonly kind: 'map'; readonly entries: readonly (readonly [key: CelTree, value: CelTree])[] })
  | CelLoop
  /** A value that has a name within another expression (`optMap`). */
  | (Typed & { readonly kind: 'bind'; readonly name: string; readonly value: CelTree; readonly body: CelTree });

export interface CelLiteral extends Typed {
  readonly kind: 'literal';
  /** The size: of a text in code points, of bytes in bytes, else 1. */
  readonly size: number;
  /** The value of an int. */
  readonly int?: bigint | undefined;
}

export interface CelCall extends Typed {
  readonly kind: 'call';
  readonly name: string;
  readonly receiver?: CelTree | undefined;
  readonly given: readonly CelTree[];
}

/** A loop over a list or a map that changes an accumulator with each step. */
export interface CelLoop extends Typed {
  readonly kind: 'loop';
  readonly range: CelTree;
  /** One variable: an item, or a key of a map. Two: index and item, or key and value. */
  readonly variables: readonly [string] | readonly [string, string];
  readonly init: CelTree;
  readonly goesOn: CelTree;
  readonly step: CelTree;
  readonly result: CelTree;
}

interface Typed {
  readonly type: CelType;
}

export interface CelType {
  readonly kind:
    | 'bool'
    | 'int'
    | 'uint'
    | 'double'
    | 'string'
    | 'bytes'
    | 'duration'
    | 'timestamp'
    | 'null'
    | 'type'
    | 'list'
    | 'map'
    | 'object'
    | 'optional'
    | 'dyn';
  /** The name of an object type. It distinguishes object types. */
  readonly name?: string | undefined;
  /**
   * The type of the items of a list, the types of the keys and values of a map, or the type of the
   * value of an optional.
   */
  readonly parameters?: readonly CelType[] | undefined;
}

/** The accumulator of a loop: no expression can name it. */
export const accumulator = '@result';
