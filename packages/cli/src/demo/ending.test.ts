import { describe, expect, it } from 'vitest';
import { Interrupted, endingOf } from './ending.ts';

describe('the ending of the demo', () => {
  it.each([
    ['nothing failed', undefined, { ok: true, exitCode: 0 }],
    ['a step failed', new Error('not so'), { ok: false, error: 'not so', exitCode: 1 }],
    ['something else was thrown', 'not so', { ok: false, error: 'not so', exitCode: 1 }],
    ['Ctrl-C', new Interrupted('SIGINT'), { ok: false, error: 'interrupted by SIGINT', exitCode: 130 }],
    ['a SIGTERM', new Interrupted('SIGTERM'), { ok: false, error: 'interrupted by SIGTERM', exitCode: 143 }],
    [
      'a step failed, and then a cluster would not go',
      new SuppressedError(new Error('it hangs'), new Error('not so')),
      { ok: false, error: 'not so\nit hangs', exitCode: 1 },
    ],
    [
      'a cluster would not go after Ctrl-C',
      new SuppressedError(new Error('it hangs'), new Interrupted('SIGINT')),
      { ok: false, error: 'interrupted by SIGINT\nit hangs', exitCode: 1 },
    ],
  ])('reports when %s', (_, failure, ending) => {
    expect(endingOf(failure)).toEqual(ending);
  });
});
