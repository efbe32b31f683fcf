import type { RealCluster, RealFleet } from '@isthmus/testkit';
import type { Controllers } from './controllers.ts';
import { applyYaml, handedOver } from './swaps/run-swaps.ts';
import type { LaunchedController } from './swaps/launch.ts';
import type { PreparedController, RealControllers } from './swaps/real-controllers.ts';

/**
 * Antrea's controllers for a fleet of ours whose controllers are stopped: its definitions take the
 * place of ours, and the rights of its manifests come beside ours. So that `start` measures the
 * program and nothing else.
 */
export async function prepareAntrea(
  fleet: RealFleet,
  antrea: RealControllers,
  signal: AbortSignal,
): Promise<Controllers> {
  const prepared = new Map<string, PreparedController>();
  const running = new Map<string, LaunchedController>();
  const failed = new AbortController();
  await Promise.all(
    fleet.clusters.map(async (cluster) => {
      const role = cluster.role === 'leader' ? 'leader' : 'member';
      await handedOver(cluster, role, signal);
      // Two kinds have a version more in ours, and API servers refuse to drop one that has been
      // stored. Nothing is exported yet.
      if (role === 'member') await cluster.shell(`kubectl delete crd ${ofTwoVersions.join(' ')}`);
      await applyYaml(cluster, await antrea.definitions(role));
      await applyYaml(cluster, await antrea.access(role));
      prepared.set(cluster.name, await antrea.prepare(cluster, role));
    }),
  );
  const end = async (cluster: RealCluster['name'], how: (controller: LaunchedController) => Promise<void>) => {
    const controller = running.get(cluster);
    running.delete(cluster);
    if (controller !== undefined) await how(controller);
  };
  const stop = async () => {
    await Promise.all([...running.keys()].map((name) => end(name, (controller) => controller.stop())));
  };
  return {
    start() {
      for (const [name, one] of prepared) {
        if (running.has(name)) continue;
        const controller = one.launch();
        running.set(name, controller);
        void controller.ended.then(() => {
          if (running.get(name) === controller)
            failed.abort(new Error(`Antrea's controller of ${name} ended:\n${controller.said()}`));
        });
      }
    },
    kill: (name) => end(name, (controller) => controller.kill()),
    stop,
    get pids() {
      return new Map(
        [...running].flatMap(([name, controller]) => {
          const pid = controller.pid();
          return pid === undefined ? [] : [[name, pid] as const];
        }),
      );
    },
    metricsOf: new Map(),
    failed: failed.signal,
    [Symbol.asyncDispose]: stop,
  };
}

const ofTwoVersions = ['serviceexports.multicluster.x-k8s.io', 'serviceimports.multicluster.x-k8s.io'];
