import { describe, expect, it } from 'vitest';
import { olderThanRequired } from './required-node.ts';

describe('the Node that runs the program', () => {
  it.each(['v22.12.0', 'v22.23.3', 'v24.0.0', 'v24.21.0', 'v100.1.0', 'v25.0.0-nightly20260101'])(
    'is new enough as %s',
    (version) => {
      expect(olderThanRequired(version)).toBe(undefined);
    },
  );

  it.each(['v22.11.0', 'v21.12.0', 'v20.20.2', 'v9.99.0'])(
    'is too old as %s, which is reported with the one that is needed',
    (version) => {
      expect(olderThanRequired(version)).toBe(
        `error: isthmus needs Node 22.12 or later, and this is ${version}. Install a newer one, and check with "node --version" that your shell finds it first.`,
      );
    },
  );
});
