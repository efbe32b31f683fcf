/** A JSON text as data, with what plain data can't say. Keys are data, whatever they are called. */
export interface ParsedJson {
  readonly value: unknown;
  readonly oddities: Oddities;
  /** What is told of keys that YAML gave twice. */
  readonly repeatedKeys?: readonly string[] | undefined;
}

/** What JSON says beyond the value; empty for nearly all texts. */
export interface Oddities {
  /** Objects in which a key stands more than once, with all their entries as they were written. */
  readonly entries: ReadonlyMap<object, readonly Entry[]>;
  /** Numbers as they were written, by object or list and key, where they are no integers that a double holds (`1.0`, `1e3`, `-0`). */
  readonly literals: ReadonlyMap<object, ReadonlyMap<string, string>>;
}

export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly literal?: string | undefined;
}

export type JsonResult =
  | { readonly kind: 'parsed'; readonly json: ParsedJson }
  /** `message`: what Go says, without the place: `invalid character '}' looking for beginning of value`. */
  | { readonly kind: 'malformed'; readonly message: string };

/** Nothing odd: for values that come from elsewhere. */
export const noOddities: Oddities = { entries: new Map(), literals: new Map() };
