import { namesAccess } from '@isthmus/dataplane';
import { Label } from '@isthmus/api';
import type { ProcessDefinition } from './role.ts';

/** The name of all objects that are installed for it. */
const name = 'isthmus-dns';

/** The DNS server of a member. It has no Lease: each replica answers. */
export const dns: ProcessDefinition = {
  name: 'dns',
  docs: 'Answers DNS queries for clusterset.local, in a member.',
  own: { access: namesAccess, reach: 'cluster' },
  remote: [],
  ports: [
    { name: 'dns', port: 5353, protocol: 'UDP' },
    { name: 'dns-tcp', port: 5353, protocol: 'TCP' },
    { name: 'health', port: 8080, protocol: 'TCP' },
    { name: 'metrics', port: 8081, protocol: 'TCP' },
  ],
  installedAs: { serviceAccount: name, role: name, binding: name, labels: { [Label.app]: name } },
};
