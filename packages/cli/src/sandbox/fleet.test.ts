import { createLog } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { memoryNetwork } from '../testing/memory-network.ts';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { startSandboxFleet } from './fleet.ts';
import { layoutOf } from './network/layout.ts';
import type { SandboxMachine } from './network/machine.ts';
import { createProcessRuntime } from './network/containers/process-runtime.ts';
import type { SandboxNetwork } from './network/sandbox-network.ts';

describe('the start of a fleet', () => {
  it('reports networks of Nodes that fail while the members join, in the step that waits for them', async () => {
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
    const io = madeUpIo({ clock, network: memoryNetwork() });
    const log = createLog({ destination: io.stderr, level: 'error', format: 'text', clock });
    const steps: string[] = [];
    const start = startSandboxFleet({
      clusters: [
        { name: 'north', isLeader: true, isMember: false },
        { name: 'east', isLeader: false, isMember: true },
      ],
      world: { ...io, log },
      secret: io.secret,
      run(name, work) {
        steps.push(name);
        return work();
      },
      signal: new AbortController().signal,
      startNetwork: async () => networkThatFails(io, log),
    });
    await expect(inVirtualTime(clock, start)).rejects.toThrow('the agent of east-1 has written nothing');
    expect(steps.slice(-2)).toEqual(['join the ClusterSet', 'write the networks of the Nodes']);
  });
});

/** Nodes whose agents never write their network. */
function networkThatFails(
  io: ReturnType<typeof madeUpIo>,
  log: Parameters<typeof createProcessRuntime>[0]['log'],
): SandboxNetwork {
  const none = () => Promise.reject(new Error('nothing runs here'));
  const machine: SandboxMachine = {
    hasEnded: false,
    script: none,
    run: none,
    start: none,
    startBeside: none,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    cluster(name) {
      const layout = layoutOf(name, name === 'north' ? 0 : 1, 1);
      return {
        ...layout,
        simulated: layout.nodes.map((node) => ({ name: node.name, podCIDR: node.podCIDR, internalIP: node.address })),
        runtime: createProcessRuntime({ cluster: name, machine, world: io, path: '', nextNetwork: () => 'pod1', log }),
      };
    },
    run: async ({ name }, _world, signal) => ({
      ready: name === 'east' ? Promise.reject(new Error('the agent of east-1 has written nothing')) : Promise.resolve(),
      ended: new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
