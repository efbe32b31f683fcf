import type { LabelSelector } from '@isthmus/machinery';

/** The part of an egress rule with `toServices` that the agent enforces. */
export interface EgressRule {
  /** The kind of its policy. `index` is its place in that policy. */
  readonly kind: 'ClusterNetworkPolicy' | 'NetworkPolicy';
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly index: number;
  /**
   * The order of rules: the priority of the Tier, the priority of the policy, the name of the
   * policy, and the index of the rule in it.
   */
  readonly rank: readonly [tier: number, priority: number, policy: string, index: number];
  readonly action: 'Allow' | 'Drop' | 'Reject' | 'Pass';
  /** The clients that at least one of these selects. */
  readonly appliedTo: readonly ClientSelector[];
  /** The derived Services: `<Namespace>/<name>`. */
  readonly services: ReadonlySet<string>;
}

/**
 * The clients that a rule is applied to: Pods by their labels and those of their Namespace, or the
 * network of Nodes.
 */
export type ClientSelector =
  | {
      readonly kind: 'pods';
      /** Only Pods of this Namespace. */
      readonly namespace?: string | undefined;
      readonly podSelector: LabelSelector;
      readonly namespaceSelector: LabelSelector;
    }
  | { readonly kind: 'node'; readonly nodeSelector: LabelSelector };

/** Compares two rules by the order in which they are asked. */
export function byRank({ rank: a }: EgressRule, { rank: b }: EgressRule): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined || one === other) continue;
    return one < other ? -1 : 1;
  }
  return 0;
}
