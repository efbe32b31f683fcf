import { describe, expect, it } from 'vitest';
import { equalFieldSets } from './field-set.ts';
import { plainFieldSets, rememberedFieldSets } from './field-sets.ts';

const written = { 'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} } } } };

describe('field sets that are remembered', () => {
  it('are what reading and writing again gives', () => {
    const fieldSets = rememberedFieldSets();
    for (let times = 0; times < 2; times++) {
      const set = fieldSets.parse(written);
      expect(equalFieldSets(set, plainFieldSets.parse(written))).toBe(true);
      expect(fieldSets.print(set)).toEqual(written);
    }
  });

  it('are neither read nor written a second time', () => {
    const fieldSets = rememberedFieldSets();
    const set = fieldSets.parse(written);
    expect(fieldSets.parse(written)).toBe(set);
    const printed = fieldSets.print(set);
    expect(fieldSets.print(set)).toBe(printed);
    expect(fieldSets.parse(printed)).toBe(set);
  });

  it('keep what cannot be read an error', () => {
    const fieldSets = rememberedFieldSets();
    for (const bad of ['text', [1], { 'f:a': 1 }]) {
      expect(() => fieldSets.parse(bad)).toThrow(/managed fields/);
      expect(() => fieldSets.parse(bad)).toThrow(/managed fields/);
    }
    expect(fieldSets.parse(undefined)).toBe(plainFieldSets.parse(undefined));
  });
});
