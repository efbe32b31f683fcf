import type { ClusterInfoImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { AgentNote } from '../status/agent-status.ts';

/**
 * Notes about the probes of the cluster that a packet is sent to. A trace follows the networks that
 * Nodes should have. Without these notes, the path to an unreachable cluster would look like any
 * other path.
 */
export function reportedReach({ metadata, spec, status }: ClusterInfoImport): readonly AgentNote[] {
  const reachable = conditionOf(status?.conditions, 'Reachable');
  const cluster = spec?.clusterID ?? metadata.name;
  if (reachable === undefined)
    return [
      {
        message: `nothing shows whether cluster ${cluster} is reached: no agent reports, on any gateway of this cluster`,
        next: 'Check that agents run: kubectl get pods -A -l component=isthmus-agent -o wide',
      },
    ];
  const { status: is, reason, message = reason ?? 'it has no message' } = reachable;
  if (is === 'True' && reason === 'GatewaysAnswer') return [];
  return [
    {
      message: `the condition Reachable of cluster ${cluster} is ${is}${is === 'True' ? ', with a warning' : ''}: ${message.replace(/\.$/, '')}`,
      next: `Run \`isthmus agent show\` on the gateways of both clusters. kubectl get clusterinfoimports -n ${metadata.namespace} shows the condition.`,
    },
  ];
}
