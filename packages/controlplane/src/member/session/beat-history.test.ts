import { describe, expect, it } from 'vitest';
import type { BeatHistory, BeatResult } from './beat-history.ts';
import { afterBeat, failuresUntilDisconnected, firstBeat, nextBeatMs, retryMs } from './beat-history.ts';

const answered: BeatResult = { kind: 'answered' };
const failed: BeatResult = { kind: 'failed', why: 'no answer' };
const refused: BeatResult = { kind: 'refused', reason: 'Unauthorized', why: 'no token of ours' };

const denied: BeatResult = { kind: 'refused', reason: 'Refused', why: 'forbidden', mayPass: true };

/** Each heartbeat two seconds after the one before. */
const after = (...results: readonly BeatResult[]): BeatHistory =>
  results.reduce((history, result, index) => afterBeat(history, result, index * retryMs), firstBeat);
const lost = { kind: 'disconnected', reason: 'Disconnected', why: 'no answer' };

describe('the state of a session after heartbeats', () => {
  it.each([
    ['none', [], { kind: 'connecting' }],
    ['one answer', [answered], { kind: 'connected' }],
    ['a first failure: not yet lost, and says why', [failed], { kind: 'connecting', why: 'no answer' }],
    ['three first failures', [failed, failed, failed], lost],
    ['one failure after an answer: passes', [answered, failed], { kind: 'connected' }],
    ['two failures after an answer: pass', [answered, failed, failed], { kind: 'connected' }],
    ['three failures in a row after an answer', [answered, failed, failed, failed], lost],
    ['failures that an answer interrupts', [answered, failed, failed, answered, failed, failed], { kind: 'connected' }],
    [
      'a refusal, at once',
      [answered, refused],
      { kind: 'disconnected', reason: 'Unauthorized', why: 'no token of ours' },
    ],
    ['an answer after a refusal', [refused, answered], { kind: 'connected' }],
    [
      'a failure after a refusal: still refused',
      [refused, failed],
      { kind: 'disconnected', reason: 'Unauthorized', why: 'no token of ours' },
    ],
    ['denials of an API server that has just started', [answered, denied, denied, denied], { kind: 'connected' }],
    ['a denial at first', [denied], { kind: 'connecting' }],
    [
      'denials for more than five seconds',
      [answered, denied, denied, denied, denied],
      { kind: 'disconnected', reason: 'Refused', why: 'forbidden' },
    ],
    ['denials that an answer interrupts', [denied, denied, answered, denied, denied], { kind: 'connected' }],
    ['denials that a failure interrupts', [answered, denied, failed, denied, denied], { kind: 'connected' }],
    ['an answer after it was lost', [failed, failed, failed, answered], { kind: 'connected' }],
  ])('%s', (_, results, state) => {
    expect(after(...results).state).toEqual(state);
  });
});

it('the rhythm lets a leader of Antrea see a beat within its 30 s, failures and retries included', () => {
  expect(failuresUntilDisconnected * retryMs).toBeLessThan(nextBeatMs(firstBeat, false));
});

describe('the time until the next heartbeat', () => {
  it.each([
    ['ten seconds after an answer', [answered], 10_000, false],
    ['15 seconds if the leader answers heartbeats', [answered], 15_000, true],
    ['two seconds after a failure', [answered, failed], 2_000, true],
    ['two seconds after a refusal: a new token should not wait', [refused], 2_000, true],
    ['ten seconds at first', [], 10_000, undefined],
  ])('is %s', (_, results, ms, answers) => {
    expect(nextBeatMs(after(...results), answers)).toBe(ms);
  });
});
