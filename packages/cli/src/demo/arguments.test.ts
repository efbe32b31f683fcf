import { describe, expect, it } from 'vitest';
import { parseDemoArguments } from './arguments.ts';

describe('the arguments of the demo', () => {
  it.each([
    [[], { kind: 'play', apiServer: 'sandbox', network: false, json: false, keep: false }],
    [
      ['--api-server', 'sandbox', '--keep'],
      { kind: 'play', apiServer: 'sandbox', network: false, json: false, keep: true },
    ],
    [['--api-server', 'real'], { kind: 'play', apiServer: 'real', network: false, json: false, keep: false }],
    [['--api-server=real', '--json'], { kind: 'play', apiServer: 'real', network: false, json: true, keep: false }],
    [
      ['--keep', '--json', '--api-server', 'real'],
      { kind: 'play', apiServer: 'real', network: false, json: true, keep: true },
    ],
    [['--network'], { kind: 'play', apiServer: 'sandbox', network: true, json: false, keep: false }],
    [['--help'], { kind: 'help' }],
    [['--help', '--api-server', 'minikube'], { kind: 'help' }],
  ])('%j ask for %j', (args, asked) => {
    expect(parseDemoArguments(args)).toEqual(asked);
  });

  it.each([
    [['--api-server', 'minikube'], '--api-server "minikube": it must be sandbox or real'],
    [['--api-server', ''], '--api-server "": it must be sandbox or real'],
    [['--api-server'], '--api-server'],
    [['--api-server', 'real', '--network'], '--network: it needs the API servers of the sandbox'],
    [['--api-server', 'real', '--jsno'], "'--jsno'"],
    [['--api-server', 'real', '--json=yes'], '--json'],
    [['--api-server', 'real', 'east'], "'east'"],
    [['--help', '--verbose'], "'--verbose'"],
  ])('%j are wrong, and the answer reports why: %s', (args, why) => {
    expect(parseDemoArguments(args)).toEqual({ kind: 'wrong', problem: expect.stringContaining(why) });
  });
});
