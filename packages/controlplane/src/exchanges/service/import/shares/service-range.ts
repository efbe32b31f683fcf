import { findServiceCIDR } from '../../../../own-cluster/service-cidr.ts';
import { contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { LocalCluster } from '../../local/services.ts';

/** How many ClusterIPs this cluster can have. */
export interface ServiceRange {
  /** Undefined: it is not known. Errors: those of the API server, when it is asked. */
  size(signal: AbortSignal): Promise<number | undefined>;
}

/** An administrator can add ServiceCIDRs. */
const refreshMs = 600_000;

/** The size of the Service CIDR: of the configuration, or as the API server reports it. */
export function createServiceRange(local: LocalCluster): ServiceRange {
  const { client, config, namespace, world } = local;
  let last: { readonly size: number | undefined; readonly atMs: number } | undefined;
  return {
    async size(signal) {
      const nowMs = world.clock.monotonic();
      if (last !== undefined && nowMs - last.atMs < refreshMs) return last.size;
      const found = config.serviceCIDR ?? (await findServiceCIDR(client, { namespace, signal }));
      last = { size: found === undefined ? undefined : sizeOf(found, local), atMs: nowMs };
      return last.size;
    },
  };
}

/**
 * The first and the last address of a range have no Service. Undefined if the cluster has further
 * ranges: a Service has an address outside of this one.
 */
function sizeOf(text: string, { services }: LocalCluster): number | undefined {
  const range = parseCidr(text);
  if (range === undefined) return undefined;
  const isOutside = (address: string) => {
    const parsed = parseAddress(address);
    return parsed?.family === range.family && !contains(range, parsed);
  };
  if (services.cache.list().some(({ spec }) => (spec?.clusterIPs ?? []).some(isOutside))) return undefined;
  const bits = (range.family === 'IPv4' ? 32 : 128) - range.length;
  return Math.max(0, 2 ** bits - 2);
}
