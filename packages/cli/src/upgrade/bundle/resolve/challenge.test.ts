import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challengesIn } from './challenge.ts';

const read = (header: string) =>
  challengesIn(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('the challenges of a server', () => {
  it.each([
    [
      'Bearer realm="https://auth.example/token",service="r.example",scope="repository:a/b:pull"',
      [['bearer', { realm: 'https://auth.example/token', service: 'r.example', scope: 'repository:a/b:pull' }]],
    ],
    ['Basic realm="a \\"b\\", c"', [['basic', { realm: 'a "b", c' }]]],
    [
      'Negotiate, Basic realm=x, Bearer Realm = "y" , scope="a,b"',
      [
        ['negotiate', {}],
        ['basic', { realm: 'x' }],
        ['bearer', { realm: 'y', scope: 'a,b' }],
      ],
    ],
    ['', []],
    ['realm="x"', []],
    ['Basic realm="x', [['basic', {}]]],
  ])('%j', (header, challenges) => {
    expect(read(header)).toEqual(challenges);
  });

  it('are read from any text, without end or error', () => {
    const odd = fc.oneof(fc.string({ unit: anyCharacter() }), fc.stringMatching(/^[a-cA-C=", \\\t]{0,30}$/));
    fc.assert(fc.property(odd, (header) => challengesIn(header).length <= header.length));
  });
});
