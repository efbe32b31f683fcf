import type { EndpointSlice, EndpointSubset, Endpoints, Service } from '@isthmus/api';
import { Annotation, yes } from '@isthmus/api';
import { canonicalJson } from '@isthmus/machinery';

/**
 * The Endpoints object that gives a Service of Antrea the endpoints of these slices: each address
 * once, with the ports of its slice. Kubernetes creates EndpointSlices from it, by family.
 * Endpoints that are not ready are left out, as in Antrea.
 */
export function endpointsOfSlices({ metadata }: Service, slices: readonly EndpointSlice[]): Endpoints {
  const byPorts = new Map<string, { readonly ports: EndpointSlice['ports']; readonly addresses: Set<string> }>();
  for (const { ports, endpoints } of slices) {
    const id = canonicalJson(ports ?? []);
    const subset = byPorts.get(id) ?? { ports, addresses: new Set<string>() };
    byPorts.set(id, subset);
    for (const { addresses, conditions } of endpoints ?? [])
      if (conditions?.ready !== false) for (const address of addresses) subset.addresses.add(address);
  }
  const subsets = [...byPorts.values()].flatMap(({ ports, addresses }): readonly EndpointSubset[] =>
    addresses.size === 0
      ? []
      : [
          {
            addresses: [...addresses].toSorted().map((ip) => ({ ip })),
            ports: (ports ?? []).map(({ name = '', port = 0, protocol = 'TCP' }) => ({ name, port, protocol })),
          },
        ],
  );
  const { name, namespace } = metadata;
  return { metadata: { name, namespace, annotations: { [Annotation.importedService]: yes } }, subsets };
}
