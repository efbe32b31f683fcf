import { hostPort, textTable } from '@isthmus/machinery';
import type { KindView, NodeView } from './node-view.ts';
import { kindNames } from './node-view.ts';

/** A Node as text. `nowMs`: the time of the clock, for the age of WireGuard handshakes. */
export function viewLines(view: NodeView, nowMs: number): readonly string[] {
  return [
    ...headLines(view),
    ...section(
      ['GATEWAY', 'CLUSTER', 'TUNNEL', 'PROBES', 'ROUND TRIP', 'LOSS'],
      view.gateways.map(({ address, clusterID, device, state, roundTripMs, loss }) => [
        address,
        clusterID ?? 'this',
        device,
        probeWords[state],
        roundTripMs === undefined ? unknown : `${roundTripMs.toFixed(2)} ms`,
        `${Math.round(loss * 100)} %`,
      ]),
    ),
    ...section(
      ['POD CIDR', 'IN OTHER CLUSTERS'],
      view.virtualPodCIDRs.map(({ own, virtual }) => [own, virtual]),
    ),
    ...section(
      ['PODS OF CLUSTER', 'FAMILY', 'REACHED', 'PROBES ANSWERED', 'ROUND TRIP'],
      view.directPaths.clusters.map(({ clusterID, family, isUsed, asked, answering, roundTripMs }) => [
        clusterID,
        family,
        isUsed ? 'without a tunnel' : 'by tunnels',
        `${answering} of ${asked}`,
        roundTripMs === undefined ? unknown : `${roundTripMs.toFixed(2)} ms`,
      ]),
    ),
    ...(view.directPaths.off === undefined
      ? []
      : ['', `All Pods of other clusters are reached by tunnels: ${view.directPaths.off}.`]),
    ...section(
      ['SERVICE', 'ADDRESS', 'NEW CONNECTIONS GET'],
      view.services.flatMap((service) => {
        const { namespace, name, address, port, protocol, result, endpoints } = service;
        const rows = endpoints.map((one) => `${hostPort(one.address, one.port)} in ${one.clusterID ?? 'this cluster'}`);
        return (result === 'translate' ? rows : [resultWords[result]]).map((text, index) =>
          index === 0 ? [`${namespace}/${name}`, `${hostPort(address, port)} ${protocol}`, text] : ['', '', text],
        );
      }),
    ),
    ...section(
      ['DENIED SERVICE', 'NEW CONNECTIONS', 'CLIENTS'],
      (view.policies?.denied ?? []).map(({ service, result, clients }) => [
        service,
        result === 'drop' ? 'no answer' : 'an error',
        clients.map((one) => (one === 'node' ? 'the network of the Node' : one)).join(', '),
      ]),
    ),
    ...section(
      ['POD', 'NUMBER OF ITS LABELS'],
      (view.policies?.pods ?? []).map(({ address, number }) => [
        address,
        number === undefined ? 'unknown' : String(number),
      ]),
    ),
    ...section(
      ['WIREGUARD PEER', 'LAST HANDSHAKE', 'RECEIVED', 'SENT'],
      (view.wireGuard?.peers ?? []).map(({ publicKey, latestHandshake, receivedBytes, sentBytes }) => [
        publicKey,
        latestHandshake === undefined ? 'none' : `${Math.max(0, Math.round(nowMs / 1000 - latestHandshake))} s ago`,
        `${receivedBytes} bytes`,
        `${sentBytes} bytes`,
      ]),
    ),
    ...section(
      ['NETWORK', 'DESIRED', 'OBSERVED', 'DIFFERENT'],
      view.network.map(({ kind, desired, observed, differences }) => [
        kindNames[kind],
        countText(desired),
        countText(observed),
        desired === undefined || observed === undefined ? unknown : String(differences.length),
      ]),
    ),
    ...section(
      ['DIFFERENT', 'DESIRED', 'OBSERVED'],
      view.network.flatMap(({ kind, differences }: KindView) =>
        differences.map(({ key, desired = 'not there', observed = 'not there' }) => [
          `${kindNames[kind]}: ${key}`,
          desired,
          observed,
        ]),
      ),
    ),
    ...section(
      ['CHAIN', 'PACKETS DROPPED OR REJECTED'],
      Object.entries(view.dropped).map(([chain, packets]) => [chain, String(packets)]),
    ),
    ...(view.problems.length === 0 ? [] : ['', 'Problems']),
    ...view.problems.flatMap(({ message, next }) => [`  ${message}`, `    Next: ${next}`]),
  ];
}

function headLines({
  node,
  isGateway,
  agent,
  encryption,
  wireGuard,
  connections,
  policies,
}: NodeView): readonly string[] {
  const rows = [
    ...(node === undefined ? [] : [['Node', `${node}${isGateway === true ? ', a gateway' : ''}`]]),
    ['Agent', agentWords[agent]],
    ...(encryption === undefined ? [] : [['Encryption', encryption]]),
    ...(policies === undefined ? [] : [['Policies', `enforced by ${enforcers[policies.enforcedBy]}`]]),
    ...(wireGuard === undefined ? [] : [['Public key', wireGuard.publicKey]]),
    ...(connections === undefined ? [] : [['Connections', `${connections.current}, ${connections.refused} refused`]]),
  ];
  return textTable(rows);
}

const enforcers = { Antrea: "Antrea's agent", agent: 'this agent: egress rules about imported Services' } as const;
const unknown = '-';
const countText = (count: number | undefined) => (count === undefined ? unknown : String(count));
const agentWords = { ready: 'ready', notReady: 'not ready', absent: 'does not answer' } as const;
const probeWords = { new: 'no answer yet', alive: 'answers', dead: 'does not answer' } as const;
const resultWords = {
  reject: 'an error, because the Service has no endpoint',
  drop: 'no answer, because the Service has no endpoint on this Node',
} as const;

/** A table after an empty line; nothing, if it has no rows. */
function section(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', ...textTable([head, ...rows])];
}
