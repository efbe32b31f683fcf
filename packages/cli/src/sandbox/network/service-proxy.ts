import { EndpointSlice, Service } from '@isthmus/api';
import { withHeldNft } from '@isthmus/dataplane';
import type { World } from '@isthmus/kube';
import { atStart, defineReconciler, done, from, runController } from '@isthmus/kube';
import { programsIn } from './machine.ts';
import type { SandboxMachine } from './machine.ts';
import type { ServiceObjects } from './names/service-objects.ts';
import { serviceRules } from './service-rules.ts';

export interface ServiceProxyOptions {
  readonly objects: ServiceObjects;
  readonly world: World;
  readonly machine: SandboxMachine;
  /** The networks of the Nodes of the cluster. */
  readonly nodes: readonly string[];
  readonly podCIDR: string;
  readonly env: Readonly<Record<string, string>>;
}

const theOnly = 'rules';
const burstMs = 20;

/** Keeps the rules for ClusterIPs on the Nodes of a cluster until `signal` aborts. */
export async function runServiceProxy(options: ServiceProxyOptions, signal: AbortSignal): Promise<void> {
  const { objects, world, machine, nodes, podCIDR, env } = options;
  const { services, slices } = objects;
  using stack = new DisposableStack();
  const places = nodes.map((node) => {
    const programs = withHeldNft({ ...programsIn(machine, node, env), clock: world.clock });
    stack.defer(() => programs.close());
    return { node, run: programs.run };
  });
  const written = new Map<string, string>();
  const reconciler = defineReconciler({
    name: 'service-proxy',
    concurrency: 1,
    coalesceMs: burstMs,
    sources: [from(services, () => [theOnly]), from(slices, () => [theOnly]), atStart(theOnly)],
    access: [
      { at: 'local', type: Service, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['list', 'watch'] },
    ],
    async reconcile() {
      const rules = serviceRules(services.list(), slices.list(), podCIDR);
      await Promise.all(
        places.map(async ({ node, run }) => {
          if (written.get(node) === rules) return;
          const { code, stderr } = await run('nft', ['-f', '-'], rules);
          if (code !== 0) throw new Error(`cannot write the rules for Services on Node ${node}: ${stderr.trim()}`);
          written.set(node, rules);
        }),
      );
      return done;
    },
  });
  await runController(reconciler, { ...world, signal });
}
