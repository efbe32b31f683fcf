import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../json-schema.ts';
import { declareTypes } from './declared-type.ts';
import { kubernetesEnvironment } from './environment.ts';
import { ruleErrors } from './rule-errors.ts';

const text: JsonSchema = { type: 'string' };
const object = (properties: Readonly<Record<string, JsonSchema>>, rule?: string): JsonSchema => ({
  type: 'object',
  properties,
  ...(rule === undefined ? {} : { 'x-kubernetes-validations': [{ rule }] }),
});

describe('the types of a schema whose rules are only compiled', () => {
  const schema = object(
    {
      named: { type: 'array', items: object({ 'a-b': object({ text }), other: object({ text }) }) },
      other: object({ named: object({ text }) }),
      ruled: object({ inner: object({ named: object({ text }) }, "self.named.text != ''") }),
    },
    "self.named.all(one, one.a__dash__b.text != '')",
  );
  const namesOf = (isNamed?: (name: string) => boolean) => {
    const { properties } = declareTypes(kubernetesEnvironment(), schema, { isStrict: true, isNamed });
    const { named, other, ruled } = properties;
    const inner = ruled?.properties['inner'];
    return {
      item: named?.items?.name,
      escaped: named?.items?.properties['a-b']?.name,
      unnamed: named?.items?.properties['other']?.name,
      below: other?.properties['named']?.name,
      ruled: inner?.name,
      ofRuled: inner?.properties['named']?.name,
    };
  };

  it('are declared where an expression can reach them, by names and from parts with rules', () => {
    const names = namesOf((name) => ['named', 'a__dash__b', 'text'].includes(name));
    const declared = Object.entries(names).filter(([, name]) => name !== undefined && name !== 'dyn');
    expect(declared.map(([what]) => what)).toEqual(['item', 'escaped', 'ruled', 'ofRuled']);
  });

  it('leave out what is in a part that no expression reaches, unless it has rules', () => {
    const { unnamed, below, ruled } = namesOf((name) => name === 'text');
    expect({ unnamed, below }).toEqual({ unnamed: undefined, below: undefined });
    expect(ruled).toMatch(/^Object/);
  });

  it('are all declared where nothing is known of the expressions', () => {
    expect(Object.values(namesOf())).not.toContain('dyn');
  });

  it('compile as before, and give the same errors', () => {
    expect(ruleErrors(schema, '')).toEqual([]);
    const wrong = object({ a: object({ b: object({ text }) }), rest: object({ b: text }) }, 'self.a.b.text > 1');
    expect(ruleErrors(wrong, '')).toMatchObject([{ detail: expect.stringContaining('compilation failed') }]);
    const unknown = object({ a: object({ text }), rest: text }, "self.a.txt == ''");
    expect(ruleErrors(unknown, '')).toMatchObject([{ detail: expect.stringContaining('txt') }]);
    expect(ruleErrors(object({ a: object({ text }) }, 'self == oldSelf && self.a == oldSelf.a'), '')).toEqual([]);
  });
});
