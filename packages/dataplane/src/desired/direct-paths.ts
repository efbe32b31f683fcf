import type { Family } from '@isthmus/machinery';
import type { Chain, Network, PolicyRule } from '../network/network.ts';
import { ruleKey } from '../network/network.ts';
import { accept, counter, drop, is, isIn, isNot, redirect } from '../network/nft-rule.ts';
import { digit, keyword } from '../network/nft-words.ts';
import type { ClusterNetwork, OwnNode, RemoteCluster } from './cluster-network.ts';
import { directPort, directPriority, mainTable, tunnelDevices } from './devices.ts';
import { families, ofFamily, returnAddress } from './own-node.ts';

/**
 * Pods of two clusters need no tunnel and no gateway if the network between their Nodes carries
 * their packets ([ADR 0025](../../../../docs/adr/0025-direct-paths.md)). Agents ask each other at
 * the return addresses of their Nodes, which are in the Pod CIDRs. Questions take no tunnel.
 */

/** The key of a cluster and a family: some networks carry only one family. */
export function directKey({ clusterID }: Pick<RemoteCluster, 'clusterID'>, family: Family): string {
  return `${clusterID} ${family}`;
}

/** The ranges whose packets take no tunnel. */
export function directRanges({ remotes, direct = new Set() }: ClusterNetwork, family: Family) {
  return remotes.flatMap((remote) => (direct.has(directKey(remote, family)) ? ofFamily(remote.podCIDRs, family) : []));
}

/** The rules that questions and answers need, even if no direct path is used yet. */
export function directQuestions({ settings }: ClusterNetwork, self: OwnNode): Pick<Network, 'rules' | 'chains'> {
  if (settings.findsDirectPaths !== true) return { rules: new Map(), chains: new Map() };
  const asked = families.flatMap((family) => {
    const back = returnAddress(self, family);
    return back === undefined ? [] : [{ family, back }];
  });
  const rules = asked.flatMap(({ family }) =>
    (['dport', 'sport'] as const).map((end): PolicyRule => ({
      family,
      priority: directPriority[end],
      udp: { end, port: directPort },
      table: mainTable,
    })),
  );
  const arriving: Chain = asked.map(({ family, back }) => [
    isNot('iifname', tunnelDevices),
    is(`${keyword[family]} daddr`, back),
    is('udp dport', directPort),
    counter,
    redirect,
  ]);
  const ofQuestion = is('udp dport', directPort);
  // The agent listens on all addresses of the Node, but is asked only at its return address.
  const received: Chain = [
    [ofQuestion, is('ct status', 'dnat'), accept],
    [ofQuestion, is('ct direction', 'reply'), accept],
    [ofQuestion, counter, drop],
  ];
  return {
    rules: new Map(rules.map((rule) => [ruleKey(rule), rule])),
    chains: new Map([
      ['direct-arriving', arriving],
      ['direct-received', received],
    ]),
  };
}

/**
 * The rules for the sources of questions, and of packets that take a direct path. Their sources are
 * the same as in a tunnel, so a connection survives the change between the two.
 */
export function directSources(cluster: ClusterNetwork, self: OwnNode, family: Family): Chain {
  const back = returnAddress(self, family);
  if (cluster.settings.findsDirectPaths !== true || back === undefined) return [];
  const [ip, n] = [keyword[family], digit[family]];
  const toReturnAddress = { kind: 'snat', family, to: back } as const;
  return [
    [
      isNot('oifname', tunnelDevices),
      is('udp sport', directPort),
      is('udp dport', directPort),
      isIn(`remote${n}`, `${ip} daddr`),
      counter,
      toReturnAddress,
    ],
    [isIn(`direct${n}`, `${ip} daddr`), isIn(`own${n}`, `${ip} saddr`), { kind: 'snat', family, to: 'same' }],
    [isIn(`direct${n}`, `${ip} daddr`), counter, toReturnAddress],
  ];
}
