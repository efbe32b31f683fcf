import { describe, expect, it } from 'vitest';
import { ByteQueue } from './byte-queue.ts';

const decoder = new TextDecoder();

/** The output for a reader: chunks, then `end` or the error. */
async function read(queue: ByteQueue): Promise<readonly string[]> {
  const got: string[] = [];
  try {
    for await (const chunk of queue) got.push(decoder.decode(chunk));
    return [...got, 'end'];
  } catch (error) {
    return [...got, String(error)];
  }
}

describe('a byte queue', () => {
  it('gives what was pushed before and after the reading began, in order, then the end', async () => {
    const queue = new ByteQueue();
    queue.push('a');
    const reading = read(queue);
    await Promise.resolve();
    queue.push('b');
    queue.push(new Uint8Array([99]));
    queue.end();
    queue.push('too late');
    expect(await reading).toEqual(['a', 'b', 'c', 'end']);
  });

  it('gives what was pushed before it failed, then the error', async () => {
    const queue = new ByteQueue();
    queue.push('a');
    queue.fail(new Error('broken'));
    queue.end();
    expect(await read(queue)).toEqual(['a', 'Error: broken']);
  });

  it('gives the error at once when it is aborted', async () => {
    const queue = new ByteQueue();
    queue.push('a');
    queue.abort(new Error('stopped'));
    expect(await read(queue)).toEqual(['Error: stopped']);
  });

  it('reports once that it ended, that its reader left, or at once where that was before', async () => {
    const told: string[] = [];
    const left = new ByteQueue();
    left.onEnd(() => told.push('left'));
    left.push('a');
    left.push('b');
    for await (const _ of left) break;
    left.end();
    left.onEnd(() => told.push('late'));
    expect(told).toEqual(['left', 'late']);
    expect(await read(left)).toEqual(['end']);
  });

  it('ends when its reader leaves more unread than the bound, beside what waited before', async () => {
    const queue = new ByteQueue();
    queue.push('1234');
    queue.bound(3);
    queue.push('567');
    const reader = queue[Symbol.asyncIterator]();
    expect(decoder.decode((await reader.next()).value)).toBe('1234');
    queue.push('8');
    queue.push('the last');
    queue.push('too late');
    expect(await read(queue)).toEqual(['567', '8', 'the last', 'end']);
  });
});
