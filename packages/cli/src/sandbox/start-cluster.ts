import { createClient, noCredentials } from '@isthmus/kube';
import type { VersionCompiler } from '@isthmus/sandbox';
import { startSandboxCluster } from '@isthmus/sandbox';
import { isthmusVersion } from '../version/version.ts';
import { abortOf } from './abort-of.ts';
import { callWebhooks } from './call-webhooks.ts';
import type { AskedCluster } from './cluster-list.ts';
import type { FleetCluster, FleetWorld } from './fleet-cluster.ts';
import { rangesOf } from './network/layout.ts';
import type { SandboxNetwork } from './network/sandbox-network.ts';

/** The values that the clusters of a fleet share while they start. */
export interface FleetStart {
  readonly world: FleetWorld;
  /** A key for the tokens of each cluster; not to be guessed. */
  readonly secret: () => string;
  readonly compile: VersionCompiler;
  /** Absent: Nodes and Pods are simulated. */
  readonly network: SandboxNetwork | undefined;
  /** Gets what was started: its disposal ends the servers and controllers. */
  readonly stack: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/**
 * How long the start waits for an answer. The server is in this process: where it is late, the
 * machine is busy, and the start would fail for it. Controllers have shorter limits, and ask again.
 */
const answerMs = 300_000;

/** How long the containers of a simulated Pod take to end. */
const terminationMs = 200;

/**
 * Starts the API server of a cluster over HTTPS, with the controllers of Kubernetes. Errors:
 * rejects with the reason of the signal.
 */
export async function startCluster(
  asked: AskedCluster,
  index: number,
  { world, secret, compile, network, stack, signal }: FleetStart,
): Promise<FleetCluster> {
  const { name } = asked;
  const { clock, log } = world;
  const ranges = rangesOf(index);
  const ofNetwork = network?.cluster(name);
  const authority = await world.network.createAuthority(name);
  const cluster = startSandboxCluster({
    name,
    clock,
    seed: Math.floor(world.random.next() * 2 ** 32),
    tokenKey: secret(),
    compile,
    callWebhook: callWebhooks(world),
    caData: authority.caData,
    ...ranges,
    terminationMs,
    ...(ofNetwork !== undefined && {
      nodes: ofNetwork.simulated,
      runtime: ofNetwork.runtime,
      containers: ofNetwork.runtime,
    }),
    log: log.with({ cluster: name }),
    onDefect: ({ method, path }, error) => log.error('the API server has failed', error, { name, method, path }),
  });
  stack.defer(() => cluster.stop());
  const server = stack.use(await world.network.serve(cluster.sandbox, authority));
  const user = await authority.issueClient({ user: 'kubernetes-admin', groups: ['system:masters'] });
  const transport = world.network.dial({
    server: server.url,
    caPem: server.caData,
    clientCertificate: { certPem: user.certData, keyPem: user.keyData },
    credentials: noCredentials(),
    userAgent: `isthmus/${isthmusVersion}`,
  });
  const admin = createClient({ transport, clock, server: `the API server of ${name}`, timeoutMs: answerMs });
  stack.defer(() => admin.close());
  await Promise.race([cluster.ready(), abortOf(signal)]);
  return {
    ...asked,
    url: server.url,
    caData: server.caData,
    user,
    admin,
    ...(network !== undefined && { config: { podCIDRs: [ranges.podCIDR] } }),
  };
}
