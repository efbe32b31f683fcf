import { describe, expect, it } from 'vitest';
import { ownershipCases } from './testing/ownership-cases.ts';
import { recordedOwnership } from './testing/recorded-ownership.ts';
import { replay } from './testing/replay.ts';

/** The recording is a real API server's (`ownership.envtest.test.ts`). */
describe('ownership is tracked as a real API server tracks it', () => {
  const recorded = recordedOwnership();

  it.each(ownershipCases)('$title', (theCase) => {
    expect(replay(theCase)).toEqual(recorded[theCase.title]);
  });
});
