import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import { clusterInfoName, knownClusterStatus } from '@isthmus/api';
import { contains, firstNames, parseCidr } from '@isthmus/machinery';
import { readGrant } from '@isthmus/wire';
import type { CommonArea } from '../../common-area/common-area.ts';
import { inUse } from '../../exchanges/cluster-info/leader/decide.ts';
import { differ } from '../../reporting/following.ts';

/** The limit on ranges that an Event names. */
const mostNamed = 5;

/**
 * Writes an Event on a KnownCluster whose change takes away ranges that are published, before they
 * are withdrawn: connections to them end. Returns the unsubscriber.
 */
export function reportNarrowedGrants({ knownClusters, imports, namespace, events }: CommonArea): () => void {
  return knownClusters.cache.subscribe(({ before, after }) => {
    if (before === undefined || after === undefined || !differ(before, after)) return;
    const { clusterID } = after.spec;
    const published = inUse(imports.cache.get({ namespace, name: clusterInfoName(clusterID) }));
    const lost = lostRanges(after, published);
    if (lost.length === 0) return;
    const message = `The grant of cluster ${clusterID} no longer has ${firstNames(lost, mostNamed)}, in use until now. They are withdrawn from the other clusters, and connections to them end.`;
    events.report(after, knownClusterStatus, { reason: 'GrantNarrowed', message });
  });
}

/** The published ranges that a grant does not have. */
function lostRanges(known: KnownCluster, published: ClusterInfo | undefined): readonly string[] {
  const { podCIDRs = [], serviceCIDR = '' } = published ?? {};
  const { state, pods, services } = readGrant(known);
  if (state === 'Held') return [];
  const isLost = (granted: typeof pods) => (text: string) => {
    const range = parseCidr(text);
    const isGranted = granted === undefined || granted.some((one) => range !== undefined && contains(one, range));
    return range !== undefined && (state === 'Refused' || !isGranted);
  };
  return [
    ...podCIDRs.filter(isLost(pods)).map((text) => `Pod CIDR ${text}`),
    ...[serviceCIDR].filter(isLost(services)).map((text) => `Service CIDR ${text}`),
  ];
}
