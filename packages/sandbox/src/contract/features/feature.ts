/**
 * A feature of the sandbox that can be switched off: one exported function is replaced by another
 * of the same type. Requests are still answered, and some case of the contract suite must notice.
 */
export interface Feature {
  /** The feature that is switched off, as a sentence. */
  readonly title: string;
  /** The area whose cases are to notice. */
  readonly area: string;
  /** The module of the function, below `packages/sandbox/src`. */
  readonly file: string;
  /** The function's exported name. */
  readonly name: string;
  /** Returns the replacement for the function, within its module and wherever it is imported. */
  readonly off: (on: Callable) => Callable;
}

export type Callable = (...given: never[]) => unknown;

/**
 * Switches of the functions of one module; `Module` is its type. A name that the module does not
 * export does not compile.
 */
export function switchesOf<Module>(file: string) {
  return <Name extends keyof Module & string>(
    title: string,
    area: string,
    name: Name,
    off: (on: Module[Name]) => Module[Name],
  ): Feature => ({ title, area, file, name, off: off as unknown as Feature['off'] });
}
