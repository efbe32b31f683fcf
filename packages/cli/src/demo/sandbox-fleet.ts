import type { Io } from '../world/io.ts';
import { parseClusterList } from '../sandbox/cluster-list.ts';
import { execInPod } from '../sandbox/exec-in-pod.ts';
import { startSandboxFleet } from '../sandbox/fleet.ts';
import { keptLog } from '../sandbox/kept-log.ts';
import { demandRoomFor, removeKubeconfig, writeKubeconfig } from '../sandbox/kubeconfig-file.ts';
import { demandNetwork } from '../sandbox/network/requirements.ts';
import { startNetwork } from '../sandbox/network/sandbox-network.ts';
import { shellWord } from '../sandbox/next-steps.ts';
import { until } from '../sandbox/until.ts';
import type { NetworkFleet, StartDemoFleet } from './demo-fleet.ts';
import { withLookup } from './demo-fleet.ts';
import { observed } from './objects.ts';

const kubeconfig = 'isthmus-sandbox.kubeconfig';

/**
 * The clusters of `isthmus sandbox up`, in this process. Only clusters that are to be kept have a
 * kubeconfig, as long as they live.
 */
export function sandboxDemoFleet(io: Io, { hasNetwork = false } = {}): StartDemoFleet<NetworkFleet> {
  return async ({ keep, run, signal }) => {
    if (keep) await demandRoomFor(kubeconfig, io);
    if (hasNetwork) await demandNetwork(io, { curl: 'curl' });
    const clusters = parseClusterList('north:leader,east,west');
    const kept = keptLog('demo', { level: 'info', io });
    const { log } = kept;
    await using stack = new AsyncDisposableStack();
    const started = startSandboxFleet({
      clusters,
      world: { ...io, log },
      ...(hasNetwork && { startNetwork: () => startNetwork(clusters, { ...io, log }) }),
      secret: io.secret,
      run,
      signal,
    });
    const fleet = stack.use(await kept.explain(started, signal));
    if (keep) {
      stack.defer(() => removeKubeconfig(kubeconfig, fleet.clusters, io));
      await writeKubeconfig(kubeconfig, fleet.clusters, io);
    }
    const owned = stack.move();
    const lookup = withLookup(
      fleet.clusters.map((cluster) => ({
        ...cluster,
        kubectl: `--kubeconfig ${shellWord(io.absolutePath(kubeconfig))} --context ${cluster.name}`,
      })),
    );
    return {
      ...lookup,
      async exec(name, pod, command) {
        const cluster = fleet.clusters.find((one) => one.name === name);
        if (cluster === undefined) throw new Error(`no cluster ${name}`);
        const written = { stdout: '', stderr: '' };
        const into = (stream: keyof typeof written) => (bytes: Uint8Array) =>
          void (written[stream] += new TextDecoder().decode(bytes));
        const streams = { onStdout: into('stdout'), onStderr: into('stderr') };
        const code = await execInPod(io.network, cluster, { namespace: 'shop', name: pod, command, ...streams });
        return { code, ...written };
      },
      until: (what, look) => until(what, look, { clock: io.clock, signal, observe: () => observed(lookup.clusters) }),
      controllerLog: () => kept.lines,
      logs: () => `${kept.lines.join('\n')}\n`,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  };
}
