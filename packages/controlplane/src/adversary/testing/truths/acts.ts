import {
  ClusterInfoImport,
  EndpointSlice,
  MemberClusterAnnounce,
  Pod,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { exportService, putPod, putService } from '@isthmus/fleet-sim';
import type { KubernetesObject, Random, ResourceType } from '@isthmus/machinery';
import { isLive } from '@isthmus/machinery';
import { pick } from '../chaos-users.ts';
import type { ServiceRef } from './probe.ts';

export const services: readonly ServiceRef[] = [
  { namespace: 'shop', name: 'cart' },
  { namespace: 'shop', name: 'web' },
];

/** Something that was done, and what ends it. */
export interface Act {
  readonly what: string;
  /** Undefined: it is over. */
  readonly undo: (() => void) | undefined;
}

const over = (what: string): Act => ({ what, undo: undefined });

/** Pods have addresses of their own in the whole fleet. */
function podAddress(member: VirtualCluster, ref: ServiceRef, index: number): string {
  return `10.${['north', 'east', 'west'].indexOf(member.name) + 20}.${services.indexOf(ref)}.${index + 1}`;
}

export function putPodOf(member: VirtualCluster, ref: ServiceRef, index: number, ready: boolean): void {
  putPod(member, `${ref.name}-${index}`, podAddress(member, ref, index), { app: ref.name, ready });
}

const portSets = [
  [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
  [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8080 }],
  [{ name: 'grpc', protocol: 'TCP', port: 90, targetPort: 9090 }],
] as const;

/** What users do with their Services. */
export function userAct(member: VirtualCluster, random: Random): Act {
  const ref = pick(random, services);
  const { admin } = member.server;
  const at = `${member.name}: ${ref.name}`;
  const dice = random.next();
  if (dice < 0.45) {
    const index = Math.floor(random.next() * 2);
    const ready = random.next() < 0.5;
    putPodOf(member, ref, index, ready);
    return over(`${at} Pod ${index} is ${ready ? 'ready' : 'not ready'}`);
  }
  if (dice < 0.6) {
    const index = Math.floor(random.next() * 2);
    admin.delete(Pod, { namespace: ref.namespace, name: `${ref.name}-${index}` });
    return over(`${at} Pod ${index} is deleted`);
  }
  if (dice < 0.75) {
    if (admin.get(ServiceExport, ref) !== undefined && random.next() < 0.5) {
      admin.delete(ServiceExport, ref);
      return over(`${at} is withdrawn`);
    }
    exportService(member, ref);
    return over(`${at} is exported`);
  }
  if (dice < 0.9) {
    const index = Math.floor(random.next() * portSets.length);
    putService(member, portSets[index] ?? portSets[0], ref);
    return over(`${at} has ports ${index}`);
  }
  admin.delete(Service, ref);
  return { what: `${at} Service is deleted`, undo: () => putService(member, portSets[0], ref) };
}

const finalizer = 'example.com/keep';

const isOfImports = ({ metadata }: KubernetesObject) =>
  metadata.labels?.['app.kubernetes.io/managed-by'] === 'isthmus' && isLive({ metadata });

/** What people and other programs do to the objects of controllers. */
export function handAct(fleet: VirtualFleet, member: VirtualCluster, random: Random): Act | undefined {
  const onLeader = random.next() < 0.4;
  const { name, server } = onLeader ? fleet.leader : member;
  const { admin } = server;
  const type: ResourceType = onLeader
    ? pick(random, [ResourceImport, ResourceExport, MemberClusterAnnounce])
    : pick(random, [ServiceImport, Service, EndpointSlice, ClusterInfoImport]);
  const found = admin.list<KubernetesObject>(type).filter(onLeader ? isLive : isOfImports);
  if (found.length === 0) return undefined;
  const object = pick(random, found);
  const ref = object.metadata;
  const at = `${name}: ${type.kind} ${ref.name}`;
  const remove = () => {
    const held = admin.get<KubernetesObject>(type, ref);
    const { finalizers = [] } = held?.metadata ?? {};
    if (!finalizers.includes(finalizer)) return;
    const others = finalizers.filter((one) => one !== finalizer);
    if (others.length === 0) admin.remove(type, ref);
    else admin.patch(type, ref, { metadata: { finalizers: others } });
  };
  switch (pick(random, ['delete', 'hold', 'restore', 'content', 'labels'] as const)) {
    case 'delete':
      admin.delete(type, ref);
      return over(`${at} is deleted`);
    case 'hold':
      admin.patch(type, ref, { metadata: { finalizers: [...(ref.finalizers ?? []), finalizer] } });
      admin.delete(type, ref);
      return { what: `${at} is deleted and held`, undo: remove };
    case 'restore': {
      admin.delete(type, ref);
      const { resourceVersion: _, uid: _uid, ...metadata } = ref;
      const back = () => {
        if (admin.get(type, ref) === undefined) admin.put(type, { ...object, metadata });
      };
      return { what: `${at} is deleted and restored later`, undo: back };
    }
    case 'content':
      admin.patch(
        type,
        ref,
        type.kind === EndpointSlice.kind ? { endpoints: [] } : { spec: { ports: [{ name: 'x', port: 7 }] } },
      );
      return over(`${at} has other content`);
    case 'labels':
      admin.patch(type, ref, { metadata: { labels: null } });
      return over(`${at} has no labels`);
  }
}
