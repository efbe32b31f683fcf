import { describe, expect, it } from 'vitest';
import { ruleErrors } from '../rule-errors.ts';
import {
  acceptedElsewhere,
  largerElsewhere,
  largest,
  refusedEverywhere,
  ruledObject,
  tooLarge,
} from '../testing/compile-cases.ts';

const verdict = (rule: string) => ruleErrors(ruledObject([rule]), '').map(({ isNotJudged = false }) => isNotJudged);

describe('a rule that does not compile here', () => {
  it.each(acceptedElsewhere)('is not judged where an API server may compile it: %s', (rule) => {
    expect(verdict(rule)).toEqual([true]);
  });

  it.each(refusedEverywhere)('is refused where every API server refuses it: %s', (rule) => {
    expect(verdict(rule)).toEqual([false]);
  });

  it.each(Object.entries(largest))('is judged, and compiles, up to the size that API servers accept: %s', (_, rule) => {
    expect(verdict(rule)).toEqual([]);
  });

  it.each(Object.entries(tooLarge))('is refused where it is larger than any API server accepts: %s', (_, rule) => {
    expect(verdict(rule)).toEqual([false]);
  });

  it.each(Object.entries(largerElsewhere))(
    'is not judged where it may be too deep for this compiler alone: %s',
    (_, rule) => {
      expect(verdict(rule)).toEqual([true]);
    },
  );

  it('is not judged where it is larger than what the library reads', () => {
    expect(verdict(`self.i in [${Array.from({ length: 1001 }, (_, index) => index).join(', ')}]`)).toEqual([true]);
  });

  it('is judged where it compiles: an optional value and null', () => {
    expect(verdict('format.dns1123Label().validate(self.s) == null')).toEqual([]);
  });

  it.each([
    "type(timestamp('2026-01-01T00:00:00Z')) == google.protobuf.Timestamp",
    "type(duration('1s')) == google.protobuf.Duration && type(self.s) == string",
  ])('is judged, and costs as much as any name, where a type has dots in its name: %s', (rule) => {
    expect(verdict(rule)).toEqual([]);
  });
});
