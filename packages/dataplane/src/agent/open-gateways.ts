import type { ClusterNetwork } from '../desired/cluster-network.ts';
import type { GatewayReport } from '../probes/gateway-record.ts';
import { createProber } from '../probes/prober.ts';
import type { ProbedGateway } from '../probes/targets.ts';
import { probedGateways } from '../probes/targets.ts';
import { createRemembered } from '../remembered/remembered.ts';
import { createSizeProber } from '../probes/sizes/size-prober.ts';
import { createDirectPaths } from './direct-paths.ts';
import type { AgentOptions } from './options.ts';

/** Probes the gateways of a network, and its paths outside of the tunnels. */
export function openGateways(
  options: AgentOptions,
  {
    isWritten,
    clusterID,
    onDead,
  }: {
    readonly isWritten: () => boolean;
    readonly clusterID: () => string | undefined;
    /** Called when a gateway stops answering. The cause may be an entry of this Node. */
    readonly onDead: () => void;
  },
) {
  const { probe, world } = options;
  const remembered = createRemembered<ReadonlyMap<string, ProbedGateway>>();
  const prober = createProber({
    probe,
    clock: world.clock,
    // Nothing answers before tunnels are written, which may take longer than three probes. After
    // three missed probes a gateway is dead, and has to answer three times to return.
    rounds: () => (isWritten() ? 1 : 3),
    onStateChange(report, before) {
      logState(world.log, report, before);
      if (report.state === 'dead') onDead();
    },
  });
  const sizes = createSizeProber({
    gateways: () => prober.reports(),
    probe,
    clock: world.clock,
    onChange: (report, carries) => logSize(world.log, report, carries),
  });
  const directPaths = createDirectPaths(options, clusterID);
  return {
    prober,
    sizes,
    /** The results of all probes of the gateways. */
    reports: (): readonly GatewayReport[] =>
      prober.reports().map((one) => ({ ...one, carries: sizes.carries(one.gateway.key) })),
    directPaths,
    /** Probes the gateways of this network from now on. Returns it with its direct paths. */
    watch(found: ClusterNetwork): ClusterNetwork {
      const cluster = directPaths.in(found);
      const { node, nodes, remotes, settings } = cluster;
      prober.watch(remembered.get('', [node, nodes, remotes, settings], () => probedGateways(cluster)));
      return cluster;
    },
    /** Resolves when each gateway has been probed once. */
    probedOnce: async () => void (await Promise.all([prober.probedOnce(), directPaths.askedOnce()])),
  };
}

export type OpenGateways = ReturnType<typeof openGateways>;

function logSize(
  log: AgentOptions['world']['log'],
  { gateway: { clusterID, underlay, largest } }: GatewayReport,
  carries: number | undefined,
): void {
  const fields = { ...(clusterID !== undefined && { remoteCluster: clusterID }), gateway: underlay, largest };
  if (carries === undefined) log.info('large packets arrive at a gateway', fields);
  else log.warn('large packets are lost on the way to a gateway, which answers small ones', { ...fields, carries });
}

function logState(
  log: AgentOptions['world']['log'],
  { gateway: { clusterID, underlay }, state, roundTripMs, loss }: GatewayReport,
  before: GatewayReport['state'],
): void {
  if (before === 'new' && state !== 'dead') return;
  const fields = { ...(clusterID !== undefined && { remoteCluster: clusterID }), gateway: underlay, roundTripMs, loss };
  if (state === 'dead') log.warn('a gateway does not answer probes', fields);
  else log.info('a gateway answers probes', fields);
}
