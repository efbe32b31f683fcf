import type { Endpoint, EndpointPort, EndpointSlice, Endpoints, EndpointSubset } from '@isthmus/api';
import { addressText, canonicalJson, controllerReferenceTo, equal, parseAddress } from '@isthmus/machinery';
import type { SlicePlan } from './plan.ts';

/** The default of `--mirroring-max-endpoints-per-subset` of kube-controller-manager. */
export const maxMirroredPerSubset = 1000;

export const mirrorManager = 'endpointslicemirroring-controller.k8s.io';

const notCopied: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/**
 * Whether the labels and annotations of Endpoints allow mirroring. Those that elect a leader hold
 * no addresses.
 */
export function mayBeMirrored({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean {
  return (
    labels['endpointslice.kubernetes.io/skip-mirror'] !== 'true' &&
    !Object.hasOwn(annotations, 'control-plane.alpha.kubernetes.io/leader')
  );
}

/**
 * Plans the mirrored slices of Endpoints: one slice for each set of ports and family. A slice holds
 * at most {@link maxMirroredPerSubset} endpoints of a subset, ready ones first. Unreadable
 * addresses are left out.
 */
export function planMirror(endpoints: Endpoints, current: readonly EndpointSlice[]): SlicePlan {
  const wanted = new Map<string, Mirrored>();
  for (const subset of endpoints.subsets ?? []) addSubset(wanted, subset);
  const used = new Set<EndpointSlice>();
  const pairs = [...wanted].map(([key, mirrored]) => {
    const before = current.find((slice) => !used.has(slice) && keyOfSlice(slice) === key);
    if (before !== undefined) used.add(before);
    return { before, after: sliceOf(endpoints, mirrored, before) };
  });
  return {
    create: pairs.flatMap(({ before, after }) => (before === undefined ? [after] : [])),
    update: pairs.flatMap(({ before, after }) => (before !== undefined && !isSame(before, after) ? [after] : [])),
    delete: current.filter((slice) => !used.has(slice)),
  };
}

type AddressType = EndpointSlice['addressType'];

interface Mirrored {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

function addSubset(
  wanted: Map<string, Mirrored>,
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
) {
  const mirroredPorts = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  }));
  const all = [
    ...addresses.map((address) => ({ address, ready: true })),
    ...notReadyAddresses.map((address) => ({ address, ready: false })),
  ];
  let added = 0;
  for (const { address, ready } of all) {
    const read = parseAddress(address.ip);
    if (read === undefined || added === maxMirroredPerSubset) continue;
    const key = keyOfPorts(read.family, mirroredPorts);
    const mirrored = wanted.get(key) ?? { addressType: read.family, ports: mirroredPorts, endpoints: [] };
    wanted.set(key, mirrored);
    const { hostname = '', nodeName, targetRef } = address;
    mirrored.endpoints.push({
      addresses: [addressText(read)],
      conditions: { ready },
      ...(hostname !== '' && { hostname }),
      ...(nodeName !== undefined && { nodeName }),
      ...(targetRef !== undefined && { targetRef }),
    });
    added++;
  }
}

function keyOfSlice({ addressType, ports }: EndpointSlice): string {
  return keyOfPorts(addressType, ports ?? []);
}

function keyOfPorts(addressType: AddressType, ports: readonly EndpointPort[]): string {
  return canonicalJson([addressType, ports]);
}

function sliceOf(
  owner: Endpoints,
  { addressType, ports, endpoints }: Mirrored,
  before: EndpointSlice | undefined,
): EndpointSlice {
  const { name, namespace, labels, annotations = {} } = owner.metadata;
  const reference = controllerReferenceTo({ ...owner, apiVersion: 'v1', kind: 'Endpoints' });
  const copied = Object.entries(annotations).filter(([key]) => !notCopied.has(key));
  const { annotations: _, generateName: __, ...kept } = before?.metadata ?? { name: '', namespace };
  const metadata = before === undefined ? { ...kept, generateName: `${name}-` } : kept;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      ...(copied.length > 0 && { annotations: Object.fromEntries(copied) }),
      labels: {
        ...labels,
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': mirrorManager,
      },
      ownerReferences: reference === undefined ? [] : [reference],
    },
    addressType,
    endpoints,
    ports: ports.length === 0 ? null : ports,
  };
}

function isSame(before: EndpointSlice, after: EndpointSlice): boolean {
  return (
    equal(before.endpoints ?? [], after.endpoints ?? []) &&
    equal(before.metadata.labels, after.metadata.labels) &&
    equal(before.metadata.annotations ?? {}, after.metadata.annotations ?? {}) &&
    equal(before.metadata.ownerReferences, after.metadata.ownerReferences)
  );
}
