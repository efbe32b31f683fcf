import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { KnownOfRules } from '../definition/definition-schema.ts';
import { ruleErrors } from './rule-errors.ts';
import { compileRules, hasRules } from './rules.ts';

/**
 * The CEL rules of a schema, for callers without an API server such as the checks of upgrades. They
 * report errors in the rules, with paths from the root of the schema, and errors of an object.
 * `forgiven` contains errors that an API server from 1.30 on reports as warnings, because the part
 * is unchanged. Returns undefined if the schema has no rules.
 *
 * `known`: known facts about the schema, with paths from its root; see `ruleErrors` of the
 * definitions.
 */
export function rulesEngine(
  schema: JsonSchema,
  known?: KnownOfRules,
):
  | {
      readonly problems: readonly FieldError[];
      judge(
        object: unknown,
        before?: unknown,
      ): { readonly errors: readonly FieldError[]; readonly forgiven: readonly string[] };
    }
  | undefined {
  if (!hasRules(schema)) return undefined;
  const rules = compileRules(schema);
  return {
    get problems() {
      return ruleErrors(schema, '', known);
    },
    judge(object, before) {
      const verdict = rules?.judge(object, before);
      return { errors: verdict?.errors ?? [], forgiven: verdict?.warnings ?? [] };
    },
  };
}
