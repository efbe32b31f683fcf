import { addressText } from '@isthmus/machinery';
import type { Chain, NftSet } from '../network/network.ts';
import type { ImportedService, ServiceEndpoint } from './cluster-network.ts';
import type { Share } from './endpoint-choice.ts';
import { rangeText, translationTo } from './endpoint-choice.ts';
import { addressType, keyword } from './nft-words.ts';

/** What one port of a Service adds whose clients keep their endpoints: by name. */
interface AffinityRules {
  /** Of the chain of the Service. */
  readonly rules: readonly string[];
  readonly chains: ReadonlyMap<string, Chain>;
  readonly sets: ReadonlyMap<string, NftSet>;
}

const prefix = 'affinity/';

/** Whether the elements of a set, by its name, are clients that keep an endpoint. */
export const isAffinitySet = (name: string): boolean => name.startsWith(prefix);

/**
 * Each endpoint has a set of its clients, as in kube-proxy. The kernel puts a client into the set of the endpoint that it gives to it, and forgets it `seconds` after its last
 * connection. An endpoint that goes takes its set along, so its clients choose again. The time is in the rule, not in the set, so that another one changes no set.
 */
export function affinityRules(
  service: Pick<ImportedService, 'address' | 'protocol'>,
  { name, seconds, shares }: { readonly name: string; readonly seconds: number; readonly shares: readonly Share[] },
): AffinityRules {
  const { family } = service.address;
  const source = `${keyword[family]} saddr`;
  const each = shares.map((share) => ({ share, set: `${prefix}${name}/${endpointName(share.endpoint)}` }));
  const chainOf = (set: string) => `endpoint/${set.slice(prefix.length)}`;
  const total = shares.at(-1)?.until ?? 1;
  const verdicts = each.map(({ share, set }) => `${rangeText(share)} : goto ${chainOf(set)}`);
  return {
    rules: [
      ...each.map(({ set }) => `${source} @${set} goto ${chainOf(set)}`),
      `numgen random mod ${total} vmap { ${verdicts.join(', ')} }`,
    ],
    chains: new Map(
      each.map(({ share, set }) => [
        chainOf(set),
        { rules: [`update @${set} { ${source} timeout ${seconds}s }`, translationTo(service, share.endpoint)] },
      ]),
    ),
    sets: new Map(
      each.map(({ set }) => [
        set,
        { type: `type ${addressType[family]}`, isInterval: false, isDynamic: true, elements: new Map() },
      ]),
    ),
  };
}

/** As nft can read it in a name, which a colon would end. */
const endpointName = ({ address, port }: ServiceEndpoint) => `${addressText(address).replaceAll(':', '.')}/${port}`;
