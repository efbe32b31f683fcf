import { Label } from '@isthmus/api';
import { agentAccess, agentPorts, policyAccess } from '@isthmus/dataplane';
import type { AdmissionRule } from '../admission/admission-rule.ts';
import { agentLeasesRule } from '../admission/agent-leases.ts';
import type { ProcessDefinition } from './role.ts';

/** The name of the DaemonSet, its container, and its RBAC objects. */
const name = 'isthmus-agent';

/**
 * The agent of each Node of a member. It writes only the Lease of its Node, if that Node is a
 * gateway.
 */
export const agent: ProcessDefinition = {
  name: 'agent',
  docs: 'Carries packets between the clusters, on each Node of a member.',
  own: { access: agentAccess, reach: 'cluster' },
  remote: [],
  ports: [
    { name: 'health', port: agentPorts.health, protocol: 'TCP' },
    { name: 'metrics', port: agentPorts.metrics, protocol: 'TCP' },
    { name: 'tunnel', port: agentPorts.tunnel, protocol: 'UDP' },
    { name: 'wireguard', port: agentPorts.wireGuard, protocol: 'UDP' },
  ],
  installedAs: {
    serviceAccount: name,
    role: name,
    binding: name,
    labels: { [Label.app]: 'isthmus', [Label.component]: name },
  },
};

/**
 * The further access of agents with `--enable-stretched-network-policy`. It is separate, because
 * agents without that flag must not read the Pods of all Namespaces.
 */
export const agentPolicies = { name: `${name}-policies`, access: policyAccess } as const;

/** The rules by which the API server of a member restricts its agents, whether they run or not. */
export const agentAdmission: readonly AdmissionRule[] = [agentLeasesRule(name)];
