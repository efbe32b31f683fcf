import type { Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { Chain, Network, PolicyRule } from '../network/network.ts';
import { ruleKey } from '../network/network.ts';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';
import { directPort, directPriority, mainTable, tunnelDevices } from './devices.ts';
import { digit, keyword } from './nft-words.ts';
import { families, ofFamily, returnAddress } from './own-node.ts';

/**
 * Where the network that joins the Nodes of two clusters carries the packets of their Pods as well, these need no tunnel and no gateway ([ADR 0025](../../../../docs/adr/0025-direct-paths.md)). Agents find it out: they
 * ask each other under the return addresses of their Nodes, which are in the Pod CIDRs, and questions and answers never take a tunnel.
 */

/** A cluster and a family: some networks carry one family only. */
export function directKey({ clusterID }: Pick<RemoteCluster, 'clusterID'>, family: Family): string {
  return `${clusterID} ${family}`;
}

/** The ranges whose packets take no tunnel. */
export function directRanges({ remotes, direct = new Set() }: ClusterNetwork, family: Family) {
  return remotes.flatMap((remote) => (direct.has(directKey(remote, family)) ? ofFamily(remote.podCIDRs, family) : []));
}

/** What questions and answers need, whether or not a path is used yet. */
export function directQuestions({ settings }: ClusterNetwork, self: OwnNode): Pick<Network, 'rules' | 'chains'> {
  if (settings.findsDirectPaths !== true) return { rules: new Map(), chains: new Map() };
  const asked = families.flatMap((family) => {
    const back = returnAddress(self, family);
    return back === undefined ? [] : [{ family, back: addressText(back) }];
  });
  const rules = asked.flatMap(({ family }) =>
    (['dport', 'sport'] as const).map((end): PolicyRule => ({
      family,
      priority: directPriority[end],
      udp: { end, port: directPort },
      table: mainTable,
    })),
  );
  const arriving: Chain = {
    hook: 'type nat hook prerouting priority -103',
    rules: asked.map(
      ({ family, back }) =>
        `iifname != ${tunnelDevices} ${keyword[family]} daddr ${back} udp dport ${directPort} counter redirect`,
    ),
  };
  // The agent listens on all addresses of the Node, and is asked under its return address alone.
  const received: Chain = {
    hook: 'type filter hook input priority -149',
    rules: [
      `udp dport ${directPort} ct status dnat accept`,
      `udp dport ${directPort} ct direction reply accept`,
      `udp dport ${directPort} counter drop`,
    ],
  };
  return {
    rules: new Map(rules.map((rule) => [ruleKey(rule), rule])),
    chains: new Map([
      ['direct-arriving', arriving],
      ['direct-received', received],
    ]),
  };
}

/** Of the chain that chooses sources, those of questions, and those of what takes a direct path: the same as in a tunnel, so that a connection survives the change from one to the other. */
export function directSources(cluster: ClusterNetwork, self: OwnNode, family: Family): readonly string[] {
  const back = returnAddress(self, family);
  if (cluster.settings.findsDirectPaths !== true || back === undefined) return [];
  const [ip, n] = [keyword[family], digit[family]];
  const to = `snat ${ip} to ${addressText(back)}`;
  return [
    `oifname != ${tunnelDevices} udp sport ${directPort} udp dport ${directPort} ${ip} daddr @remote${n} counter ${to}`,
    `${ip} daddr @direct${n} ${ip} saddr @own${n} snat ${ip} to ${ip} saddr`,
    `${ip} daddr @direct${n} counter ${to}`,
  ];
}
