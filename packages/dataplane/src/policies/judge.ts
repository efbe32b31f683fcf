import { matchesLabels } from '@isthmus/machinery';
import type { ClientSelector, EgressRule } from './egress-rule.ts';

/** A source of connections on this Node. */
export type Client =
  | {
      readonly kind: 'pod';
      readonly namespace: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly namespaceLabels: Readonly<Record<string, string>>;
    }
  /** The network of the Node itself. */
  | { readonly kind: 'node'; readonly labels: Readonly<Record<string, string>> };

/** Whether a rule is applied to a client. */
export function isAppliedTo({ appliedTo }: Pick<EgressRule, 'appliedTo'>, client: Client): boolean {
  return appliedTo.some((selector) => selects(selector, client));
}

function selects(selector: ClientSelector, client: Client): boolean {
  if (selector.kind === 'node') return client.kind === 'node' && matchesLabels(selector.nodeSelector, client.labels);
  if (client.kind === 'node') return false;
  return (
    (selector.namespace === undefined || selector.namespace === client.namespace) &&
    matchesLabels(selector.podSelector, client.labels) &&
    matchesLabels(selector.namespaceSelector, client.namespaceLabels)
  );
}

/**
 * The result for a new connection to a Service: the first rule about that Service. `rules` are
 * those that are applied to the client, in their order. `Pass` leaves the decision to later
 * policies, and `Allow` has the same effect here. In both cases a policy of Kubernetes, which the
 * CNI enforces for the endpoint, can drop the connection.
 */
export function judge(rules: readonly EgressRule[], service: string): EgressRule | undefined {
  return rules.find(({ services }) => services.has(service));
}
