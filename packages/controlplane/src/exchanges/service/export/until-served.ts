import type { EndpointSlice, Service, ServicePort } from '@isthmus/api';
import { formerPortNames, portNamesOf, stillSomewhere, underFormerNames } from '@isthmus/wire';

/** A Service of this cluster with its slices. */
export interface ServedService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
}

/** A Service of this cluster as it is exported. */
export interface ExportableService extends ServedService {
  /**
   * Ports that are exported under their former names, and why. Each is a sentence without a full
   * stop.
   */
  readonly notes: readonly string[];
}

/**
 * The Service with the exported names of renamed ports, as long as its slices do not have the new
 * names. The EndpointSlice controller writes them a moment after the Service changes. Until then
 * the new names have no endpoints, in this cluster and in others.
 */
export function untilServed({ service, slices }: ServedService, exported: readonly ServicePort[]): ExportableService {
  const { ports = [] } = service.spec ?? {};
  const groups = slices.filter(({ endpoints }) => (endpoints ?? []).length > 0);
  const waiting = stillSomewhere(
    formerPortNames(ports, exported),
    groups.map((slice) => portNamesOf(slice.ports ?? [])),
  );
  if (waiting.size === 0) return { service, slices, notes: [] };
  return {
    service: { ...service, spec: { ...service.spec, ports: underFormerNames(ports, waiting) } },
    slices: slices.map((slice) => ({ ...slice, ports: underFormerNames(slice.ports ?? [], waiting) })),
    notes: [...waiting].map(
      ([name, former]) =>
        `Port ${quoted(name)} is exported under its former name ${quoted(former)} until the EndpointSlices of the Service have the new name`,
    ),
  };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
