import { errorMessage } from '@isthmus/machinery';
import type { Cidr } from '@isthmus/machinery';
import type { ImportedService } from '../desired/cluster-network.ts';
import { withGoneEndpoints } from '../desired/gone-endpoints.ts';
import { forgetFlows } from '../kernel/forget-flows.ts';
import type { Network } from '../network/network.ts';
import type { OpenKernel } from './open-kernel.ts';
import type { AgentMetrics } from './metrics.ts';
import { noAgentMetrics } from './metrics.ts';
import type { AgentOptions } from './options.ts';
import type { AgentMemory } from './state.ts';

interface Acting {
  readonly kernel: OpenKernel;
  readonly memory: AgentMemory;
  readonly options: Pick<AgentOptions, 'world'> & { readonly metrics?: AgentMetrics | undefined };
}

/** Writes the network, and measures how long that takes. Errors: those of the writer. */
export async function writeNetwork({ kernel, options }: Acting, network: Network): Promise<void> {
  const { metrics = noAgentMetrics, world } = options;
  const startedMs = world.clock.monotonic();
  const count = (outcome: 'written' | 'failed') =>
    metrics.writeSeconds.observe({ outcome }, (world.clock.monotonic() - startedMs) / 1_000);
  try {
    await kernel.auditSchedule.during(() => kernel.writer.write(network));
    count('written');
  } catch (error) {
    count('failed');
    throw error;
  }
}

/**
 * Looks at the Node if it is time, and compares its network with what was written. Returns what
 * failed. A failure to look at the Node does not stop the next write.
 */
export async function lookAround(
  acting: Acting,
  { podCIDRs, auditEveryMs }: { readonly podCIDRs: readonly Cidr[]; readonly auditEveryMs: number },
): Promise<readonly unknown[]> {
  const { auditSchedule, localRanges, surroundings } = acting.kernel;
  const failures: unknown[] = [];
  const looked = (work: Promise<void>) => work.catch((error: unknown) => void failures.push(error));
  if (!acting.memory.state.isWritten) await looked(surroundings.look(podCIDRs));
  await looked(
    auditSchedule.whenDue(auditEveryMs, async () => {
      // Routes of the Node and names of hosts change unseen.
      localRanges.forget();
      await looked(surroundings.look(podCIDRs));
      await compare(acting);
      if (failures.length > 0) throw failures[0];
    }),
  );
  return failures;
}

async function compare({ kernel, memory, options }: Acting): Promise<void> {
  const { metrics = noAgentMetrics, world } = options;
  const drift = await kernel.writer.audit();
  metrics.repairedItems.inc({}, drift.length);
  if (drift.length === 0) return;
  world.log.warn('the network of the Node was changed by others, and is repaired', { drift });
  // Meanwhile kube-proxy may have translated to endpoints other than ours.
  memory.remember({ flowsOf: [] });
}

/**
 * Ends UDP flows to endpoints that are gone, also those that are older than this agent. A failure
 * becomes a note, because the network itself is correct. The next change or comparison tries again.
 */
export async function forgetGone(
  { kernel, memory, options }: Acting,
  services: readonly ImportedService[],
): Promise<void> {
  const lost = withGoneEndpoints(memory.state.flowsOf, services);
  try {
    if (lost.length > 0) await forgetFlows(lost, kernel.run);
    memory.remember({ flowsOf: services, notForgotten: undefined });
  } catch (error) {
    const why = errorMessage(error);
    if (why !== memory.state.notForgotten)
      options.world.log.warn('UDP flows may continue to endpoints that are gone, until their clients pause', { why });
    memory.remember({ notForgotten: why });
  }
}
