import { contextFlag, logFormatFlag } from '../command/common-flags.ts';
import { numberFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';
import { klogFlags } from '../controller/klog-flags.ts';

export const dnsFlags = {
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: "kubeconfig of the cluster; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
  }),
  context: contextFlag,
  zone: textFlag({ placeholder: 'name', summary: 'the DNS zone to serve', absent: 'clusterset.local' }),
  'bind-address': textFlag({
    placeholder: 'address',
    summary: 'the address of the DNS server, over UDP and TCP',
    absent: ':5353',
  }),
  'health-probe-bind-address': textFlag({
    placeholder: 'address',
    summary: 'the address of /healthz and /readyz; 0 disables them',
    absent: ':8080',
  }),
  'metrics-bind-address': textFlag({
    placeholder: 'address',
    summary: 'the address of /metrics, served over HTTPS except on loopback; 0 disables it',
    absent: '0',
  }),
  'shutdown-delay': numberFlag({
    placeholder: 'seconds',
    summary: 'how long to keep answering after SIGTERM, so that no queries are lost',
    absent: '5',
  }),
  'log-format': logFormatFlag,
  ...klogFlags,
} as const satisfies FlagTable;

export type DnsFlags = GivenFlags<typeof dnsFlags>;
