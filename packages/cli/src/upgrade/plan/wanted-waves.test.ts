import { describe, expect, it } from 'vitest';
import { UsageError } from '../../command/usage-error.ts';
import { wantedWaves } from './wanted-waves.ts';

const wavesOf = (flags: object) => wantedWaves(flags as Parameters<typeof wantedWaves>[0]);

describe('the waves that flags ask for', () => {
  it.each<readonly [object, object]>([
    [{}, {}],
    [{ canary: '0' }, { canary: 0 }],
    [{ canary: '999999999' }, { canary: 999_999_999 }],
    [{ canary: 'east' }, { canaries: ['east'] }],
    [{ canary: 'east,2' }, { canaries: ['east', '2'] }],
    [{ 'wave-share': '1%' }, { shares: [1] }],
    [{ 'wave-share': '10,50%,100' }, { shares: [10, 50, 100] }],
    [{ 'wave-size': 1 }, { size: 1 }],
    [{ concurrency: 1 }, { clustersAtOnce: 1 }],
    [{ nodes: 1 }, { nodesAtOnce: 1 }],
    [{ 'max-unreachable': 0 }, {}],
    [{ soak: '0s' }, { soakSeconds: 0 }],
    [{ soak: '1h30m5s' }, { soakSeconds: 5_405 }],
    [{ soak: '90m' }, { soakSeconds: 5_400 }],
  ])('%j are %j', (flags, waves) => {
    expect(wavesOf(flags)).toEqual(waves);
  });

  it.each([
    [{ canary: '-1' }, '--canary -1: it must be 0 or more'],
    [{ canary: '1000000000' }, '--canary 1000000000: it must be 0 or more'],
    [{ 'wave-share': '0%' }, '--wave-share 0%: 0 is not a whole percentage from 1 to 100'],
    [{ 'wave-share': '101%' }, '--wave-share 101%: 101 is not a whole percentage from 1 to 100'],
    [{ 'wave-share': '1.5%' }, '--wave-share 1.5%: expected percents such as 10%,50%'],
    [
      { 'wave-share': '50%,50%' },
      '--wave-share 50%,50%: 50 is not greater than 50: each share includes the earlier ones',
    ],
    [{ 'wave-size': 0 }, '--wave-size 0: it must be at least 1'],
    [{ concurrency: 0 }, '--concurrency 0: it must be at least 1'],
    [{ nodes: 0 }, '--nodes 0: it must be at least 1'],
    [{ 'max-unreachable': -1 }, '--max-unreachable -1: it must not be negative'],
    [{ soak: '90' }, '--soak 90: expected a duration such as 30m, 1h30m or 90s'],
    [{ soak: '1m1h' }, '--soak 1m1h: expected a duration such as 30m, 1h30m or 90s'],
    [{ soak: '' }, '--soak : expected a duration such as 30m, 1h30m or 90s'],
  ])('%j are rejected', (flags, message) => {
    expect(() => wavesOf(flags)).toThrow(new UsageError(message));
  });
});
