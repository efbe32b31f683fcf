import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLength } from './json-length.ts';

it('is the length of the JSON text where nothing is escaped', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '0', ' ', '-') });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value')),
      fc.dictionary(text, fc.option(tie('value'), { nil: undefined })),
    ),
  }));
  fc.assert(
    fc.property(value, (value) => {
      expect(jsonLength(value)).toBe(JSON.stringify(value).length);
    }),
  );
});

it('takes any depth', () => {
  let deep: unknown = [];
  for (let level = 1; level < 100_000; level++) deep = [deep];
  expect(jsonLength(deep)).toBe(200_000);
});
