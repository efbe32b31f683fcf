import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOfMark } from '../testing/arrived-numbers.ts';
import { identityMark, unknownIdentity } from './identities.ts';

/** The bits of a mark that VXLAN-GBP carries: measured in `identities.envtest.test.ts`. */
const carriedBits = 0x48_ffff;

describe('the mark for a number of labels', () => {
  test('leads back to the number, and has no bit that a tunnel would lose', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: unknownIdentity }), (id) => {
        expect(identityOfMark(identityMark(id))).toBe(id);
        expect(identityMark(id) & ~carriedBits).toBe(0);
      }),
    );
  });

  test('is that of unknown labels for every number that is not one of those that tunnels carry, so that no labels are taken for others', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: unknownIdentity }), fc.integer({ max: -1 }), fc.double()), (id) => {
        fc.pre(!Number.isInteger(id) || id < 0 || id >= unknownIdentity);
        expect(identityOfMark(identityMark(id))).toBe(unknownIdentity);
      }),
    );
  });
});
