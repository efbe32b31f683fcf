import { defineCommand } from '../command/command.ts';
import { contextFlag, logFormatFlag } from '../command/common-flags.ts';
import { numberFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';
import { klogFlags } from '../controller/klog-flags.ts';

const dnsFlags = {
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: "kubeconfig of the cluster; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
  }),
  context: contextFlag,
  zone: textFlag({ placeholder: 'name', summary: 'the zone that it answers for', absent: 'clusterset.local' }),
  'bind-address': textFlag({
    placeholder: 'address',
    summary: 'where it answers over UDP and TCP',
    absent: ':5353',
  }),
  'health-probe-bind-address': textFlag({
    placeholder: 'address',
    summary: 'where /healthz and /readyz are served; 0 for nowhere',
    absent: ':8080',
  }),
  'metrics-bind-address': textFlag({
    placeholder: 'address',
    summary: 'where /metrics is served, over HTTPS unless it is a loopback address; 0 for nowhere',
    absent: '0',
  }),
  'shutdown-delay': numberFlag({
    placeholder: 'seconds',
    summary: 'for how long it still answers after SIGTERM, until nobody sends it queries any more',
    absent: '5',
  }),
  'log-format': logFormatFlag,
  ...klogFlags,
} as const satisfies FlagTable;

export type DnsFlags = GivenFlags<typeof dnsFlags>;

export const dnsCommand = defineCommand({
  name: 'dns',
  summary: 'Answer DNS queries for imported Services',
  description: [
    'Serves the zone clusterset.local over UDP and TCP: A and AAAA records of the ServiceImports of all Namespaces, SRV records of their named ports, and the endpoints of headless ones. The DNS ' +
      'servers of the cluster forward the zone to it.',
    'Needs the right to list and watch ServiceImports and EndpointSlices. Each replica answers; none needs a Lease.',
    'Serves /healthz, /readyz and /metrics. It is ready when it has read all imports; before that it answers SERVFAIL. While the API server cannot be reached, it answers from what it read last. Logs go ' +
      'to stderr.',
    'Exits with 0 after SIGTERM or SIGINT, with 2 for invalid flags or kubeconfig, and with 1 for any other failure. A second signal ends it at once, with 1.',
  ],
  flags: dnsFlags,
  examples: [
    { does: 'Run in a Pod', line: 'isthmus dns --metrics-bind-address :8081' },
    {
      does: 'Run outside of the cluster',
      line: 'isthmus dns --kubeconfig ~/.kube/config --bind-address 127.0.0.1:5353',
    },
  ],
  async run(io, flags) {
    const { runDns } = await import('./run-dns.ts');
    return runDns(io, flags);
  },
});
