import { Service, ServiceCIDR } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { ApiError, isForbidden, isNotFound, isNotServed } from '@isthmus/kube';
import { parseCidr } from '@isthmus/machinery';

/**
 * The range of the ClusterIPs of a cluster (docs/spec/wire.md §8.4): the first IPv4 range of the
 * ServiceCIDR `kubernetes`, otherwise its first range. An API server without ServiceCIDRs names the
 * range when it rejects a Service whose address is outside of it; that request is a dry run.
 * Undefined if neither gives a range. Errors: those of the transport, after which the caller asks
 * again.
 */
export async function findServiceCIDR(
  client: Client,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const { spec } = await client.get(ServiceCIDR, { name: 'kubernetes' }, { signal });
    return preferred(spec?.cidrs ?? []);
  } catch (error) {
    if (!isNotFound(error) && !isNotServed(error) && !isForbidden(error)) throw error;
  }
  const metadata = { name: 'isthmus-service-range', namespace };
  const ports = [{ port: 443, protocol: 'TCP' }];
  try {
    await client.create(Service, { metadata, spec: { clusterIP: '0.0.0.0', ports } }, { signal, dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [, range = ''] = /range of valid IPs is ([0-9a-fA-F.:/]+)/.exec(error.message) ?? [];
    return preferred([range]);
  }
}

function preferred(cidrs: readonly string[]): string | undefined {
  const valid = cidrs.filter((one) => parseCidr(one) !== undefined);
  return valid.find((one) => parseCidr(one)?.family === 'IPv4') ?? valid[0];
}
