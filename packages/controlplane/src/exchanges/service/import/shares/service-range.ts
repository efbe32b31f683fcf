import { findServiceCIDR } from '../../../../own-cluster/service-cidr.ts';
import { parseCidr } from '@isthmus/machinery';
import type { LocalCluster } from '../../local/services.ts';

/** How many ClusterIPs this cluster can have. */
export interface ServiceRange {
  /** Undefined: it is not known. Errors: those of the API server, when it is asked. */
  size(signal: AbortSignal): Promise<number | undefined>;
}

/** An administrator can add ServiceCIDRs. */
const refreshMs = 600_000;

/** The size of the Service CIDR: of the configuration, or as the API server reports it. */
export function createServiceRange({ client, config, namespace, world }: LocalCluster): ServiceRange {
  let last: { readonly size: number | undefined; readonly atMs: number } | undefined;
  return {
    async size(signal) {
      if (config.serviceCIDR !== undefined) return sizeOf(config.serviceCIDR);
      const nowMs = world.clock.monotonic();
      if (last !== undefined && nowMs - last.atMs < refreshMs) return last.size;
      const found = await findServiceCIDR(client, { namespace, signal });
      last = { size: found === undefined ? undefined : sizeOf(found), atMs: nowMs };
      return last.size;
    },
  };
}

/** The first and the last address of a range have no Service. */
function sizeOf(text: string): number | undefined {
  const range = parseCidr(text);
  if (range === undefined) return undefined;
  const bits = (range.family === 'IPv4' ? 32 : 128) - range.length;
  return Math.max(0, 2 ** bits - 2);
}
