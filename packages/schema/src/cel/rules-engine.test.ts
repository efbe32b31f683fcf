import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { rulesEngine } from './rules-engine.ts';

const schemaWith = (rule: string): JsonSchema => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule }] },
  },
});

describe('the rules of a schema without an API server', () => {
  it('are empty where the schema has none', () => {
    expect(rulesEngine({ type: 'object' })).toBeUndefined();
  });

  it('report what keeps them from being accepted, from the root of the schema', () => {
    expect(rulesEngine(schemaWith('self.b > 1'))?.problems).toMatchObject([
      { path: '.properties[spec].x-kubernetes-validations[0].rule' },
    ]);
    expect(rulesEngine(schemaWith('self.a > 1'))?.problems).toEqual([]);
  });

  it('judge an object, and forgive an update what it leaves as it was', () => {
    const rules = rulesEngine(schemaWith('self.a > 1'));
    const object = { spec: { a: 1 } };
    expect(rules?.judge(object)).toMatchObject({ errors: [{ path: 'spec' }], forgiven: [] });
    expect(rules?.judge({ ...object, other: 1 }, object)).toMatchObject({
      errors: [],
      forgiven: [expect.stringContaining('failed rule')],
    });
  });

  it('forgive items of a list without keys only where the whole list is as it was', () => {
    const items: JsonSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'bad'" }] };
    const rules = rulesEngine({
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'array', items } } },
    });
    const before = { list: [['bad']] };
    expect(rules?.judge({ ...before, other: 1 }, before)).toMatchObject({ errors: [], forgiven: [expect.anything()] });
    expect(rules?.judge({ list: [['bad'], []] }, before)).toMatchObject({
      errors: [{ path: 'list[0][0]' }],
      forgiven: [],
    });
  });
});
