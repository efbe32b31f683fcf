import { describe, expect, it } from 'vitest';
import { chunksOf, readText } from './body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const never = new AbortController().signal;

/** A body of these chunks that hangs after them, or ends, and knows whether it was closed. */
function bodyOf(chunks: readonly Uint8Array[], end: 'ends' | 'hangs' = 'ends') {
  let closed = 0;
  const rest = [...chunks];
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        const value = rest.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return end === 'ends' ? Promise.resolve({ done: true, value: undefined }) : new Promise(() => {});
      },
      return() {
        closed++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { body, closed: () => closed };
}

describe('the text of a body', () => {
  it('is whole wherever the chunks were cut, inside a character too', async () => {
    const text = bytes('größer');
    for (let cut = 0; cut <= text.length; cut++) {
      const { body } = bodyOf([text.subarray(0, cut), text.subarray(cut)]);
      expect(await readText(body, 100, never)).toBe('größer');
    }
  });

  it('may have as many bytes as the bound, and not one more', async () => {
    expect(await readText(bodyOf([bytes('12'), bytes('34')]).body, 4, never)).toBe('1234');
    const large = bodyOf([bytes('12'), bytes('345')], 'hangs');
    await expect(readText(large.body, 4, never)).rejects.toThrow('the answer is larger than 4 bytes');
    expect(large.closed()).toBe(1);
  });

  it('is given up when the signal aborts, before the first chunk and between chunks, and the body is closed', async () => {
    const early = bodyOf([bytes('1')]);
    await expect(readText(early.body, 100, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(early.closed()).toBe(1);
    const stop = new AbortController();
    const late = bodyOf([bytes('1')], 'hangs');
    const reading = readText(late.body, 100, stop.signal);
    stop.abort(new Error('stop'));
    await expect(reading).rejects.toThrow('stop');
    expect(late.closed()).toBe(1);
  });
});

it('a body that has ended is not closed once more, and a reader that leaves early closes it', async () => {
  const ended = bodyOf([bytes('1')]);
  await Array.fromAsync(chunksOf(ended.body, never));
  expect(ended.closed()).toBe(0);
  const left = bodyOf([bytes('1'), bytes('2')]);
  for await (const _ of chunksOf(left.body, never)) break;
  expect(left.closed()).toBe(1);
});
