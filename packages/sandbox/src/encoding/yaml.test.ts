import { parseYaml } from '@isthmus/machinery';
import { anyCharacter, sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerYaml } from './yaml.ts';

it('sorts keys, and puts the items of a list below its key', () => {
  const value = { b: [{ d: 1, c: 'x' }, [1, []], 'y'], a: { e: {}, f: null }, text: 'one\ntwo\n' };
  expect(answerYaml(value)).toBe(
    'a:\n  e: {}\n  f: null\nb:\n- c: x\n  d: 1\n- - 1\n  - []\n- "y"\ntext: |\n  one\n  two\n'.replace('"y"', "'y'"),
  );
});

it.each(['\n', 'x'.repeat(2000), '? a', ': null'])('keeps what is below the key %j', (key) => {
  const value = { [key]: [null, { a: { [key]: { b: 1 } } }], z: 1 };
  expect(parseYaml(answerYaml(value), { source: 'test' })[0]?.value).toEqual(value);
});

it('is read back as the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: anyCharacter() })), (record) => {
      const plain: unknown = JSON.parse(JSON.stringify(record));
      const [document] = parseYaml(answerYaml(plain), { source: 'test' });
      expect(document?.value).toEqual(plain);
    }),
    { numRuns: sweepRuns(60, { oneIn: 8 }), seed: 1 },
  );
});
