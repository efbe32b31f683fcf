import { delimiter } from 'node:path';
import { createClient, noLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import { createClusterControllers } from '@isthmus/sandbox';
import { adminTransport, startRealFleet } from '@isthmus/testkit';
import type { Members } from './members.ts';
import { members } from './members.ts';

/** Real API servers with simulated Nodes. `say`: called with each step as it begins. */
export async function startMembersOnApiServers(say: (line: string) => void): Promise<Members> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(
    await startRealFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      kubeControllers: ['*'],
      run(phase, work) {
        say(phase);
        return work();
      },
    }),
  );
  // The suite creates Deployments and waits for their Pods to run.
  const end = new AbortController();
  const clock = systemClock();
  for (const name of members) {
    const client = createClient({ transport: adminTransport(fleet.cluster(name).server, 'kubelet'), clock });
    const ended = createClusterControllers({
      client,
      world: { clock, random: systemRandom(), log: noLog, metrics: noMetrics },
      which: ['scheduler', 'nodes'],
      kubelet: { nodes: [{ name: `${name}-node`, podCIDR: '10.244.1.0/24' }], terminationMs: 100 },
    }).run(end.signal);
    stack.defer(async () => {
      end.abort(new Error('the suite has ended'));
      await ended;
      client.close();
    });
  }
  const kubeconfig = members.map((name) => fleet.cluster(name).server.kubeconfigPath).join(delimiter);
  const owned = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
