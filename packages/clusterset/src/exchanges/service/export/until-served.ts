import type { EndpointSlice, Service, ServicePort } from '@isthmus/api';
import { formerNames, namesOf, stillSomewhere, underFormerNames } from '../merge/renamed-ports.ts';

/** A Service of this cluster with its slices. */
export interface ServedService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
}

/**
 * The Service under the exported names of those ports that were renamed, and that its slices do not have under their new names yet: the
 * EndpointSlice controller writes them a moment after the Service. Until then the new names lead nowhere, here and elsewhere.
 */
export function untilServed({ service, slices }: ServedService, exported: readonly ServicePort[]): ServedService {
  const { ports = [] } = service.spec ?? {};
  const groups = slices.filter(({ endpoints }) => (endpoints ?? []).length > 0);
  const waiting = stillSomewhere(
    formerNames(ports, exported),
    groups.map((slice) => namesOf(slice.ports ?? [])),
  );
  if (waiting.size === 0) return { service, slices };
  return {
    service: { ...service, spec: { ...service.spec, ports: underFormerNames(ports, waiting) } },
    slices: slices.map((slice) => ({ ...slice, ports: underFormerNames(slice.ports ?? [], waiting) })),
  };
}
