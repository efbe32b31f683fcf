import { Label } from '@isthmus/api';
import { agentAccess, agentPorts, policyAccess } from '@isthmus/dataplane';
import type { AdmissionRule } from '../admission/admission-rule.ts';
import { agentLeasesRule } from '../admission/agent-leases.ts';
import type { ProcessDefinition } from './role.ts';

/** Of the DaemonSet, its container, and what allows it its work. */
const name = 'isthmus-agent';

/** The agent of each Node of a member. It writes nothing but the Lease of its Node, where that is a gateway. */
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

/** What agents with `--enable-stretched-network-policy` may do besides. Apart from the rest, because agents without it have no business with the Pods of all Namespaces. */
export const agentPolicies = { name: `${name}-policies`, access: policyAccess } as const;

/** What the API server of a member refuses its agents, whether they run or not. */
export const agentAdmission: readonly AdmissionRule[] = [agentLeasesRule(name)];
