import { createLog } from '@isthmus/kube';
import type { Io } from '../io.ts';
import { parseClusterList } from '../sandbox/cluster-list.ts';
import { startSandboxFleet } from '../sandbox/fleet.ts';
import { demandRoomFor, removeKubeconfig, writeKubeconfig } from '../sandbox/kubeconfig-file.ts';
import { shellWord } from '../sandbox/next-steps.ts';
import { until } from '../sandbox/until.ts';
import type { StartDemoFleet } from './demo-fleet.ts';
import { withLookup } from './demo-fleet.ts';
import { observed } from './objects.ts';

const kubeconfig = 'isthmus-sandbox.kubeconfig';

/** The clusters of `isthmus sandbox up`, in this process. Only clusters that are to be kept have a kubeconfig, as long as they live. */
export function sandboxDemoFleet(io: Io): StartDemoFleet {
  return async ({ keep, run, signal }) => {
    if (keep) await demandRoomFor(kubeconfig, io);
    const said: string[] = [];
    const destination = { write: (line: string) => void said.push(line.trimEnd()) };
    await using stack = new AsyncDisposableStack();
    const fleet = stack.use(
      await startSandboxFleet({
        clusters: parseClusterList('north:leader,east,west'),
        world: { ...io, log: createLog({ destination, level: 'info', format: 'text', clock: io.clock }) },
        secret: io.secret,
        run,
        signal,
      }),
    );
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
      until: (what, look) => until(what, look, { clock: io.clock, signal, observe: () => observed(lookup.clusters) }),
      lastWords: () => said.slice(-15),
      logs: () => `${said.join('\n')}\n`,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  };
}
