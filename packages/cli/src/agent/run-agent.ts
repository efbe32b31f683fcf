import {
  agentMetrics,
  agentPorts,
  createAgent,
  nameserversIn,
  noAgentMetrics,
  showStatus,
  statusPath,
} from '@isthmus/dataplane';
import type { AgentOptions, DirectSocket } from '@isthmus/dataplane';
import type { BindAddress, HealthRequest, World } from '@isthmus/kube';
import { countExchanges, createClient, createHealthHandler, textResponse } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { dns1123LabelErrors, errorMessage } from '@isthmus/machinery';
import { bindAddressOf, openLog } from '../long-running/command-process.ts';
import { openMetrics } from '../controller/open-metrics.ts';
import { serveHealth } from '../controller/serve-health.ts';
import { ExitCode } from '../command/exit-code.ts';
import { findApiServer, openApiServer } from '../connection/find-api-server.ts';
import { smallMemory } from '../long-running/give-back-memory.ts';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';
import { isthmusVersion } from '../version/version.ts';
import type { AntreaSettings } from './antrea-config.ts';
import { readAntreaConfig } from './antrea-config.ts';
import type { AgentFlags } from './flags.ts';
import { holdProgram } from './hold-program.ts';
import { defaultNamespace, healthAddressOf, podCIDRsOf, virtualCIDRsOf } from './settings.ts';

/**
 * The agent of a Node as a process, until SIGTERM or SIGINT. An API server that cannot be reached
 * does not end it: what it wrote stays in the kernel.
 *
 * Errors: {@link UsageError} before anything was begun.
 */
export async function runAgent(io: Io, flags: AgentFlags): Promise<ExitCode> {
  const fromFile = await antreaSettings(io, flags.config);
  const settings = settingsOf(io, flags, fromFile);
  const connection = await findApiServer(io, flags, 'the API server of the cluster');
  const { clock, random } = io;
  const log = openLog(io, flags);
  for (const warning of connection.warnings) log.warn(warning);
  for (const option of fromFile.ignored)
    log.warn('an option of the configuration has no effect', { file: flags.config, option });
  const { registry, metrics } = await openMetrics(settings.metrics);
  const world: World = { clock, random, log, metrics };
  const transport = await openApiServer(io, connection, `isthmus-agent/${isthmusVersion}`);
  const onExchange = countExchanges(metrics, 'local');
  const client = createClient({ transport, clock, server: `the API server ${connection.server}`, onExchange });
  const ofAgent = registry?.declare(agentMetrics) ?? noAgentMetrics;
  const { node, namespace, podCIDRs, virtualCIDRs, tunnels, enableStretchedNetworkPolicy, health } = settings;
  await using socket = await openDirect(io, flags, log);
  const agent = createAgent({
    client,
    namespace,
    node,
    podCIDRs,
    virtualCIDRs,
    settings: tunnels,
    enableStretchedNetworkPolicy,
    run: io.runTool,
    hold: holdProgram(io),
    watch: io.watchTool,
    names: {
      // Without the file, the Node has no nameservers.
      nameservers: async () =>
        nameserversIn(
          await io.readFile(resolvConf).then(
            ({ text }) => text,
            () => '',
          ),
        ),
      addressesOf: io.network.addressesOf,
    },
    probe: io.probe,
    direct: 'off' in socket ? socket : { socket, nonce: io.secret },
    metrics: ofAgent,
    world,
  });
  const stop = new AbortController();
  const forget = io.onStop((signal) => {
    log.info('stopping; the network of the Node stays', { signal });
    stop.abort(new Error(`stopped by ${signal}`));
  });
  try {
    const written = () => {
      const reasons = agent.notReady();
      return reasons.length === 0 ? undefined : reasons.join('; ');
    };
    const healthy = createHealthHandler({
      ready: [{ name: 'network', check: written, note: () => agent.notes().join('; ') || undefined }],
    });
    const answer = (request: HealthRequest) =>
      request.method === 'GET' && request.url === statusPath
        ? Promise.resolve(textResponse(200, JSON.stringify(agent.status()), { 'content-type': 'application/json' }))
        : healthy(request);
    await using _memory = await smallMemory(io);
    await using _server =
      health === undefined ? undefined : await io.network.listen(health, answer, log).catch(perhapsAnother);
    const shown = registry && {
      ...registry,
      render() {
        showStatus(ofAgent, agent.status());
        return registry.render();
      },
    };
    const at = { health: undefined, metrics: settings.metrics };
    // Another process of the Node may have the port: packets are carried all the same.
    await using _metrics = await serveHealth({
      config: at,
      registry: shown,
      ready: () => [],
      network: io.network,
      client,
      clock,
      log,
    }).catch((error: unknown) => {
      log.warn('metrics are not served', { why: errorMessage(error) });
      return undefined;
    });
    log.info('running', { node, namespace, server: connection.server });
    await agent.run(stop.signal);
    return ExitCode.ok;
  } finally {
    forget();
    client.close();
    log.info('stopped');
  }
}

/** The kubelet gives a Pod in the network of its Node the nameservers of that Node. */
const resolvConf = '/etc/resolv.conf';

