// Row 4: how long after their start the controllers of three clusters have imported something.
import { ServiceImport } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { whenArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import { prepareControllers } from './controllers.ts';
import type { ControllersOptions } from './controllers.ts';
import { exportServices } from './exported-services.ts';
import { joinedFleet } from './fleet.ts';
import { launcherCache, sourceProgram } from './program.ts';

export interface FirstImports {
  /**
   * Milliseconds of each start, from spawning the three processes until a watch shows the
   * ServiceImport.
   */
  readonly bundle: readonly number[];
  /** The same with the sources of the checkout, which the launcher has started before. */
  readonly sources: readonly number[];
  /** Controllers in a process that runs already. */
  readonly inProcess: readonly number[];
}

const namespace = 'shop';

export async function measureFirstImports(options: BenchOptions): Promise<FirstImports> {
  await using fleet = await joinedFleet(['west', 'east']);
  await Promise.all(['west', 'east'].map((name) => fleet.cluster(name).user.namespace(namespace)));
  const bundle = await asProcesses(fleet, options, { kind: 'bundle', program: options.program.path });
  options.say('the bundled program has been started; now the sources');
  const sources = await asProcesses(fleet, options, {
    kind: 'sources',
    program: sourceProgram,
    compileCacheAt: launcherCache,
  });
  const inProcess = await repeated(fleet, options, 'in-process', async () => ({
    start: () => Promise.all(fleet.clusters.map((cluster) => cluster.start())),
    stop: () => Promise.all(fleet.clusters.map((cluster) => cluster.stop())),
    failed: new AbortController().signal,
  }));
  return { bundle, sources, inProcess };
}

interface Started {
  start(): unknown;
  stop(): Promise<unknown>;
  readonly failed: AbortSignal;
}

async function asProcesses(
  fleet: RealFleet,
  options: BenchOptions,
  { kind, program, compileCacheAt }: { readonly kind: string } & Pick<ControllersOptions, 'program' | 'compileCacheAt'>,
): Promise<readonly number[]> {
  await using controllers = await prepareControllers(fleet.clusters, {
    program,
    compileCacheAt,
    endpointIPType: 'ClusterIP',
    nodeFlags: options.nodeFlags,
  });
  return await repeated(fleet, options, kind, async () => controllers);
}

/**
 * Exports a Service while nothing runs, starts the controllers, and waits for its import in the
 * other cluster; so many times.
 */
async function repeated(
  fleet: RealFleet,
  options: BenchOptions,
  kind: string,
  controllers: () => Promise<Started>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < options.starts; round++) {
    const name = `${kind}-${round}`;
    await exportServices(fleet.cluster('west'), namespace, [name], options.signal);
    const { start, stop, failed } = await controllers();
    const end = new AbortController();
    const signal = AbortSignal.any([options.signal, failed, end.signal]);
    const awaited = { client: fleet.cluster('east').admin, type: ServiceImport, namespace, signal };
    const arrival = whenArrived(awaited, round + 1, ({ metadata }) => metadata.name.startsWith(kind));
    const from = performance.now();
    try {
      await start();
      times.push((await arrival) - from);
    } finally {
      end.abort(new Error('over'));
      await arrival.catch(() => {});
      await stop();
    }
  }
  return times;
}
