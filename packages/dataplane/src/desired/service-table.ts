import { equal } from '@isthmus/machinery';
import type { Network } from '../network/network.ts';
import { addressType, digit } from '../network/nft-words.ts';
import { families } from './own-node.ts';
import type { ServiceRules } from './service-rules.ts';

/**
 * Adds the rules of imported Services to a network. Most changes are of the endpoints of one
 * Service among thousands, and only its chains have these. The sets are then the same objects as
 * the last time.
 */
export function createServiceTable(): (network: Network, rules: readonly ServiceRules[]) => Network {
  let last: { readonly before: Network; readonly rules: readonly ServiceRules[]; readonly after: Network } | undefined;
  return (before, rules) => {
    const changed =
      last !== undefined && before.sets === last.before.sets && before.chains === last.before.chains
        ? changedChains(last.rules, rules)
        : undefined;
    const after =
      last === undefined || changed === undefined
        ? withServices(before, rules)
        : { ...before, sets: last.after.sets, chains: withChains(last.after.chains, changed) };
    last = { before, rules, after };
    return after;
  };
}

/**
 * The rules that have changed, if only the content of their chains differs; undefined if any rule
 * differs in more.
 */
function changedChains(
  before: readonly ServiceRules[],
  after: readonly ServiceRules[],
): readonly ServiceRules[] | undefined {
  if (before.length !== after.length) return undefined;
  const changed: ServiceRules[] = [];
  for (let index = 0; index < after.length; index++) {
    const [one, now] = [before[index], after[index]];
    if (one === now || one === undefined || now === undefined) continue;
    if (!differInChains(one, now)) return undefined;
    changed.push(now);
  }
  return changed;
}

const differInChains = ({ chains, ...one }: ServiceRules, { chains: otherChains, ...other }: ServiceRules) =>
  equal([...chains.keys()], [...otherChains.keys()]) && one.sets.size + other.sets.size === 0 && equal(one, other);

function withChains(chains: Network['chains'], rules: readonly ServiceRules[]): Network['chains'] {
  if (rules.length === 0) return chains;
  const all = new Map(chains);
  for (const one of rules) for (const [name, chain] of one.chains) all.set(name, chain);
  return all;
}

/** The network with the rules of imported Services. */
function withServices(network: Network, rules: readonly ServiceRules[]): Network {
  const sets = new Map(network.sets);
  for (const family of families) {
    const own = rules.filter((one) => one.family === family);
    const type = addressType[family];
    for (const map of ['services', 'refused'] as const)
      sets.set(`${map}${digit[family]}`, {
        type: `type ${type} . inet_proto . inet_service : verdict`,
        isInterval: false,
        elements: new Map(own.flatMap((one) => (one.map === map ? [one.entry] : []))),
      });
    sets.set(`hairpin${digit[family]}`, {
      type: `type ${type} . ${type}`,
      isInterval: false,
      elements: new Map(own.flatMap(({ hairpins }) => hairpins.map((pair) => [pair, ''] as const))),
    });
  }
  for (const one of rules) for (const [name, set] of one.sets) sets.set(name, set);
  return { ...network, sets, chains: withChains(network.chains, rules) };
}
