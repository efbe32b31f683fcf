import { describe, expect, it } from 'vitest';
import type { Membership } from './membership.ts';
import { createMembershipSupervisor } from './membership-supervisor.ts';

const none: Membership = { kind: 'none' };
const pending = (message: string): Membership => ({ kind: 'pending', reason: 'InvalidLeaders', message });

/**
 * A supervisor whose eras are recorded when they begin and end. `linger` keeps an ended era alive
 * until it resolves.
 */
function recorded(linger: () => Promise<void> = () => Promise.resolve()) {
  const log: string[] = [];
  const supervisor = createMembershipSupervisor(async (membership, signal) => {
    const name = membership.kind === 'pending' ? membership.message : membership.kind;
    log.push(`begin ${name}`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await linger();
    log.push(`end ${name}`);
  });
  return { supervisor, log };
}
/** Long enough for the callbacks of every settled promise to run. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('the membership supervisor', () => {
  it('waits for the first membership', async () => {
    const { supervisor, log } = recorded();
    const end = new AbortController();
    const running = supervisor.run(end.signal);
    await settle();
    expect(log).toEqual([]);
    supervisor.want(none);
    await settle();
    expect(log).toEqual(['begin none']);
    end.abort();
    await running;
    expect(log).toEqual(['begin none', 'end none']);
  });

  it('goes on where the same membership is asked for again', async () => {
    const { supervisor, log } = recorded();
    const end = new AbortController();
    const running = supervisor.run(end.signal);
    for (let i = 0; i < 3; i++) {
      supervisor.want(pending('a'));
      await settle();
    }
    expect(log).toEqual(['begin a']);
    end.abort();
    await running;
  });

  it('never lets eras overlap: the next begins when the last has ended', async () => {
    const release: (() => void)[] = [];
    const { supervisor, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = supervisor.run(end.signal);
    supervisor.want(pending('a'));
    await settle();
    supervisor.want(pending('b'));
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

  it('skips a membership that was asked for and changed again while the last one ended', async () => {
    const release: (() => void)[] = [];
    const { supervisor, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = supervisor.run(end.signal);
    supervisor.want(pending('a'));
    await settle();
    supervisor.want(pending('b'));
    supervisor.want(pending('c'));
    await settle();
    release.shift()?.();
    await settle();
    expect(log).toEqual(['begin a', 'end a', 'begin c']);
    end.abort();
    await settle();
    release.shift()?.();
    await running;
  });

  it('begins again where the old membership is asked for again while it ended', async () => {
    const release: (() => void)[] = [];
    const { supervisor, log } = recorded(() => new Promise((resolve) => release.push(resolve)));
    const end = new AbortController();
    const running = supervisor.run(end.signal);
    supervisor.want(pending('a'));
    await settle();
    supervisor.want(pending('b'));
    supervisor.want(pending('a'));
    await settle();
    release.shift()?.();
    await settle();
    expect(log).toEqual(['begin a', 'end a', 'begin a']);
    end.abort();
    await settle();
    release.shift()?.();
    await running;
  });

  it('begins nothing where the end was asked for before', async () => {
    const { supervisor, log } = recorded();
    supervisor.want(none);
    await supervisor.run(AbortSignal.abort());
    expect(log).toEqual([]);
  });
});
