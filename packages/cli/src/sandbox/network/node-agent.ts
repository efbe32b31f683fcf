import { agentPorts, createAgent, probesElsewhere } from '@isthmus/dataplane';
import type { Probe, WatchProgram } from '@isthmus/dataplane';
import type { Client, World } from '@isthmus/kube';
import type { Io } from '../../io.ts';
import { until } from '../until.ts';
import type { SandboxMachine } from './machine.ts';
import { sandboxPrograms } from './programs/names.ts';

export interface NodeAgentOptions {
  /** With the rights of the agent. */
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
  readonly machine: SandboxMachine;
  /** How many gateways it has to find: those of the other clusters, or, on a Node that is none, that of its own. */
  readonly gateways: number;
  readonly ownCommand: Io['ownCommand'];
  readonly env: Readonly<Record<string, string>>;
  readonly world: World;
}

/** The agent of a Node, in this process, on the network of the Node. */
export interface NodeAgent {
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the network is written and all gateways answer. Errors: where nothing changes for a minute, what is missing. */
  ready(signal: AbortSignal): Promise<void>;
}

export async function createNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { client, namespace, node, machine, gateways, ownCommand, env, world } = options;
  const prober = await startProber(options);
  // Until all Nodes have their networks, missing gateways are not worth a warning; the start waits for them.
  let isReady = false;
  const { log } = world;
  const agent = createAgent({
    client,
    namespace,
    node,
    settings: { port: agentPorts.tunnel },
    run: (program, args, input) => machine.run(node, program, args, input),
    watch: watchIn(machine, node, env),
    probe: prober,
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
        { clock: world.clock, signal, observe: async () => missing().join('; ') },
      );
      isReady = true;
    },
  };

  async function startProber({ machine: inside }: NodeAgentOptions): Promise<Probe> {
    const { probe, answer, end } = probesElsewhere((line) => child.write(line));
    const child = await inside.start(node, [...ownCommand, sandboxPrograms.node], {
      env,
      onStdout: byLine(answer),
      onStderr: (bytes) => world.log.warn('the program that probes', { node, says: new TextDecoder().decode(bytes) }),
    });
    void child.exited.then(end);
    return probe;
  }
}

/** Hands on each whole line of what is written. */
function byLine(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
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
      return error instanceof Error ? error.message : String(error);
    }
  };
}
