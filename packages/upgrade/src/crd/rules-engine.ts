import type { FieldError, JsonSchema, KnownOfRules } from '@isthmus/schema';

/** The verdict of a schema's rules on an object. */
export interface RulesVerdict {
  readonly errors: readonly FieldError[];
  /**
   * Errors in parts that an update leaves unchanged: API servers from 1.30 on report them as
   * warnings (KEP-4008).
   */
  readonly forgiven: readonly string[];
}

/** The CEL rules of one schema made ready. */
export interface CompiledRules {
  /**
   * Why the API server would reject the rules (F33): they do not compile, or cost too much. Paths
   * are from the root of the schema.
   */
  readonly problems: readonly FieldError[];
  /**
   * Judges an object, and an update of it where `before` is given. Bounded: what cannot be
   * evaluated within the budget is an error.
   */
  judge(object: unknown, before?: unknown): RulesVerdict;
}

/**
 * Makes the CEL rules of a schema ready; undefined where it has none. `known` bears on the
 * problems: its paths are from the root of the schema.
 */
export type CompileRules = (schema: JsonSchema, known?: KnownOfRules) => CompiledRules | undefined;
