import type { FieldError, JsonSchema } from '@isthmus/machinery';

/** The CEL rules of one schema made ready. */
export interface CompiledRules {
  /** What keeps the rules from being accepted (F33): they do not compile, or cost too much. Paths are from the root of the schema. */
  readonly problems: readonly FieldError[];
  /** What the rules say of an object; of an update where `before` is given. Errors about unchanged parts are told too. */
  judge(object: unknown, before?: unknown): readonly FieldError[];
}

/** Makes the CEL rules of a schema ready; undefined where it has none. */
export type CompileRules = (schema: JsonSchema) => CompiledRules | undefined;
