import { compileDefaults } from './compiled-defaults.ts';
import { compileLists } from './compiled-lists.ts';
import { compilePruning } from './compiled-pruning.ts';
import { compileValidation } from './compiled-validation.ts';
import type { ReadPattern } from './compiled-scalars.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isTooDeep, maxSchemaDepth } from '../schema-depth.ts';

/** A value without the fields that a schema does not know. */
export interface Pruned {
  readonly value: unknown;
  /** The paths of what went, sorted bytewise, each once: `spec.ports[0].colour`. */
  readonly unknownFields: readonly string[];
}

/**
 * A schema made ready: compile once, use often. Values are plain JSON; a member that is `undefined`
 * is absent.
 */
export interface CompiledSchema {
  /**
   * Everything that is wrong with the value, in the API server's words; empty where it is valid.
   * Does not default or prune.
   */
  validate(value: unknown, path?: string): readonly FieldError[];
  /**
   * The value with defaults filled in and stray nulls dropped; the same value where that changes
   * nothing.
   */
  applyDefaults(value: unknown): unknown;
  /** The value without unknown fields; the same value where there are none. */
  prune(value: unknown): Pruned;
}

/** How a schema is used. */
export interface CompileOptions {
  /**
   * The schema is that of a whole resource: apiVersion, kind and the fields of metadata are known
   * without being listed. Default false.
   */
  readonly isResourceRoot?: boolean | undefined;
}

/**
 * Compiles a structural schema to functions. CEL rules (`x-kubernetes-validations`) are kept in
 * schemas but not evaluated; embedded resources are pruned but their names are not validated.
 *
 * Cost: linear in the value and in the parts of the schema that it uses; sets and maps are compared
 * by JSON text. Recursion follows the schema, so no value overflows the stack. Errors: throws if
 * the schema is nested too deep or `readPattern` throws.
 */
export function compileWith(
  readPattern: ReadPattern,
  schema: JsonSchema,
  options: CompileOptions = {},
): CompiledSchema {
  if (isTooDeep(schema)) throw new Error(`the schema is nested deeper than ${maxSchemaDepth} levels`);
  const check = compileValidation(schema, readPattern);
  const checkLists = compileLists(schema);
  const fillIn = compileDefaults(schema);
  const dropUnknown = compilePruning(schema, options.isResourceRoot ?? false);
  return {
    validate(value, path = '') {
      const errors: FieldError[] = [];
      check(value, path, errors);
      checkLists?.(value, path, errors);
      return errors;
    },
    applyDefaults: fillIn,
    prune(value) {
      const unknown: string[] = [];
      const kept = dropUnknown(value, '', unknown);
      return { value: kept, unknownFields: [...new Set(unknown)].sort() };
    },
  };
}
