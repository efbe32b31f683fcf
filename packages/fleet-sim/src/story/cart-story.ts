import {
  EndpointSlice,
  Label,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  managedByIsthmus,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '../fleet/fleet.ts';
import { onlyNode } from '../fleet/only-node.ts';

/** The Service of docs/spec/wire.md §8: `shop/cart`. */
export const cart = { namespace: 'shop', name: 'cart' } as const;
export const derivedCart = { namespace: 'shop', name: 'antrea-mc-cart' } as const;

export const westPorts: readonly ServicePort[] = [
  { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
];
export const eastPorts: readonly ServicePort[] = [
  { name: 'http', protocol: 'TCP', port: 8081, targetPort: 8080 },
  { name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 },
];

/** Creates the Namespace and a Service for Pods with the label `app: <name>`. */
export function putService(
  cluster: VirtualCluster,
  ports: readonly ServicePort[],
  ref: { readonly namespace: string; readonly name: string } = cart,
): void {
  const { admin } = cluster.server;
  if (admin.get(Namespace, { name: ref.namespace }) === undefined)
    admin.put(Namespace, { metadata: { name: ref.namespace } });
  const before = admin.get(Service, ref)?.spec;
  admin.put(Service, { metadata: { ...ref }, spec: { ...before, selector: { app: ref.name }, ports } });
}

export interface PodOptions {
  /** Default true. */
  readonly ready?: boolean | undefined;
  /** Its label `app`. Default `cart`. */
  readonly app?: string | undefined;
  /** Default `shop`. */
  readonly namespace?: string | undefined;
}

/** Creates a Pod of the Service `cart`, or of another, ready or not. */
export function putPod(cluster: VirtualCluster, name: string, ip: string, options: PodOptions = {}): void {
  const { ready = true, app = cart.name, namespace = cart.namespace } = options;
  cluster.server.admin.put(Pod, {
    metadata: { name, namespace, labels: { app } },
    // A deleted Pod is removed at once, because there is no kubelet to end it.
    spec: { nodeName: onlyNode, terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'cart' }] },
    status: {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  });
}

export function exportService(
  cluster: VirtualCluster,
  ref: { readonly namespace: string; readonly name: string } = cart,
): void {
  cluster.server.admin.put(ServiceExport, { metadata: { ...ref } });
}

/** Creates `shop/cart` with one ready Pod, unless `podIP` is `none`, and exports it. */
export function exportCart(cluster: VirtualCluster, podIP: string, ports: readonly ServicePort[] = westPorts): void {
  putService(cluster, ports);
  if (podIP !== 'none') putPod(cluster, 'cart-1', podIP);
  exportService(cluster);
}

export function unexportService(
  cluster: VirtualCluster,
  ref: { readonly namespace: string; readonly name: string } = cart,
): void {
  cluster.server.admin.delete(ServiceExport, ref);
}

/** The message of a condition of a ServiceExport; empty if it does not have the condition. */
export function exportMessage(
  cluster: VirtualCluster,
  type: 'Valid' | 'Ready' | 'Conflict',
  ref: { readonly namespace: string; readonly name: string } = cart,
): string {
  return conditionOf(cluster.server.admin.get(ServiceExport, ref)?.status?.conditions, type)?.message ?? '';
}

/** The condition of a ServiceExport, as `status reason`. */
export function exportCondition(
  cluster: VirtualCluster,
  type: 'Valid' | 'Ready' | 'Conflict',
  ref: { readonly namespace: string; readonly name: string } = cart,
): string {
  const found = conditionOf(cluster.server.admin.get(ServiceExport, ref)?.status?.conditions, type);
  return found === undefined ? 'none' : `${found.status} ${found.reason}`;
}

/** The ports of a ServiceImport as `name protocol port`. */
export function importedPorts(
  cluster: VirtualCluster,
  ref: { readonly namespace: string; readonly name: string } = cart,
): readonly string[] {
  const found = cluster.server.admin.get(ServiceImport, ref);
  return (found?.spec?.ports ?? []).map((port) => `${port.name ?? ''} ${port.protocol ?? 'TCP'} ${port.port}`);
}

/**
 * The EndpointSlices that our members created for an imported Service, sorted, as `source:
 * address,… port,…`.
 */
export function importedSlices(
  cluster: VirtualCluster,
  ref: { readonly namespace: string; readonly name: string } = cart,
): readonly string[] {
  return cluster.server.admin
    .list(EndpointSlice, ref.namespace)
    .filter(
      ({ metadata: { labels } }) =>
        labels?.[Label.mcsServiceName] === ref.name && labels[Label.managedBy] === managedByIsthmus,
    )
    .map((slice) => {
      const addresses = (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses).join(',');
      const ports = (slice.ports ?? []).map((port) => `${port.name ?? ''}:${port.port ?? ''}`).join(',');
      return `${slice.metadata.labels?.[Label.mcsSourceCluster] ?? '?'}: ${addresses} ${ports}`;
    })
    .toSorted();
}

/**
 * Whether no object of an export is left in the Common Area and in the Namespace of the story.
 * Foreign objects do not count.
 */
export function isClean(fleet: VirtualFleet, isForeign: (object: KubernetesObject) => boolean = () => false): boolean {
  const { admin } = fleet.leader.server;
  const none = (objects: readonly KubernetesObject[]) => objects.every(isForeign);
  return (
    none(admin.list(ResourceExport)) &&
    none(admin.list(ResourceImport)) &&
    fleet.clusters.every(({ server }) => {
      const services = server.admin.list(Service, cart.namespace);
      const slices = server.admin.list(EndpointSlice, cart.namespace);
      return (
        none(server.admin.list(ServiceImport, cart.namespace)) &&
        none(services.filter(({ metadata }) => metadata.name.startsWith('antrea-mc-'))) &&
        none(slices.filter(({ metadata }) => metadata.labels?.[Label.mcsServiceName] !== undefined))
      );
    })
  );
}

/** One step: an action of a user, and the state that must follow. */
export interface StoryStep {
  readonly name: string;
  readonly act: (fleet: VirtualFleet) => void;
  readonly holds: (fleet: VirtualFleet) => boolean;
}

const bothImport = (fleet: VirtualFleet, ports: readonly string[]) =>
  ['east', 'west'].every((name) => importedPorts(fleet.cluster(name)).join() === ports.join());

const clusterIP = (fleet: VirtualFleet, name: string) =>
  fleet.cluster(name).server.admin.get(Service, cart)?.spec?.clusterIP ?? '';

/**
 * The example of docs/spec/wire.md §8 as a story of a fleet with members east and west: export,
 * update, conflict, resolution, and the withdrawal by both.
 */
export const cartStory: readonly StoryStep[] = [
  {
    name: 'west exports',
    act(fleet) {
      fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
      putService(fleet.cluster('west'), westPorts);
      putPod(fleet.cluster('west'), 'cart-1', '10.20.1.5');
      exportService(fleet.cluster('west'));
    },
    holds: (fleet) =>
      bothImport(fleet, ['http TCP 80', 'metrics TCP 9090']) &&
      exportCondition(fleet.cluster('west'), 'Ready') === 'True Exported' &&
      importedSlices(fleet.cluster('west')).join() === 'west: 10.20.1.5 http:8080,metrics:9090' &&
      importedSlices(fleet.cluster('east')).join() === `west: ${clusterIP(fleet, 'west')} http:80,metrics:9090`,
  },
  {
    name: 'a second Pod of west gets ready',
    act: (fleet) => putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7'),
    holds: (fleet) =>
      importedSlices(fleet.cluster('west')).join() === 'west: 10.20.1.5,10.20.2.7 http:8080,metrics:9090',
  },
  {
    name: 'east exports with other ports',
    act(fleet) {
      fleet.clock.jump(5_000);
      putService(fleet.cluster('east'), eastPorts);
      putPod(fleet.cluster('east'), 'cart-1', '10.10.3.4');
      exportService(fleet.cluster('east'));
    },
    holds: (fleet) =>
      bothImport(fleet, ['http TCP 80', 'metrics TCP 9090', 'admin TCP 9000']) &&
      ['east', 'west'].every((name) => exportCondition(fleet.cluster(name), 'Conflict') === 'True PortConflict') &&
      importedSlices(fleet.cluster('east')).join('|') ===
        `east: 10.10.3.4 admin:9000|west: ${clusterIP(fleet, 'west')} http:80,metrics:9090` &&
      importedSlices(fleet.cluster('west')).join('|') ===
        `east: ${clusterIP(fleet, 'east')} admin:9000|west: 10.20.1.5,10.20.2.7 http:8080,metrics:9090`,
  },
  {
    name: 'east takes the ports of west',
    act: (fleet) => putService(fleet.cluster('east'), westPorts),
    holds: (fleet) =>
      bothImport(fleet, ['http TCP 80', 'metrics TCP 9090']) &&
      ['east', 'west'].every((name) => exportCondition(fleet.cluster(name), 'Conflict') === 'False NoConflicts') &&
      importedSlices(fleet.cluster('west')).length === 2,
  },
  {
    name: 'west withdraws',
    act: (fleet) => unexportService(fleet.cluster('west')),
    holds: (fleet) =>
      bothImport(fleet, ['http TCP 80', 'metrics TCP 9090']) &&
      ['east', 'west'].every((name) => importedSlices(fleet.cluster(name)).length === 1) &&
      fleet.leader.server.admin.list(ResourceExport).filter(({ spec }) => spec?.name === cart.name).length === 2,
  },
  {
    name: 'east withdraws',
    act: (fleet) => unexportService(fleet.cluster('east')),
    holds: isClean,
  },
];

/** Plays steps one after the other, each until its state holds. */
export async function play(
  fleet: VirtualFleet,
  steps: readonly StoryStep[] = cartStory,
  limitMs = 60_000,
): Promise<void> {
  for (const step of steps) {
    step.act(fleet);
    await fleet.until(step.name, () => step.holds(fleet), limitMs);
  }
}
