/**
 * A JSON text as data, with the details that plain data loses. All keys are data, whatever their
 * names.
 */
export interface ParsedJson {
  readonly value: unknown;
  readonly oddities: Oddities;
  /** The errors for keys that YAML contains twice. */
  readonly repeatedKeys?: readonly string[] | undefined;
}

/** The details of a JSON text beyond its value; empty for nearly all texts. */
export interface Oddities {
  /** Objects with a repeated key, with all their entries as they were written. */
  readonly entries: ReadonlyMap<object, readonly Entry[]>;
  /**
   * Numbers as they were written, by object or list and key. Only those that are not integers
   * within a double (`1.0`, `1e3`, `-0`).
   */
  readonly literals: ReadonlyMap<object, ReadonlyMap<string, string>>;
}

export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly literal?: string | undefined;
}

export type JsonResult =
  | { readonly kind: 'parsed'; readonly json: ParsedJson }
  /**
   * `message`: Go's error without the position:
   * `invalid character '}' looking for beginning of value`.
   */
  | { readonly kind: 'malformed'; readonly message: string };

/** Nothing odd: for values that come from elsewhere. */
export const noOddities: Oddities = { entries: new Map(), literals: new Map() };
