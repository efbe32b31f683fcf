import type { KubernetesObject } from '@isthmus/machinery';
import type { GatewayIPPrecedence } from '../../process/config.ts';
import type { OfferedGateways } from '../../own-cluster/own-cluster.ts';
import type { CandidateLeases } from './candidate-leases.ts';
import type { GatewayCandidate } from './candidate.ts';
import { inOrder, isUsable, readCandidate } from './candidate.ts';
import type { MarkedNodes } from './marked-nodes.ts';

/** The Nodes that users have marked as gateways, and what their agents publish. */
export interface GatewayNodes extends OfferedGateways {
  candidates(): readonly GatewayCandidate[];
  /** Nodes whose mark has an invalid value. */
  ignored(): readonly KubernetesObject[];
  /** Whether all of them have been read. */
  readonly synced: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export function createGatewayNodes(
  marked: MarkedNodes,
  leases: CandidateLeases,
  precedence: GatewayIPPrecedence,
): GatewayNodes {
  const candidates = () => marked.list().map((node) => readCandidate(node, precedence, leases.of(node.metadata.name)));
  const areLeasesRead = () => !marked.isAny || leases.isRead;
  return {
    candidates,
    ignored: () => marked.ignored(),
    get synced() {
      return marked.synced && areLeasesRead();
    },
    get isKnown() {
      return marked.isRefused || (marked.synced && areLeasesRead());
    },
    list: () =>
      inOrder(candidates()).map((candidate) => {
        const { node, addresses, publicKey, directProbes, localRanges, agent, probes, smallPaths } = candidate;
        const gatewayIP = addresses.kind === 'valid' ? addresses.gatewayIP : undefined;
        return {
          node: node.metadata.name,
          gatewayIP,
          publicKey,
          directProbes,
          isUsable: isUsable(candidate),
          localRanges,
          agent,
          probes,
          smallPaths,
        };
      }),
    onChange(listener) {
      const stops = [marked.onChange(listener), leases.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    async run(signal) {
      const follow = () => {
        if (marked.isAny) leases.follow();
      };
      marked.onChange(follow);
      await Promise.all([marked.run(signal), leases.run(signal)]);
    },
  };
}
