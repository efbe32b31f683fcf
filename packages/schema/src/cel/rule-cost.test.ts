import { describe, expect, it } from 'vitest';
import { definitionErrors } from '../definition/definition-validation.ts';
import { formatFieldError } from '../field-error.ts';
import { withDefinitionDefaults } from '../definition/definition-defaults.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Definition as StoredDefinition } from '../definition/definition.ts';
import recorded from './fixtures/cost-answers.json' with { type: 'json' };
import { ruleErrors } from './rule-errors.ts';
import type { CostAnswers } from './testing/cost-answers.ts';
import { keyOf, kindWith } from './testing/cost-answers.ts';
import { costCases, costSchemas, itemsWith } from './testing/cost-cases.ts';

const answers: CostAnswers = recorded;

const storedOf = (schema: JsonSchema) => {
  const status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] };
  return withDefinitionDefaults({ ...(kindWith(schema) as unknown as StoredDefinition), status });
};
const said = (schema: JsonSchema, before?: JsonSchema) =>
  definitionErrors(storedOf(schema), ruleErrors, before && storedOf(before))
    .map(formatFieldError)
    .toSorted();

describe('what rules may cost is estimated as a real API server does', () => {
  describe.each(Object.entries(costCases))('%s', (_, cases) => {
    it.each(cases)('%s fits %d times, not %d times', (rule, fits, exceeds) => {
      const [accepted, refused] = [answers[keyOf(rule, fits)], answers[keyOf(rule, exceeds)]];
      expect(accepted).toEqual([]);
      expect(refused?.join()).toContain('exceeds budget by factor of');
      expect(said(itemsWith(fits, rule))).toEqual(accepted);
      expect(said(itemsWith(exceeds, rule))).toEqual(refused);
    });
  });

  it.each(Object.entries(costSchemas))('in a whole schema: %s', (title, schema) => {
    expect(said(schema)).toEqual(answers[title]);
  });
});

describe('an update that leaves the schema as it is', () => {
  it('is forgiven what one rule costs', () => {
    const schema = itemsWith(25_000, 'self.sl.all(a, self.sl.all(b, a == b))');
    expect(said(schema)).toHaveLength(1);
    expect(said(schema, schema)).toEqual([]);
    expect(said(schema, itemsWith(14, 'self.n > 1'))).toHaveLength(1);
  });

  it('is not forgiven what all rules cost', () => {
    const schema = costSchemas['rules that cost too much together'] ?? {};
    expect(said(schema, schema)).toEqual(answers['rules that cost too much together']);
  });
});
