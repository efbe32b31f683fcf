import type { RealFleet } from '@isthmus/testkit';
import type { BenchCluster } from '../fleet.ts';
import { joinedFleet } from '../fleet.ts';
import { usageOf } from '../machine.ts';
import type { ProcessUsage } from '../machine.ts';

/** Three real API servers beside the sandbox. */
export interface RealSide extends AsyncDisposable {
  readonly fleet: RealFleet;
  /** Milliseconds from their start until all were ready. */
  readonly readyMs: number;
  /**
   * The one that is left by {@link stopAllButOne}, and what its etcd and kube-apiserver have used
   * together.
   */
  readonly one: {
    readonly cluster: BenchCluster;
    readonly usage: () => Pick<ProcessUsage, 'cpuSeconds' | 'residentMB'>;
  };
  /** Does `work` while no process of theirs gets a processor. */
  frozenWhile<T>(work: () => Promise<T>): Promise<T>;
  stopAllButOne(): Promise<void>;
}

export async function startRealSide(): Promise<RealSide> {
  let readyMs = 0;
  const fleet = await joinedFleet(['west', 'east'], { started: (ms) => (readyMs = ms) });
  const west = fleet.cluster('west');
  const running = () =>
    fleet.clusters.flatMap(({ server }) =>
      components.filter((component) => server.pid(component) !== undefined).map((component) => ({ server, component })),
    );
  return {
    fleet,
    readyMs,
    one: {
      cluster: west,
      usage() {
        const [etcd, server] = [usageOf(west.server.pid('etcd') ?? 0), usageOf(west.server.pid('kube-apiserver') ?? 0)];
        return {
          cpuSeconds: etcd.cpuSeconds + server.cpuSeconds,
          residentMB: etcd.residentMB + server.residentMB,
        };
      },
    },
    async frozenWhile(work) {
      for (const { server, component } of running()) await server.freeze(component);
      try {
        return await work();
      } finally {
        for (const { server, component } of running().toReversed()) server.resume(component);
      }
    },
    async stopAllButOne() {
      for (const { server, component } of running()) if (server !== west.server) await server.stop(component);
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };
}

/** The order of stopping, clients first: requests to a stopped server would time out. */
const components = ['kube-controller-manager', 'kube-apiserver', 'etcd'] as const;
