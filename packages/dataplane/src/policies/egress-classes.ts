import { labelIdentityHash } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import type { EgressClass } from '../desired/cluster-network.ts';
import type { EgressRule } from './egress-rule.ts';
import { byRank } from './egress-rule.ts';
import type { Client } from './judge.ts';
import { isAppliedTo, judge } from './judge.ts';

/**
 * A client of this Node, and the source addresses of its connections; empty for the network of the
 * Node.
 */
export interface NodeClient {
  readonly client: Client;
  readonly addresses: readonly Address[];
}

/**
 * Groups the clients of a Node by the Services that they may not reach. Clients with the same
 * denials are one class, whatever the number of rules. An additional Pod is therefore one more
 * element in the kernel. Clients without denials are not in a class.
 */
export function egressClasses(rules: readonly EgressRule[], clients: readonly NodeClient[]): readonly EgressClass[] {
  const ordered = rules.toSorted(byRank);
  const deniedBy = new Map<string, EgressClass['denied']>();
  const classes = new Map<string, { readonly denied: EgressClass['denied']; readonly addresses: Address[] }>();
  let ofNode: EgressClass | undefined;
  for (const { client, addresses } of clients) {
    const applied = ordered.flatMap((rule, index) => (isAppliedTo(rule, client) ? [{ rule, index }] : []));
    const key = applied.map(({ index }) => index).join();
    const denied = deniedBy.get(key) ?? deniedTo(applied.map(({ rule }) => rule));
    deniedBy.set(key, denied);
    if (Object.keys(denied).length === 0) continue;
    if (client.kind === 'node') ofNode = { name: nodeClass, addresses: 'node', denied };
    else {
      const text = textOf(denied);
      const known = classes.get(text);
      if (known === undefined) classes.set(text, { denied, addresses: [...addresses] });
      else known.addresses.push(...addresses);
    }
  }
  const named = new Map<string, EgressClass>();
  for (const [text, one] of [...classes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    let name = hashOf(text);
    while (named.has(name)) name = `${name}+`;
    named.set(name, { name, ...one });
  }
  return [...(ofNode === undefined ? [] : [ofNode]), ...named.values()];
}

const nodeClass = 'node';

/**
 * What happens to connections to each Service that the client may not reach. In the order of the
 * Services.
 */
function deniedTo(rules: readonly EgressRule[]): EgressClass['denied'] {
  const services = [...new Set(rules.flatMap((rule) => [...rule.services]))].toSorted();
  return Object.fromEntries(
    services.flatMap((service): readonly [string, 'drop' | 'reject'][] => {
      const action = judge(rules, service)?.action;
      return action === 'Drop' || action === 'Reject' ? [[service, action === 'Drop' ? 'drop' : 'reject']] : [];
    }),
  );
}

const textOf = (denied: EgressClass['denied']) =>
  Object.entries(denied)
    .map(([service, verdict]) => `${verdict} ${service}`)
    .join('\n');

/**
 * The same name for the same denials, also after a restart. It is the hash that is also used for
 * labels.
 */
const hashOf = labelIdentityHash;
