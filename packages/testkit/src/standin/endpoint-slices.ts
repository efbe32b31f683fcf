/**
 * What the EndpointSlice controller of a real cluster does, as far as a ClusterSet's stories need it: Services with a selector get
 * slices of the Pods that they select. One slice for each set of resolved ports, however many Pods; no topology, no dual stack. The
 * sandbox replaces it.
 */
import { controllerReferenceTo, equal, keyOfObject, matchesLabels, parseAddress } from '@isthmus/machinery';
import type { Endpoint, EndpointPort, EndpointSlice, Pod, Service } from '@isthmus/api';
import type { ServedType, Stored } from './served-type.ts';
import { createObject, deleteObject, updateObject } from './writes.ts';
import type { Server } from './writes.ts';

const slices = 'discovery.k8s.io/endpointslices';
const serviceName = 'kubernetes.io/service-name';
const managedBy = 'endpointslice.kubernetes.io/managed-by';
const controller = 'endpointslice-controller.k8s.io';

type Group = { readonly ports: readonly EndpointPort[]; readonly endpoints: readonly Endpoint[] };

/** Runs for as long as the server; acts in a microtask after a Pod or a Service changed. */
export function startEndpointSlices(server: Server, type: ServedType): void {
  const { store } = server;
  const dirty = new Set<string>();
  /** Service → its slices, by their keys. */
  const owned = new Map<string, Set<string>>();
  const inNamespace = (storageKey: string, namespace: string | undefined) =>
    store.list(storageKey).filter((object) => object.metadata.namespace === namespace);

  store.onChange(({ storageKey, key, before, after }) => {
    if (storageKey === slices) note(key, after ?? before, after !== undefined);
    if (storageKey === '/services') dirty.add(key);
    if (storageKey === '/pods') {
      for (const service of inNamespace('/services', (after ?? before)?.metadata.namespace)) {
        if ([before, after].some((pod) => pod !== undefined && selects(service, pod))) dirty.add(keyOfObject(service));
      }
    }
    if (dirty.size > 0) queueMicrotask(sync);
  });

  function note(key: string, slice: Stored | undefined, exists: boolean): void {
    const { namespace, labels = {} } = slice?.metadata ?? {};
    if (labels[managedBy] !== controller) return;
    const service = `${namespace}/${labels[serviceName]}`;
    const keys = owned.get(service) ?? new Set<string>();
    owned.set(service, keys);
    if (exists) keys.add(key);
    else keys.delete(key);
  }

  function sync(): void {
    const keys = [...dirty];
    dirty.clear();
    for (const key of keys) {
      const service = store.get('/services', key) as Service | undefined;
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) continue;
      if (store.get('/namespaces', service.metadata.namespace ?? '')?.metadata.deletionTimestamp !== undefined)
        continue;
      syncService(service);
    }
  }

  function syncService(service: Service): void {
    const { namespace } = service.metadata;
    const keys = [...(owned.get(keyOfObject(service)) ?? [])];
    const current = keys.flatMap((key) => (store.get(slices, key) as EndpointSlice | undefined) ?? []);
    const selector = service.spec?.selector;
    const wanted =
      selector === undefined || service.spec?.type === 'ExternalName' ? [] : groupsOf(service, podsOf(service));
    const free = [...current];
    for (const group of wanted) {
      const at = Math.max(
        0,
        free.findIndex((slice) => equal(slice.ports ?? [], group.ports)),
      );
      const [slice] = free.splice(at, 1);
      const object = sliceOf(service, group, slice);
      if (slice === undefined) createObject(server, { type, namespace }, object);
      else updateObject(server, { type, namespace, name: slice.metadata.name }, object);
    }
    for (const slice of free) deleteObject(server, { type, namespace, name: slice.metadata.name }, {});
  }

  function podsOf(service: Service): readonly Pod[] {
    return inNamespace('/pods', service.metadata.namespace).filter((pod) => selects(service, pod));
  }
}

function selects(service: Service, pod: Stored): boolean {
  const selector = Object.entries(service.spec?.selector ?? {});
  const requirements = selector.map(([key, value]) => ({ key, operator: 'In', values: [value] }) as const);
  return requirements.length > 0 && matchesLabels(requirements, pod.metadata.labels);
}

/** The endpoints by their resolved ports; one empty group where there is none, for the placeholder slice of the real controller. */
function groupsOf(service: Service, pods: readonly Pod[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const { phase, podIP = '' } = pod.status ?? {};
    if (parseAddress(podIP)?.family !== familyOf(service) || phase === 'Failed' || phase === 'Succeeded') continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    groups.set(key, { ports, endpoints: [...(groups.get(key)?.endpoints ?? []), endpointOf(service, pod, podIP)] });
  }
  return groups.size === 0 ? [{ ports: [], endpoints: [] }] : [...groups.values()];
}

function familyOf(service: Service): 'IPv4' | 'IPv6' {
  return service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
}

function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap(({ name = '', protocol, appProtocol, port, targetPort = port }) => {
    const number =
      typeof targetPort === 'number'
        ? targetPort
        : pod.spec?.containers.flatMap(({ ports = [] }) => ports).find((each) => each.name === targetPort)
            ?.containerPort;
    return number === undefined
      ? []
      : [{ name, protocol, port: number, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function endpointOf(service: Service, pod: Pod, address: string): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const serving = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName !== undefined && { nodeName }),
    ...(hostname !== undefined && subdomain === service.metadata.name && { hostname }),
  };
}

function sliceOf(service: Service, group: Group, current: EndpointSlice | undefined): EndpointSlice {
  const owner = controllerReferenceTo({ ...service, apiVersion: 'v1', kind: 'Service' });
  const labels = {
    ...service.metadata.labels,
    [serviceName]: service.metadata.name,
    [managedBy]: controller,
    ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
  };
  const generated = { name: '', generateName: `${service.metadata.name}-`, namespace: service.metadata.namespace };
  return {
    metadata: { ...(current?.metadata ?? generated), labels, ownerReferences: owner === undefined ? [] : [owner] },
    addressType: familyOf(service),
    endpoints: group.endpoints,
    ports: group.ports,
  };
}
