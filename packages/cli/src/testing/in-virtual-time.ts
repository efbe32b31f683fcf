import type { VirtualClock } from '@isthmus/fleet-sim';

/** The result of `work`; time is moved as far as it needs. */
export async function inVirtualTime<T>(clock: VirtualClock, work: Promise<T>, limitMs = 600_000): Promise<T> {
  let over = false;
  void work.then(
    () => (over = true),
    () => (over = true),
  );
  await clock.runUntil(() => over, { limitMs, what: 'the work has ended' });
  return work;
}
