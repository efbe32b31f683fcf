import { firstNames } from '@isthmus/machinery';
import type { Verdict, clusterInfoImportStatus } from '@isthmus/api';
import type { OfferedGateway } from '../../../own-cluster/own-cluster.ts';

/** Whether packets reach another cluster, as the condition reports it. */
export type Reachable = Verdict<typeof clusterInfoImportStatus, 'Reachable'>;

/** If there are more Nodes, they are counted and not named. */
const mostNamed = 5;

/**
 * Whether the gateways of another cluster can be reached, as the agents on this cluster's gateways
 * report. Only agents know that: without agents the condition is absent, and it is unknown if no
 * agent reports now.
 */
export function decideReachable(clusterID: string, gateways: readonly OfferedGateway[]): Reachable | 'absent' {
  const agents = gateways.filter(({ agent }) => agent !== 'none');
  if (agents.length === 0) return 'absent';
  const alive = agents.filter(({ agent }) => agent === 'alive');
  if (alive.length === 0)
    return {
      status: 'Unknown',
      reason: 'AgentsSilent',
      message: `The agents on the gateways of this cluster (${named(agents)}) do not renew their Leases. Check the agents with kubectl logs; the kernel continues to carry packets without them.`,
    };
  const reporting = alive.filter(({ probes }) => probes !== undefined);
  if (reporting.length === 0)
    return {
      status: 'Unknown',
      reason: 'ProbesNotReported',
      message: `The agents on the gateways of this cluster (${named(alive)}) do not report their probes, because they are of an earlier release. Update the agents.`,
    };
  const results = reporting.flatMap(({ probes = [] }) => probes.find((one) => one.clusterID === clusterID) ?? []);
  const gatewaysOf = `gateways of ${clusterID}`;
  if (results.every(({ answering, silent }) => answering + silent === 0))
    return {
      status: 'Unknown',
      reason: 'NotProbed',
      message: `The agents on the gateways of this cluster (${named(reporting)}) have no results of probes to ${gatewaysOf} yet. If this does not change, run isthmus agent show on one of these Nodes.`,
    };
  const addresses = [...new Set(results.flatMap(({ silentAddresses }) => silentAddresses))].toSorted();
  const listed = addresses.length === 0 ? '' : ` (${addresses.slice(0, mostNamed).join(', ')})`;
  const reaching = results.filter(({ answering }) => answering > 0);
  const others = agents.filter((one) => !reporting.includes(one));
  const unreported = others.length === 0 ? '' : ` ${named(others)}: no report.`;
  if (reaching.length === 0)
    return {
      status: 'False',
      reason: 'NoGatewayAnswers',
      message: `No gateway of ${clusterID}${listed} answers the probes of the gateways of this cluster.${unreported} Check that its agents run, and that firewalls between the gateways accept the tunnel port.`,
    };
  const how = `${reaching.length} of ${agents.length} gateways of this cluster reach ${clusterID}, in at most ${most(reaching.map(({ roundTripMs = 0 }) => roundTripMs))} ms, with at most ${most(reaching.map(({ lossPercent }) => lossPercent))} % of the probes lost.`;
  const small = alive.flatMap(({ smallPaths = [] }) => smallPaths.filter((one) => one.clusterID === clusterID));
  if (small.length > 0) {
    const where = firstNames([...new Set(small.flatMap((one) => one.addresses))].toSorted(), mostNamed);
    return {
      status: 'True',
      reason: 'PacketsTooLarge',
      message: `Packets of more than ${Math.min(...small.map(({ carries }) => carries))} bytes to ${gatewaysOf} (${where}) are lost on the way, although tunnels carry ${most(small.map(({ largest }) => largest))}: connections hang. ${how} Find what carries smaller packets between the gateways, or set --underlay-mtu of all agents.`,
    };
  }
  if (reaching.length === agents.length && results.every(({ silent }) => silent === 0))
    return { status: 'True', reason: 'GatewaysAnswer', message: how };
  const silent = results.some((one) => one.silent > 0) ? ` Some ${gatewaysOf}${listed} do not answer.` : '';
  return {
    status: 'True',
    reason: 'SomeGatewaysSilent',
    message: `${how}${silent}${unreported} Packets are sent through gateways that answer.`,
  };
}

const most = (numbers: readonly number[]) => Math.max(...numbers);

function named(gateways: readonly OfferedGateway[]): string {
  const nodes = gateways.map(({ node }) => node);
  return `${nodes.length === 1 ? 'Node' : 'Nodes'} ${firstNames(nodes, mostNamed)}`;
}
