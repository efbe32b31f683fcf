import { defineCommand } from '../command/command.ts';
import { dnsFlags } from './flags.ts';

export const dnsCommand = defineCommand({
  name: 'dns',
  summary: 'Answer DNS queries for imported Services',
  description: [
    'Serves the zone clusterset.local over UDP and TCP: A and AAAA records of the ServiceImports of all Namespaces, SRV records of their named ports, and the endpoints of headless ones. The DNS ' +
      'servers of the cluster forward the zone to it.',
    'Needs permission to list and watch ServiceImports and EndpointSlices. All replicas answer, without a Lease.',
    'Serves /healthz, /readyz and /metrics. It is ready when it has read all imports; before that it answers SERVFAIL. While the API server cannot be reached, it answers from the objects that it read last. Logs go ' +
      'to stderr.',
    'Exits with 0 after SIGTERM or SIGINT, with 2 for invalid flags or kubeconfig, and with 1 for any other failure. A second signal ends it at once, with 1.',
  ],
  flags: dnsFlags,
  examples: [
    { does: 'Run in a Pod', line: 'isthmus dns --metrics-bind-address :8081' },
    {
      does: 'Run outside the cluster',
      line: 'isthmus dns --kubeconfig ~/.kube/config --bind-address 127.0.0.1:5353',
    },
  ],
  async run(io, flags) {
    const { runDns } = await import('./run-dns.ts');
    return runDns(io, flags);
  },
});
