import type { PodSpec } from '@isthmus/api';
import { clusterDomain } from './cluster-names.ts';

/**
 * Where the servers of names of all Nodes listen, each on its own Node: the address that NodeLocal
 * DNSCache uses.
 */
export const nameServer = '169.254.20.10';

/**
 * The `/etc/resolv.conf` of the containers of a Pod, as a kubelet writes it; undefined: that of the
 * machine, to which the `dnsConfig` of a Pod with the policy Default adds nothing here.
 */
export function resolvConfOf(spec: Pick<PodSpec, 'dnsPolicy' | 'dnsConfig' | 'hostNetwork'>, namespace: string) {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork = false } = spec;
  const usesCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  if (!usesCluster && dnsPolicy !== 'None') return undefined;
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  const domains = [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  const servers = [...(usesCluster ? [nameServer] : []), ...nameservers];
  const search = [...new Set([...(usesCluster ? domains : []), ...searches])];
  const own = options.map(({ name = '', value }) => (value === undefined ? name : `${name}:${value}`));
  const hasNdots = options.some(({ name }) => name === 'ndots');
  const all = [...(usesCluster && !hasNdots ? ['ndots:5'] : []), ...own];
  return [
    ...(search.length === 0 ? [] : [`search ${search.join(' ')}`]),
    ...servers.map((server) => `nameserver ${server}`),
    ...(all.length === 0 ? [] : [`options ${all.join(' ')}`]),
    '',
  ].join('\n');
}
