import type { World } from '@isthmus/kube';
import { noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { StartController } from './controller-plan.ts';
import { runController, tokenClient } from './controllers.ts';

/**
 * Controllers in this process, which reach their API servers over HTTPS. Time limits of their
 * requests are in real time.
 */
export const controllersInProcess: StartController = async (plan, { clock, log }) => {
  const world: World = { clock, random: systemRandom(), log: log.with({ role: plan.role }), metrics: noMetrics };
  const end = new AbortController();
  const connect: typeof tokenClient = (access) => tokenClient(access, { clock: systemClock() });
  const run = runController({ ...plan, access: plan, world, connect }, end.signal);
  return async () => {
    end.abort(new Error('stopped'));
    await run;
  };
};
