import type { Endpoint, EndpointPort, EndpointSlice, Service } from '@isthmus/api';
import { canonicalJson, controllerReferenceTo, equal } from '@isthmus/machinery';
import type { EndpointGroup } from './endpoints-of.ts';
import { familyOf } from './endpoints-of.ts';

/** The writes after which the slices of a Service hold its endpoints. */
export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

export interface SliceInput {
  readonly service: Service;
  /** The slices that this controller has for the Service. */
  readonly current: readonly EndpointSlice[];
  readonly groups: readonly EndpointGroup[];
  /** RFC 3339; when the first of the changes happened that lead to this plan. */
  readonly changedAt: string | undefined;
}

/** The default of `--max-endpoints-per-slice` of kube-controller-manager. */
export const maxEndpointsPerSlice = 100;

export const sliceManager = 'endpointslice-controller.k8s.io';

const changeTime = 'endpoints.kubernetes.io/last-change-trigger-time';

const Label = {
  serviceName: 'kubernetes.io/service-name',
  managedBy: 'endpointslice.kubernetes.io/managed-by',
  headless: 'service.kubernetes.io/headless',
} as const;

/**
 * Distributes endpoints over slices. Existing endpoints stay in their slice. New ones fill existing
 * slices in the order of their names, then new slices. Slices without endpoints are deleted, except
 * that a Service without endpoints keeps one empty slice.
 */
export function planSlices(input: SliceInput): SlicePlan {
  const { current, groups, service } = input;
  const usable = current.filter(({ addressType }) => addressType === familyOf(service));
  const shares: Share[] = [];
  const unused = () => usable.filter((slice) => !shares.some((share) => share.slice === slice));
  for (const group of groups) shares.push(...sharesOf(group, unused()));
  if (shares.length === 0) shares.push({ slice: usable[0], ports: [], endpoints: [] });
  const wanted = shares.map((share) => ({ before: share.slice, after: sliceOf(input, share) }));
  return {
    create: wanted.filter(({ before }) => before === undefined).map(({ after }) => after),
    update: wanted.flatMap(({ before, after }) => (before !== undefined && !isSame(before, after) ? [after] : [])),
    delete: [...unused(), ...current.filter((slice) => !usable.includes(slice))],
  };
}

/** The wanted content of one slice; a new one if `slice` is undefined. */
interface Share {
  readonly slice: EndpointSlice | undefined;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

/**
 * Puts one group into slices: into those with its ports, then into empty ones of other ports, which
 * serve as well as new ones.
 */
function sharesOf({ ports, endpoints }: EndpointGroup, unused: readonly EndpointSlice[]): readonly Share[] {
  const waiting = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const hasPorts = (slice: EndpointSlice) => equal(slice.ports ?? [], ports);
  const shares: Share[] = unused.filter(hasPorts).map((slice) => ({ slice, ports, endpoints: kept(slice, waiting) }));
  const spare = unused.filter((slice) => !hasPorts(slice) && (slice.endpoints ?? []).length === 0);
  for (const endpoint of waiting.values()) {
    const open = shares.find((share) => share.endpoints.length < maxEndpointsPerSlice);
    if (open === undefined) shares.push({ slice: spare.shift(), ports, endpoints: [endpoint] });
    else open.endpoints.push(endpoint);
  }
  return shares.filter((share) => share.endpoints.length > 0);
}

/** The endpoints of the slice that are still wanted, as they are now; they wait no longer. */
function kept(slice: EndpointSlice, waiting: Map<string, Endpoint>): Endpoint[] {
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const key = identityOf(endpoint);
    const next = waiting.get(key);
    waiting.delete(key);
    return next === undefined ? [] : [next];
  });
}

function identityOf({ addresses, targetRef }: Endpoint): string {
  return canonicalJson([addresses, targetRef?.uid]);
}

function sliceOf({ service, changedAt }: SliceInput, { slice: before, ports, endpoints }: Share): EndpointSlice {
  const { name, namespace } = service.metadata;
  const owner = controllerReferenceTo({ ...service, apiVersion: 'v1', kind: 'Service' });
  const { [changeTime]: _, ...others } = before?.metadata.annotations ?? {};
  const annotations = { ...others, ...(changedAt !== undefined && { [changeTime]: changedAt }) };
  const { [Label.headless]: _headless, ...given } = service.metadata.labels ?? {};
  const labels = {
    ...given,
    [Label.serviceName]: name,
    [Label.managedBy]: sliceManager,
    ...(service.spec?.clusterIP === 'None' && { [Label.headless]: '' }),
  };
  const base = before?.metadata ?? { name: '', generateName: `${name}-`, namespace };
  const { annotations: _annotations, ...metadata } = base;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      labels,
      ownerReferences: owner === undefined ? [] : [owner],
    },
    addressType: familyOf(service),
    endpoints: endpoints.length === 0 ? null : endpoints,
    ports: ports.length === 0 ? null : ports,
  };
}

/** Whether nothing differs but the time of the change. */
function isSame(before: EndpointSlice, after: EndpointSlice): boolean {
  return (
    equal(before.endpoints ?? [], after.endpoints ?? []) &&
    equal(before.ports ?? [], after.ports ?? []) &&
    equal(before.metadata.labels, after.metadata.labels) &&
    equal(before.metadata.ownerReferences, after.metadata.ownerReferences)
  );
}
