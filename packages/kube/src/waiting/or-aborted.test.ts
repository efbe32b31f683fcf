import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted } from './or-aborted.ts';

describe('orAborted', () => {
  it('settles as the promise does, unless the signal is first, and leaves no listener', async () => {
    const parent = new AbortController();
    expect(await orAborted(Promise.resolve(1), parent.signal)).toBe(1);
    await expect(orAborted(Promise.reject(new Error('no')), parent.signal)).rejects.toThrow('no');
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    const waiting = orAborted(new Promise(() => {}), parent.signal);
    parent.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(orAborted(Promise.resolve(1), parent.signal)).rejects.toThrow('stop');
  });

  it('takes what fails after the abort for handled', async () => {
    const parent = new AbortController();
    parent.abort(new Error('stop'));
    const late = Promise.withResolvers<never>();
    await expect(orAborted(late.promise, parent.signal)).rejects.toThrow('stop');
    late.reject(new Error('nobody listens'));
    // An unhandled rejection would end the run of the tests.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
