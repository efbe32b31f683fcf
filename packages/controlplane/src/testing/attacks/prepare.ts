import {
  Annotation,
  ClusterInfoImport,
  EndpointSlice,
  FixedName,
  Gateway,
  KnownCluster,
  Label,
  MemberClusterAnnounce,
  Namespace,
  Node,
  Pod,
  ResourceExport,
  RoleBinding,
  Service,
  ServiceAccount,
  ServiceExport,
  ServiceImport,
  clusterInfoName,
  importedServiceName,
  memberAccountName,
  memberAnnounceName,
} from '@isthmus/api';
import type { ServiceSpec } from '@isthmus/api';
import { isAlreadyExists, orNotFound } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { Attack, Attacker } from './attack.ts';
import { networkOf, ports } from './as-antrea.ts';
import type { AttackedFleet } from './attacked-fleet.ts';
import { adminOf } from './attacked-fleet.ts';
import { importer, leader, shop, third } from './facts.ts';

/** Namespaces that exist in every cluster, so that imports into them could exist. */
const namespaces = [shop, 'kube-public', 'kube-node-lease', 'openshift-ingress', 'kube-system', 'default'];
const setUpMs = 60_000;

/** The things of the clusters that are attacked, as their administrators created them. */
export async function prepareClusters(fleet: AttackedFleet): Promise<void> {
  const [north, east, west] = [leader, importer, third].map(({ id }) => adminOf(fleet, id)) as [Client, Client, Client];
  for (const admin of [north, east, west])
    for (const name of namespaces) await create(admin, Namespace, { metadata: { name } });
  await createNode(north, 'leader-1', leader.node);
  await createNode(east, 'worker-1', importer.node, importer.nodePods);
  await create(east, Service, {
    metadata: { name: 'own', namespace: shop },
    spec: { clusterIP: importer.service, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  });
  await createPod(east, 'own-1', importer.pod);
  const gateways = [
    { admin: east, name: 'node-1', gatewayIP: importer.gateway, serviceCIDR: importer.services },
    { admin: west, name: 'node-1', gatewayIP: third.gateway, serviceCIDR: third.services, publicKey: third.key },
    { admin: west, name: 'node-2', gatewayIP: third.gateway6, serviceCIDR: third.services },
  ];
  for (const { admin, name, gatewayIP, serviceCIDR, publicKey } of gateways)
    await create(admin, Gateway, {
      metadata: { name, namespace: FixedName.memberNamespace },
      gatewayIP,
      internalIP: gatewayIP,
      serviceCIDR,
      ...(publicKey !== undefined && { wireGuard: { publicKey } }),
    });
  await until(fleet, 'the networks are known', async () => {
    const [ofWest, ofEast] = await Promise.all([knownNetwork(east, third.id), knownNetwork(west, importer.id)]);
    return ofWest?.spec?.gatewayInfos?.length === 2 && ofEast?.spec?.podCIDRs !== undefined;
  });
}

/** The account, the grant and the announcement of an attacker, and the Service that it is after. */
export async function prepareAttacker(fleet: AttackedFleet, attack: Attack, attacker: Attacker): Promise<Client> {
  const { id, pods, pods6, services, gateway, victim } = attacker;
  const { namespace } = leader;
  const [north, east, west] = [leader, importer, third].map((one) => adminOf(fleet, one.id)) as [
    Client,
    Client,
    Client,
  ];
  const name = memberAccountName(id);
  await create(north, ServiceAccount, { metadata: { name, namespace, annotations: { [Annotation.clusterID]: id } } });
  await create(north, RoleBinding, {
    metadata: { name, namespace },
    roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  const granted = { clusterID: id, pods: [pods, pods6], services: [services], gateways: [`${gateway}/32`] };
  await create(north, KnownCluster, { metadata: { name: id, namespace }, spec: { ...granted, ...attack.grant } });
  if (attack.quotas !== undefined)
    for (const admin of [east, west])
      await create(admin, KnownCluster, {
        metadata: { name: id, namespace: FixedName.memberNamespace },
        spec: { clusterID: id, quotas: attack.quotas },
      });
  if (attack.isNameTaken === true)
    await create(east, Service, {
      metadata: { name: importedServiceName(attacker.service), namespace: shop },
      spec: { ports },
    });
  if (attack.victim !== undefined) await exportVictim(west, victim, attack.victim);
  const client = await fleet.logIn(name);
  const announcement: MemberClusterAnnounce = {
    metadata: { name: memberAnnounceName(id), namespace },
    clusterID: id,
    clusterSetID: clusterSetName,
    leaderClusterID: leader.id,
  };
  // The API server reads a new binding, and a new account, a moment later.
  await until(fleet, `${id} announces itself`, async () => {
    await create(client, MemberClusterAnnounce, announcement);
    return true;
  });
  await until(fleet, `${id} announces its network`, async () => {
    await create(client, ResourceExport, networkOf(attacker));
    return true;
  });
  await until(fleet, `the network of ${id} is known, and ${victim} is imported`, async () => {
    const imported =
      attack.victim === undefined || (await orNotFound(east.get(ServiceImport, { namespace: shop, name: victim })));
    return (
      imported !== undefined &&
      (await knownNetwork(east, id)) !== undefined &&
      (await knownNetwork(west, id)) !== undefined
    );
  });
  return client;
}

const knownNetwork = (admin: Client, id: string) =>
  orNotFound(admin.get(ClusterInfoImport, { namespace: FixedName.memberNamespace, name: clusterInfoName(id) }));

async function exportVictim(west: Client, name: string, spec: ServiceSpec): Promise<void> {
  await create(west, Service, { metadata: { name, namespace: shop }, spec: { ports, ...spec } });
  await create(west, EndpointSlice, {
    metadata: { name: `${name}-1`, namespace: shop, labels: { [Label.serviceName]: name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [third.pod], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  });
  await create(west, ServiceExport, { metadata: { name, namespace: shop } });
}

async function createNode(admin: Client, name: string, address: string, podCIDR?: string): Promise<void> {
  await create(admin, Node, { metadata: { name }, spec: podCIDR === undefined ? {} : { podCIDR } });
  const body = { status: { addresses: [{ type: 'InternalIP', address }] } };
  await admin.patch(Node, { name }, { type: 'merge', body }, { subresource: 'status' });
}

async function createPod(admin: Client, name: string, ip: string): Promise<void> {
  const ref = { namespace: shop, name };
  await create(admin, ServiceAccount, { metadata: { name: 'default', namespace: shop } });
  await create(admin, Pod, {
    metadata: { ...ref, labels: { app: 'own' } },
    spec: { nodeName: 'worker-1', automountServiceAccountToken: false, containers: [{ name: 'main', image: 'own' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const body = { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } };
  await admin.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' });
}

async function create<T extends KubernetesObject>(client: Client, type: ResourceType<T>, object: T): Promise<void> {
  await client.create(type, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

async function until(fleet: AttackedFleet, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = fleet.nowMs() + setUpMs;
  let last: unknown;
  while (fleet.nowMs() < endMs) {
    const found = await isSo().catch((error: unknown) => {
      last = error;
      return false;
    });
    if (found) return;
    await fleet.pass(250);
  }
  throw new Error(`not within ${setUpMs} ms: ${what}`, { cause: last });
}
