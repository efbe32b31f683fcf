import type { FieldError, JsonSchema, KnownOfRules } from '@isthmus/schema';

/** What the rules of a schema say of an object. */
export interface RulesVerdict {
  readonly errors: readonly FieldError[];
  /** What they say of parts that an update leaves as they are: API servers from 1.30 on only warn of it (KEP-4008). */
  readonly forgiven: readonly string[];
}

/** The CEL rules of one schema made ready. */
export interface CompiledRules {
  /** What keeps the rules from being accepted (F33): they do not compile, or cost too much. Paths are from the root of the schema. */
  readonly problems: readonly FieldError[];
  /** Judges an object, and an update of it where `before` is given. Bounded: what cannot be evaluated within the budget is an error. */
  judge(object: unknown, before?: unknown): RulesVerdict;
}

/** Makes the CEL rules of a schema ready; undefined where it has none. `known` bears on the problems: its paths are from the root of the schema. */
export type CompileRules = (schema: JsonSchema, known?: KnownOfRules) => CompiledRules | undefined;
