import type { Digit } from './nft-words.ts';

export type Hook = 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';

/** The kernel calls a base chain for every packet, chains of lower priority first. */
export interface BaseHook {
  readonly type: 'filter' | 'nat';
  readonly hook: Hook;
  readonly priority: number;
}

/** The kernel looks up connections at -200; kube-proxy translates at -100. */
export const baseChains = {
  sent: { type: 'filter', hook: 'output', priority: -400 },
  arriving: { type: 'filter', hook: 'prerouting', priority: -320 },
  encrypted: { type: 'filter', hook: 'postrouting', priority: -160 },
  forwarded: { type: 'filter', hook: 'forward', priority: -150 },
  'direct-received': { type: 'filter', hook: 'input', priority: -149 },
  received: { type: 'filter', hook: 'input', priority: -148 },
  'new-forwarded': { type: 'filter', hook: 'prerouting', priority: -107 },
  'new-local': { type: 'filter', hook: 'output', priority: -107 },
  'services-forwarded': { type: 'nat', hook: 'prerouting', priority: -105 },
  'services-local': { type: 'nat', hook: 'output', priority: -105 },
  'virtual-arriving': { type: 'nat', hook: 'prerouting', priority: -104 },
  'direct-arriving': { type: 'nat', hook: 'prerouting', priority: -103 },
  'to-node-ports': { type: 'nat', hook: 'prerouting', priority: -102 },
  source: { type: 'nat', hook: 'postrouting', priority: 90 },
  leaving: { type: 'filter', hook: 'postrouting', priority: 300 },
} as const satisfies Readonly<Record<string, BaseHook>>;

export type BaseChainName = keyof typeof baseChains;

/** Every chain of our nft table. Rules lead from base chains to the others. */
export type ChainName =
  | BaseChainName
  | 'from-clusters'
  | 'from-tunnels'
  | 'tunnel-packets'
  | 'tunnel-accepted'
  | 'translated'
  | 'to-node'
  | 'probes'
  | 'forwarded-in'
  | 'forwarded-out'
  | 'into-tunnels'
  | 'without-endpoints'
  | 'egress-dropped'
  | 'egress-rejected'
  /** A port of an imported Service. */
  | `import/${string}`
  /** An endpoint whose clients keep it. */
  | `endpoint/${string}`
  /** A class of clients to which the same Services are denied. */
  | `egress/${string}`;

/** The hook at which the kernel calls a chain; undefined: only rules lead there. */
export function hookOf(name: ChainName): BaseHook | undefined {
  return isBaseChain(name) ? baseChains[name] : undefined;
}

const isBaseChain = (name: ChainName): name is BaseChainName => Object.hasOwn(baseChains, name);

/** Every set and map of our nft table. Names of those with one family end in its digit. */
export type SetName =
  | `${FamilySet}${Digit}`
  | `sources${Digit}${Digit}`
  /** The Services that are denied to a class of clients. */
  | `denied/${string}/${Digit}`
  /** The clients that keep an endpoint. */
  | `affinity/${string}`;

type FamilySet =
  | 'peers'
  | 'gateways'
  | 'remote'
  | 'own'
  | 'known'
  | 'passing'
  | 'direct'
  | 'exported'
  | 'identity'
  | 'services'
  | 'refused'
  | 'hairpin'
  | 'egress-clients';
