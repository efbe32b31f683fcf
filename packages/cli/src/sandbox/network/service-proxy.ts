import { EndpointSlice, Service } from '@isthmus/api';
import type { World } from '@isthmus/kube';
import { atStart, defineReconciler, done, from, runController } from '@isthmus/kube';
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
}

const theOnly = 'rules';
const burstMs = 20;

/** Keeps the rules for ClusterIPs on the Nodes of a cluster until `signal` aborts. */
export async function runServiceProxy(options: ServiceProxyOptions, signal: AbortSignal): Promise<void> {
  const { objects, world, machine, nodes, podCIDR } = options;
  const { services, slices } = objects;
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
        nodes.map(async (node) => {
          if (written.get(node) === rules) return;
          const { code, stderr } = await machine.run(node, 'nft', ['-f', '-'], rules);
          if (code !== 0) throw new Error(`cannot write the rules for Services on Node ${node}: ${stderr.trim()}`);
          written.set(node, rules);
        }),
      );
      return done;
    },
  });
  await runController(reconciler, { ...world, signal });
}
