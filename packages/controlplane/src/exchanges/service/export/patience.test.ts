import { describe, expect, it } from 'vitest';
import { isPatienceOver } from './patience.ts';

const began = { sinceMs: 100_000, answeredMs: undefined, connecting: false };

describe('patience with the leader', () => {
  it.each([
    ['lasts five seconds', began, 4_999, 5_000],
    ['begins anew with each answer to another export', { ...began, answeredMs: 105_000 }, 9_999, 10_000],
    ['is not shortened by an answer from before', { ...began, answeredMs: 50_000 }, 4_999, 5_000],
    ['lasts ten seconds while the session is set up', { ...began, connecting: true }, 9_999, 10_000],
    ['ends after two minutes, whomever else it answers', { ...began, answeredMs: 219_000 }, 119_999, 120_000],
  ])('%s', (_, input, lastMs, overMs) => {
    expect(isPatienceOver({ ...input, nowMs: input.sinceMs + lastMs })).toBe(false);
    expect(isPatienceOver({ ...input, nowMs: input.sinceMs + overMs })).toBe(true);
  });
});
