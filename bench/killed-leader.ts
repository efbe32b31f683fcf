import { ServiceImportV1alpha1 } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { whenArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Controllers } from './controllers.ts';
import { exportServices } from './exported-services.ts';

/** How often the leader is killed. */
export const kills = 3;

export interface KilledLeader {
  readonly fleet: RealFleet;
  readonly controllers: Controllers;
  /** Where the Services are. */
  readonly namespace: string;
  readonly exporter: string;
  readonly importer: string;
}

/**
 * Milliseconds from the kill of the leader's controller (north) until a Service that is exported
 * meanwhile is imported. As on a Node: the container that was killed is started again at once,
 * under the name of its Pod.
 */
export async function killedLeader(
  { fleet, controllers, namespace, exporter, importer }: KilledLeader,
  options: BenchOptions,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < kills; round++) {
    const name = `after-kill-${round}`;
    const end = new AbortController();
    const signal = AbortSignal.any([options.signal, controllers.failed, end.signal]);
    // Definitions of Antrea have this version alone.
    const awaited = { client: fleet.cluster(importer).admin, type: ServiceImportV1alpha1, namespace, signal };
    const arrival = whenArrived(awaited, 1, ({ metadata }) => metadata.name === name);
    const from = performance.now();
    try {
      await controllers.kill('north');
      controllers.start();
      await exportServices(fleet.cluster(exporter), namespace, [name], options.signal);
      times.push((await arrival) - from);
    } finally {
      end.abort(new Error('over'));
      await arrival.catch(() => {});
    }
    options.say(`the killed leader was back after ${Math.round(times.at(-1) ?? 0)} ms`);
  }
  return times;
}
