import { describe, expect, it } from 'vitest';
import { formatFieldError } from './field-error.ts';
import type { JsonSchema } from './json-schema.ts';
import { checkStructural } from './structural.ts';
import { acceptedSchemas, refusedSchemas } from './testing/structural-cases.ts';

/** The findings on a schema whose one field `x` is `field`. */
const found = (field: JsonSchema) =>
  checkStructural({ type: 'object', properties: { x: field } }, 'S')
    .map(formatFieldError)
    .map((text) => text.replace('S.properties[x]', 'x'));

const item: JsonSchema = { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] };

describe('a schema that is not structural', () => {
  it.each(refusedSchemas)('%s', (_what, field, errors) => {
    expect(found(field)).toEqual(errors);
  });

  it('speaks of more of metadata than its name', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    };
    expect(checkStructural(schema, 'S').map(formatFieldError)).toEqual([
      'S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  });

  it('has free fields at the root, or is no object there', () => {
    expect(checkStructural({ type: 'object', additionalProperties: item }, 'S').map(formatFieldError)).toEqual([
      'S.additionalProperties: Forbidden: must not be used at the root',
    ]);
    expect(checkStructural({ type: 'string' }, 'S').map(formatFieldError)).toEqual([
      'S.type: Invalid value: "string": must be object at the root',
    ]);
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
