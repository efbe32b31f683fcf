import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { checkStructural } from './structural.ts';
import { acceptedSchemas, refusedRoots, refusedSchemas, withoutEngine } from '../testing/structural-cases.ts';

/** The findings on a schema whose one field `x` is `field`. */
const found = (field: JsonSchema) =>
  checkStructural({ type: 'object', properties: { x: field } }, 'S')
    .map(formatFieldError)
    .map((text) => withoutEngine(text.replace('S.properties[x]', 'x')));

describe('a schema that is not structural', () => {
  it.each(refusedSchemas)('%s', (_what, field, errors) => {
    expect(found(field)).toEqual(errors);
  });

  it.each(refusedRoots)('%s', (_what, root, errors) => {
    expect(checkStructural(root, 'S').map(formatFieldError)).toEqual(errors);
  });

  it('is nested too deep, alternatives counted', () => {
    let not: JsonSchema = {};
    for (let i = 0; i < 100_000; i++) not = { not };
    expect(found({ type: 'object', not })).toEqual(['S: Forbidden: must not be nested deeper than 200 levels']);
  });
});

describe('a structural schema', () => {
  it.each(acceptedSchemas)('%s', (_what, field) => {
    expect(found(field)).toEqual([]);
  });
});
