import { agentPorts, createAgent } from '@isthmus/dataplane';
import type { Probe, WatchProgram } from '@isthmus/dataplane';
import type { Client, World } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { until } from '../until.ts';
import { byLine } from './by-line.ts';
import { programsIn } from './machine.ts';
import type { SandboxMachine } from './machine.ts';

export interface NodeAgentOptions {
  /** A client with the rights of the agent. */
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
  readonly machine: SandboxMachine;
  /**
   * How many gateways the agent has to find: those of the other clusters, or, on a Node that is not
   * a gateway, that of its own cluster.
   */
  readonly gateways: number;
  /** Sends probes from the network of the Node. */
  readonly probe: Probe;
  readonly env: Readonly<Record<string, string>>;
  readonly world: World;
}

/** The agent of a Node, in this process, on the network of the Node. */
export interface NodeAgent {
  run(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the network is written and all gateways answer. Errors: where nothing changes for
   * a minute, what is missing.
   */
  ready(signal: AbortSignal): Promise<void>;
}

export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { client, namespace, node, machine, gateways, probe, env, world } = options;
  // Until all Nodes have their networks, missing gateways are not worth a warning; the start waits
  // for them.
  let isReady = false;
  const { log } = world;
  const agent = createAgent({
    client,
    namespace,
    node,
    settings: { port: agentPorts.tunnel },
    ...programsIn(machine, node, env),
    watch: watchIn(machine, node, env),
    probe,
    world: { ...world, log: { ...log, warn: (...call) => (isReady ? log.warn(...call) : log.debug(...call)) } },
  });
  return {
    run: (signal) => agent.run(signal),
    async ready(signal) {
      const missing = () => [
        ...agent.notReady(),
        ...(agent.gateways().length < gateways ? ['not all gateways are known'] : []),
        ...agent
          .gateways()
          .flatMap(({ gateway, state }) => (state === 'alive' ? [] : [`gateway ${gateway.underlay} does not answer`])),
      ];
      await until(
        `the network of Node ${node} is written`,
        async () => {
          const [first] = missing();
          if (first !== undefined) throw new Error(first);
          return true;
        },
        { clock: world.clock, signal, observe: async () => missing().join('\n') },
      );
      isReady = true;
    },
  };
}

/** Runs the monitors of the agent in the network of its Node. */
function watchIn(machine: SandboxMachine, node: string, env: Readonly<Record<string, string>>): WatchProgram {
  return async (program, args, onLine, signal) => {
    try {
      const child = await machine.start(node, [program, ...args], {
        env,
        onStdout: byLine(onLine),
      });
      const stop = () => child.kill('SIGKILL');
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      const { code, signal: by } = await child.exited;
      signal.removeEventListener('abort', stop);
      return by === undefined ? `it ended with code ${code ?? 0}` : `it was ended by ${by}`;
    } catch (error) {
      return errorMessage(error);
    }
  };
}
