import type { FieldError, JsonSchema } from '@isthmus/machinery';
import { ruleErrors } from './cel/rule-errors.ts';
import { compileRules, hasRules } from './cel/rules.ts';

/**
 * The CEL rules of a schema for those who judge by them without an API server, such as the checks of upgrades: what keeps them from being
 * accepted, with paths from the root of the schema, and what they say of an object. `forgiven` is what an API server from 1.30 on only warns of,
 * because the part is as it was. Undefined where the schema has no rules.
 *
 * Limit: what a rule may cost at most is not estimated; what it does cost is limited, so that judging ends.
 */
export function rulesEngine(schema: JsonSchema):
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
    problems: ruleErrors(schema, ''),
    judge(object, before) {
      const verdict = rules?.judge(object, before);
      return { errors: verdict?.errors ?? [], forgiven: verdict?.warnings ?? [] };
    },
  };
}
