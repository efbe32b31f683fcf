import { describe, expect, it } from 'vitest';
import { parseDemoArguments } from './arguments.ts';

describe('the arguments of the demo', () => {
  it.each([
    [['--api-server', 'real'], { kind: 'play', json: false, keep: false }],
    [['--api-server=real', '--json'], { kind: 'play', json: true, keep: false }],
    [['--keep', '--json', '--api-server', 'real'], { kind: 'play', json: true, keep: true }],
    [['--help'], { kind: 'help' }],
    [['--help', '--api-server', 'sandbox'], { kind: 'help' }],
  ])('%j ask for %j', (args, asked) => {
    expect(parseDemoArguments(args)).toEqual(asked);
  });

  it.each([
    [[], 'needs --api-server real'],
    [['--json'], 'needs --api-server real'],
    [['--api-server', 'sandbox'], 'needs --api-server real: the embedded sandbox is not built yet'],
    [['--api-server'], '--api-server'],
    [['--api-server', 'real', '--jsno'], "'--jsno'"],
    [['--api-server', 'real', '--json=yes'], '--json'],
    [['--api-server', 'real', 'east'], "'east'"],
    [['--help', '--verbose'], "'--verbose'"],
  ])('%j are wrong, and the answer says why: %s', (args, why) => {
    expect(parseDemoArguments(args)).toEqual({ kind: 'wrong', problem: expect.stringContaining(why) });
  });
});
