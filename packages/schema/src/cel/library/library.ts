import type { Environment } from '@marcbachmann/cel-js';
import { sameValue } from '../values/values.ts';

/**
 * Functions of CEL by their signatures, for an environment. What they throw is the text of the
 * failure.
 */
export interface Library {
  /** Types by name: the class of their values, and which of its fields expressions see. */
  readonly types?: Readonly<Record<string, ValueClass | TypeWithFields>> | undefined;
  /** Names that functions are asked of, as `sets.contains`. */
  readonly namespaces?: readonly string[] | undefined;
  readonly functions: Readonly<Record<string, (...given: never[]) => unknown>>;
}

type ValueClass = new (...given: never[]) => object;

interface TypeWithFields {
  readonly ctor: ValueClass;
  /** The type of each. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Makes the functions of a library known to an environment. A function of the namespace `sets` is
 * written `SetsSpace.contains`.
 */
export function addLibrary(environment: Environment, { types = {}, namespaces = [], functions }: Library): void {
  for (const [name, type] of Object.entries(types)) {
    environment.registerType(name, typeof type === 'function' ? { ctor: type } : type);
    environment.registerOperator(`${name} == ${name}`, sameValue);
    environment.registerOperator(`${name} == null`, () => false);
  }
  for (const name of namespaces) {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Space`;
    const Space = class extends Map {};
    environment.registerType(type, { ctor: Space });
    environment.registerConstant(name, type, new Space());
  }
  for (const [signature, implementation] of Object.entries(functions)) {
    environment.registerFunction(signature, implementation as (...given: unknown[]) => unknown, { async: false });
  }
}