/** Two agents on one Node would undo each other's network. */
function perhapsAnother(error: unknown): never {
  const why = errorMessage(error);
  throw new Error(
    `${why}. If it is another agent, use only that one: a Node has one, and \`isthmus agent show\` shows whether it runs`,
    { cause: error },
  );
}

/**
 * Where agents of other clusters ask whether Pods are reached without a tunnel. If another process
 * has the port, packets are carried all the same.
 */
async function openDirect(
  { network }: Io,
  flags: AgentFlags,
  log: World['log'],
): Promise<(DirectSocket | { readonly off: string }) & AsyncDisposable> {
  const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
  if (flags['direct-paths'] === 'off') return { off: '--direct-paths is off', ...nothing };
  try {
    return await network.openDirect(agentPorts.direct);
  } catch (error) {
    const why = errorMessage(error);
    log.warn('packets to other clusters take tunnels only: the port for questions is not free', { why });
    return { off: `UDP port ${agentPorts.direct} of the Node cannot be used: ${why}`, ...nothing };
  }
}

interface AgentSettings {
  readonly node: string;
  readonly namespace: string;
  readonly podCIDRs: readonly Cidr[];
  readonly virtualCIDRs: AgentOptions['virtualCIDRs'];
  readonly tunnels: AgentOptions['settings'];
  readonly enableStretchedNetworkPolicy: boolean;
  readonly health: BindAddress | undefined;
  readonly metrics: BindAddress | undefined;
}

/** IPv6 asks for 1,280 bytes in each tunnel. */
const leastMTU = 1_400;
/** The largest packet of IP. */
const mostMTU = 65_535;

/**
 * What the file of Antrea's agent sets, if there is one. Errors: {@link UsageError} where it cannot
 * be read.
 */
async function antreaSettings({ readFile }: Io, path: string | undefined): Promise<AntreaSettings> {
  if (path === undefined) return { ignored: [] };
  try {
    const { text } = await readFile(path);
    return readAntreaConfig(text, path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--config: ${errorMessage(error)}`, { cause: error });
  }
}

/** A flag that is given comes before the file. */
function settingsOf({ env, hostname }: Io, flags: AgentFlags, fromFile: AntreaSettings): AgentSettings {
  const port = flags['tunnel-port'] ?? agentPorts.tunnel;
  if (port < 1 || port > 65_535) throw new UsageError(`--tunnel-port is ${port}. It must be a number from 1 to 65535.`);
  const underlayMTU = flags['underlay-mtu'];
  if (underlayMTU !== undefined && underlayMTU < leastMTU)
    throw new UsageError(
      `--underlay-mtu is ${underlayMTU}. It must be at least ${leastMTU}: tunnels carry IPv6, which needs 1280 bytes.`,
    );
  if (underlayMTU !== undefined && underlayMTU > mostMTU)
    throw new UsageError(`--underlay-mtu is ${underlayMTU}. It must be at most ${mostMTU}.`);
  const wireGuardPort = wireGuardPortOf(flags, fromFile);
  if (port === wireGuardPort)
    throw new UsageError(
      `--tunnel-port and --wireguard-port are both ${port}. They must be different: a port of the Node has one listener.`,
    );
  if (port === agentPorts.direct || wireGuardPort === agentPorts.direct)
    throw new UsageError(
      `--${port === agentPorts.direct ? 'tunnel' : 'wireguard'}-port is ${agentPorts.direct}. Use another port: agents answer questions of other clusters on this one.`,
    );
  const namespace = flags.namespace ?? fromFile.namespace ?? (env['POD_NAMESPACE'] || defaultNamespace);
  const [wrongNamespace] = dns1123LabelErrors(namespace);
  if (wrongNamespace !== undefined)
    throw new UsageError(`${JSON.stringify(namespace)} is not a valid name of a Namespace: ${wrongNamespace}`);
  return {
    // As kubelet makes a name of it.
    node: flags.node ?? (env['NODE_NAME'] || hostname.trim().toLowerCase()),
    namespace,
    podCIDRs: podCIDRsOf(flags['pod-cidrs']),
    virtualCIDRs: virtualCIDRsOf(flags['virtual-pod-cidrs']),
    tunnels: { port, underlayMTU, wireGuardPort },
    enableStretchedNetworkPolicy:
      flags['enable-stretched-network-policy'] ?? fromFile.enableStretchedNetworkPolicy ?? false,
    health: healthAddressOf(flags),
    metrics: bindAddressOf('metrics-bind-address', flags['metrics-bind-address'] ?? '0'),
  };
}

/** Undefined: nothing is encrypted. */
function wireGuardPortOf(flags: AgentFlags, fromFile: AntreaSettings): number | undefined {
  const port = flags['wireguard-port'] ?? fromFile.wireGuardPort ?? agentPorts.wireGuard;
  if (port < 1 || port > 65_535)
    throw new UsageError(`--wireguard-port is ${port}. It must be a number from 1 to 65535.`);
  const mode = flags['traffic-encryption-mode'] ?? fromFile.trafficEncryptionMode;
  return mode === 'wireGuard' ? port : undefined;
}
