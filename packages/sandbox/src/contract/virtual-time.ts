import type { CaseTime } from './case-api.ts';

/** Time that moves while a case waits. `advance` moves it and settles the consequences. */
export function virtualTime({ advance }: { advance(ms: number): Promise<void> }): CaseTime {
  return {
    pass: advance,
    async during(work) {
      const state = { over: false };
      const done = work.finally(() => (state.over = true));
      // The returned promise reports a failure.
      done.catch(() => {});
      await advance(0);
      while (!state.over) await advance(stepMs);
      return done;
    },
  };
}

const stepMs = 50;
