import { describe, expect, it } from 'vitest';
import { createEras } from './eras.ts';
import type { Membership } from './membership.ts';

const none: Membership = { kind: 'none' };
const pending = (message: string): Membership => ({ kind: 'pending', reason: 'InvalidLeaders', message });

/** Eras whose lives are written down as they begin and end; `linger` keeps an ended one alive until it resolves. */
function recorded(linger: () => Promise<void> = () => Promise.resolve()) {
  const log: string[] = [];
  const eras = createEras(async (membership, signal) => {
    const name = membership.kind === 'pending' ? membership.message : membership.kind;
    log.push(`begin ${name}`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await linger();
    log.push(`end ${name}`);
  });
  return { eras, log };
}
/** Long enough for every promise that is settled to be heard. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('eras', () => {
  it('wait for the first membership', async () => {
    const { eras, log } = recorded();
    const end = new AbortController();
    const running = eras.run(end.signal);
    await settle();
    expect(log).toEqual([]);
    eras.want(none);
    await settle();
    expect(log).toEqual(['begin none']);
    end.abort();
    await running;
    expect(log).toEqual(['begin none', 'end none']);
  });

  it('go on where the same membership is asked for again', async () => {
    const { eras, log } = recorded();
    const end = new AbortController();
    const running = eras.run(end.signal);
    for (let i = 0; i < 3; i++) {
      eras.want(pending('a'));
      await settle();
    }
    expect(log).toEqual(['begin a']);
    end.abort();
    await running;
  });

  it('never overlap: the next begins when the last has ended', async () => {
    const release: (() => void)[] = [];
    const { eras, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = eras.run(end.signal);
    eras.want(pending('a'));
    await settle();
    eras.want(pending('b'));
    await settle();
    expect(log).toEqual(['begin a']);
    release.shift()?.();
    await settle();
    expect(log).toEqual(['begin a', 'end a', 'begin b']);
    end.abort();
    await settle();
    release.shift()?.();
    await running;
  });

  it('skip what was asked for and changed again while the last one ended', async () => {
    const release: (() => void)[] = [];
    const { eras, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = eras.run(end.signal);
    eras.want(pending('a'));
    await settle();
    eras.want(pending('b'));
    eras.want(pending('c'));
    await settle();
    release.shift()?.();
    await settle();
    expect(log).toEqual(['begin a', 'end a', 'begin c']);
    end.abort();
    await settle();
    release.shift()?.();
    await running;
  });

  it('begin anew where the old membership is asked for again while it ended', async () => {
    const release: (() => void)[] = [];
    const { eras, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = eras.run(end.signal);
    eras.want(pending('a'));
    await settle();
    eras.want(pending('b'));
    eras.want(pending('a'));
    await settle();
    release.shift()?.();
    await settle();
    expect(log).toEqual(['begin a', 'end a', 'begin a']);
    end.abort();
    await settle();
    release.shift()?.();
    await running;
  });

  it('do not begin where the end was asked for before', async () => {
    const { eras, log } = recorded();
    eras.want(none);
    await eras.run(AbortSignal.abort());
    expect(log).toEqual([]);
  });
});
