import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { ruledParts } from './ruled-parts.ts';

const ruled: JsonSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: "self != ''" }] };

describe('a schema has rules', () => {
  it.each<readonly [string, JsonSchema, boolean]>([
    ['itself', ruled, true],
    ['in a property', { type: 'object', properties: { a: { type: 'string' }, b: ruled } }, true],
    ['in the items of a list', { type: 'array', items: { type: 'array', items: ruled } }, true],
    ['in the values of a map', { type: 'object', additionalProperties: ruled }, true],
    ['nowhere', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }, false],
    ['nowhere, with an empty list of them', { type: 'string', 'x-kubernetes-validations': [] }, false],
  ])('%s', (_, schema, isRuled) => {
    const check = ruledParts();
    expect([check(schema), check(schema)]).toEqual([isRuled, isRuled]);
  });
});
