import type { LabelSelector } from '@isthmus/machinery';

/** An egress rule with `toServices`, as far as the agent enforces it. */
export interface EgressRule {
  /** Its policy, and its place in it. */
  readonly kind: 'ClusterNetworkPolicy' | 'NetworkPolicy';
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly index: number;
  /** What decides which rule comes first: the priority of the Tier, that of the policy, then the name of the policy, and the place of the rule in it. */
  readonly rank: readonly [tier: number, priority: number, policy: string, index: number];
  readonly action: 'Allow' | 'Drop' | 'Reject' | 'Pass';
  /** The clients that any of these selects. */
  readonly appliedTo: readonly ClientSelector[];
  /** The derived Services: `<Namespace>/<name>`. */
  readonly services: ReadonlySet<string>;
}

/** Which clients a rule is applied to: Pods by their labels and those of their Namespace, or the network of Nodes. */
export type ClientSelector =
  | {
      readonly kind: 'pods';
      /** Only of this Namespace. */
      readonly namespace?: string | undefined;
      readonly podSelector: LabelSelector;
      readonly namespaceSelector: LabelSelector;
    }
  | { readonly kind: 'node'; readonly nodeSelector: LabelSelector };

/** The order in which rules are asked. */
export function byRank({ rank: a }: EgressRule, { rank: b }: EgressRule): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined || one === other) continue;
    return one < other ? -1 : 1;
  }
  return 0;
}
