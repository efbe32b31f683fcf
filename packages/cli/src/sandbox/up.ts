import type { ExitCode } from '../command/exit-code.ts';
import { ExitCode as Code } from '../command/exit-code.ts';
import type { Io } from '../world/io.ts';
import { showSteps } from '../render/steps.ts';
import { abortOf } from './abort-of.ts';
import type { AskedCluster } from './cluster-list.ts';
import { startSandboxFleet } from './fleet.ts';
import { keptLog } from './kept-log.ts';
import { demandRoomFor, removeKubeconfig, writeKubeconfig } from './kubeconfig-file.ts';
import { demandNetwork } from './network/requirements.ts';
import { startNetwork } from './network/sandbox-network.ts';
import { bareSteps, bareText, fleetText, nextSteps, nextStepsText } from './next-steps.ts';

export interface UpOptions {
  readonly clusters: readonly AskedCluster[];
  /** Where the kubeconfig goes. */
  readonly kubeconfig: string;
  /** Without Isthmus, to practise its installation. */
  readonly isBare: boolean;
  /** With networks for Nodes and Pods. */
  readonly hasNetwork: boolean;
}

/**
 * Brings sandbox clusters up, prints how to reach them, and keeps them until a signal. It then
 * returns 0, whether or not the clusters were up. A second signal ends at once, with 1. Errors:
 * UsageError before it has begun; any later failure once everything is removed.
 */
export async function runUp(io: Io, { clusters, kubeconfig, isBare, hasNetwork }: UpOptions): Promise<ExitCode> {
  await demandRoomFor(kubeconfig, io);
  if (hasNetwork) await demandNetwork(io);
  const stop = new AbortController();
  const steps = showSteps({ output: io.stdout, clock: io.clock, signal: stop.signal });
  const stderr = steps.beside(io.stderr);
  const forget = io.onStop((signal) => {
    if (stop.signal.aborted) return io.exit(Code.failed);
    stderr.write(`${signal}: stopping the sandbox\n`);
    stop.abort(new Error(`stopped by ${signal}`));
  });
  const say = (text: string) => io.stdout.write(`${text}\n`);
  try {
    let isUp = false;
    const kept = keptLog('sandbox', { level: 'warn', onLine: (line) => void (isUp && stderr.write(line)), io });
    const { log } = kept;
    const started = startSandboxFleet({
      clusters,
      world: { ...io, log },
      ...(hasNetwork && { startNetwork: () => startNetwork(clusters, { ...io, log }) }),
      secret: io.secret,
      run: steps.run,
      isBare,
      signal: stop.signal,
    });
    await using fleet = await kept.explain(started, stop.signal);
    for (const line of await kept.summary()) stderr.write(`${line}\n`);
    isUp = true;
    await using stack = new AsyncDisposableStack();
    stack.defer(() => removeKubeconfig(kubeconfig, fleet.clusters, io));
    await writeKubeconfig(kubeconfig, fleet.clusters, io);
    const path = io.absolutePath(kubeconfig);
    say(isBare ? bareText(fleet.clusters, kubeconfig) : fleetText(fleet.clusters, kubeconfig, { hasNetwork }));
    say(nextStepsText(isBare ? bareSteps(clusters, path) : nextSteps(clusters, path, { hasNetwork })));
    await Promise.race([abortOf(stop.signal), fleet.failed]);
  } catch (error) {
    if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
  } finally {
    forget();
  }
  return Code.ok;
}
