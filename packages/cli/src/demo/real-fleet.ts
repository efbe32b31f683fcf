import type { Client } from '@isthmus/kube';
import { noLog, noMetrics } from '@isthmus/kube';
import { createClusterControllers } from '@isthmus/sandbox';
import type { Io } from '../world/io.ts';
import { until } from '../sandbox/until.ts';
import type { StartDemoFleet } from './demo-fleet.ts';
import { withLookup } from './demo-fleet.ts';
import { observed } from './objects.ts';

/** The programs of a real cluster, each with a log. */
const components = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;

/** Where the Pods of a cluster get their addresses. */
const podCIDRs = { north: '10.10.1.0/24', east: '10.20.1.0/24', west: '10.30.1.0/24' } as const;

/**
 * Three real API servers with kube-controller-manager, and the controllers of Isthmus as processes
 * of their own. What a cluster has beside these is ours: a scheduler, and a Node without a machine.
 */
export function realDemoFleet({ clock, random }: Pick<Io, 'clock' | 'random'>): StartDemoFleet {
  return async ({ run, signal }) => {
    // Only here: who plays on the sandbox need not load it.
    const { controllersAsProcesses, startRealFleet } = await import('@isthmus/testkit');
    await using stack = new AsyncDisposableStack();
    const fleet = stack.use(
      await startRealFleet({
        clusters: { north: 'leader', east: 'member', west: 'member' },
        controllers: controllersAsProcesses,
        run,
        signal,
      }),
    );
    for (const [name, podCIDR] of Object.entries(podCIDRs)) {
      stack.defer(runNode(fleet.cluster(name).admin, { name: `${name}-1`, podCIDR }));
    }
    const owned = stack.move();
    const lookup = withLookup(
      fleet.clusters.map(({ name, role, admin, server }) => ({
        name,
        admin,
        isLeader: role === 'leader',
        isMember: role === 'member',
        kubectl: `--kubeconfig ${server.kubeconfigPath}`,
      })),
    );
    return {
      ...lookup,
      until: (what, look) => until(what, look, { clock, signal, observe: () => observed(lookup.clusters) }),
      controllerLog: () => fleet.clusters.flatMap(({ output }) => output),
      logs: () =>
        fleet.clusters
          .flatMap(({ name, server, output }) => [
            `==> the controllers of Isthmus in ${name} <==\n${output.join('\n')}\n`,
            ...components.map((component) => `==> ${component} of ${name} <==\n${server.logs(component)}`),
          ])
          .join('\n'),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  };

  /** Schedules and runs the Pods of a cluster until the result is called. */
  function runNode(client: Client, node: { readonly name: string; readonly podCIDR: string }): () => Promise<void> {
    const end = new AbortController();
    const run = createClusterControllers({
      client,
      world: { clock, random, log: noLog, metrics: noMetrics },
      which: ['scheduler', 'nodes', 'node-lifecycle'],
      kubelet: { nodes: [node], terminationMs: 200 },
    }).run(end.signal);
    run.catch(() => {});
    return () => {
      end.abort(new Error('the demo is over'));
      return run;
    };
  }
}
