import { describe, expect, it } from 'vitest';
import { verdictOnRun, verdictWithoutPrograms } from './test-envtest.ts';

describe('verdictWithoutPrograms', () => {
  it.each([
    { goAtHand: false, assets: undefined, exitCode: 0 },
    { goAtHand: false, assets: '', exitCode: 0 },
    { goAtHand: true, assets: undefined, exitCode: 1 },
    { goAtHand: false, assets: '/assets', exitCode: 1 },
    { goAtHand: true, assets: '/assets', exitCode: 1 },
  ])('with Go available: $goAtHand, KUBEBUILDER_ASSETS: $assets, exits $exitCode', ({ goAtHand, assets, exitCode }) => {
    const verdict = verdictWithoutPrograms({ goAtHand, assets, reason: 'Install Go.' });
    expect(verdict.exitCode).toBe(exitCode);
    expect(verdict.line).toContain('Install Go.');
    expect(verdict.line.includes('0 cases run')).toBe(exitCode === 0);
  });
});

describe('verdictOnRun', () => {
  it.each([
    ['all passed', 0, { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0 }, 0, '5 cases run, 0 failed'],
    ['one failed', 1, { numPassedTests: 4, numFailedTests: 1, numPendingTests: 0 }, 1, '5 cases run, 1 failed'],
    ['all were skipped', 0, { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }, 1, '0 cases run'],
    [
      'some were skipped',
      0,
      { numPassedTests: 5, numFailedTests: 0, numPendingTests: 2 },
      0,
      '5 cases run, 0 failed, 2 skipped',
    ],
    ['no file was found', 1, undefined, 1, '0 cases run'],
    ['vitest wrote no report and said nothing', 0, undefined, 1, '0 cases run'],
    [
      'an error stood outside of the cases',
      1,
      { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0 },
      1,
      '5 cases run, 0 failed',
    ],
  ] as const)('when %s', (_, code, counts, exitCode, line) => {
    const verdict = verdictOnRun(code, counts);
    expect(verdict.exitCode).toBe(exitCode);
    expect(verdict.line).toContain(line);
  });
});
