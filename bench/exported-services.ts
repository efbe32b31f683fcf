import type { EndpointSlice as Slice } from '@isthmus/api';
import { EndpointSlice, Label, Service, ServiceExportV1alpha1 } from '@isthmus/api';
import type { BenchCluster } from './fleet.ts';
import { inParallel } from './in-parallel.ts';

/** `s-0000`, `s-0001`, … */
export function serviceNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `s-${String(index).padStart(4, '0')}`);
}

/**
 * Services of two ports and two ready endpoints each, all of them exported. The Namespace must
 * exist.
 */
export async function exportServices(
  { admin }: Pick<BenchCluster, 'admin'>,
  namespace: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const numbered = names.map((name, index) => ({ name, index }));
  await inParallel(numbered, 16, async ({ name, index }) => {
    await admin.create(Service, { metadata: { name, namespace }, spec: { ports } }, { signal });
    await admin.create(EndpointSlice, endpointsOf(namespace, name, addressesOf(index)), { signal });
    // In the version that the definitions of Antrea have, too.
    await admin.create(ServiceExportV1alpha1, { metadata: { name, namespace } }, { signal });
  });
}

/** The slice of a Service without selector: ready at `addresses`. */
export function endpointsOf(namespace: string, name: string, addresses: readonly string[]): Slice {
  return {
    metadata: { name: sliceName(name), namespace, labels: { [Label.serviceName]: name } },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: ports.map(({ name: port, targetPort, protocol }) => ({ name: port, port: targetPort, protocol })),
  };
}

function sliceName(service: string): string {
  return `${service}-by-hand`;
}

function addressesOf(index: number): readonly string[] {
  return [1, 2].map((last) => `10.${200 + (index >> 16)}.${(index >> 8) & 255}.${(index & 127) * 2 + last - 1}`);
}

const ports = [
  { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
] as const;
