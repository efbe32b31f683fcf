import { Label } from '@isthmus/api';
import { agentAccess } from '@isthmus/dataplane';
import { agentPorts } from './ports.ts';
import type { ProcessDefinition } from './role.ts';

/** Of the DaemonSet, its container, and what allows it its work. */
const name = 'isthmus-agent';

/** The agent of each Node of a member: no Lease is its own, and it writes no object. */
export const agent: ProcessDefinition = {
  name: 'agent',
  docs: 'Carries packets between the clusters, on each Node of a member.',
  own: { access: agentAccess, reach: 'cluster' },
  remote: [],
  ports: [
    { name: 'health', port: agentPorts.health, protocol: 'TCP' },
    { name: 'tunnel', port: agentPorts.tunnel, protocol: 'UDP' },
  ],
  installedAs: {
    serviceAccount: name,
    role: name,
    binding: name,
    labels: { [Label.app]: 'isthmus', [Label.component]: name },
  },
};
