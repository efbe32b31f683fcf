import type { ServicePort } from '@isthmus/api';
import {
  ConfigMap,
  Deployment,
  EndpointSlice,
  FixedName,
  Label,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceAccount,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { orNotFound } from '@isthmus/kube';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import { SimulationAnnotation } from '@isthmus/sandbox';
import { clusterSetsSeen } from '../sandbox/cluster-sets-seen.ts';
import type { DemoCluster, DemoFleet, ObjectLine } from './demo-fleet.ts';

export const cart = { namespace: 'shop', name: 'cart' } as const;
export const derived = { namespace: 'shop', name: 'antrea-mc-cart' } as const;

/** The object, or undefined where there is none. */
export async function find<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  return orNotFound(client.get(type, ref));
}

/** Namespace `shop`; waits for the ServiceAccount that Pods need. */
export async function prepare(fleet: DemoFleet, { name, admin }: DemoCluster): Promise<void> {
  await admin.create(Namespace, { metadata: { name: cart.namespace } });
  await fleet.until(`Namespace ${cart.namespace} of ${name} has its ServiceAccount`, () =>
    find(admin, ServiceAccount, { namespace: cart.namespace, name: 'default' }),
  );
}

/** Deployment `cart` with so many Pods, or that many from now on. */
export async function deployCart({ admin }: DemoCluster, replicas: number): Promise<void> {
  if ((await find(admin, Deployment, cart)) !== undefined) {
    await admin.patch(Deployment, cart, { type: 'merge', body: { spec: { replicas } } });
    return;
  }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'cart:1' }] } };
  await admin.create(Deployment, {
    metadata: { ...cart },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

const labels = { app: 'cart' } as const;

async function podsOfCart({ admin }: DemoCluster): Promise<readonly Pod[]> {
  return (await admin.list(Pod, { namespace: cart.namespace, labelSelector: 'app=cart' })).items;
}

/** The addresses of the Pods of `cart`, as text in ascending order. */
export async function podIPs(cluster: DemoCluster): Promise<readonly string[]> {
  return (await podsOfCart(cluster)).map(({ status }) => status?.podIP ?? '').toSorted();
}

/** The ready and wanted Pods of Deployment `cart`, from its status: `ready/wanted`. */
export async function readyPods({ admin }: DemoCluster): Promise<string> {
  const { spec, status } = (await find(admin, Deployment, cart)) ?? {};
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
}

/** Makes the Pods of `cart` ready or not: they have no containers to find it out from. */
export async function setReady(cluster: DemoCluster, ready: boolean): Promise<void> {
  const annotations = { [SimulationAnnotation.ready]: ready ? null : 'false' };
  for (const { metadata } of await podsOfCart(cluster)) {
    await cluster.admin.patch(Pod, metadata, { type: 'merge', body: { metadata: { annotations } } });
  }
}

export async function putCart({ admin }: DemoCluster, ports: readonly ServicePort[]): Promise<void> {
  const spec = { selector: labels, ports };
  if ((await find(admin, Service, cart)) === undefined) await admin.create(Service, { metadata: { ...cart }, spec });
  else await admin.patch(Service, cart, { type: 'merge', body: { spec } });
}

export async function exportCart({ admin }: DemoCluster): Promise<void> {
  await admin.create(ServiceExport, { metadata: { ...cart } });
}

/**
 * Waits until the leader's clock shows a later second than that of `exporter`'s export. If
 * exporters disagree, the oldest wins. The leader compares creation times of ResourceExports, which
 * are whole seconds; in the same second, the smaller cluster ID wins. An export after this is the
 * younger one, by less than a second of waiting.
 */
export async function untilNextExportIsYounger(fleet: DemoFleet, exporter: string): Promise<void> {
  const { admin } = fleet.leader;
  const namespace = FixedName.leaderNamespace;
  const name = `${exporter}-${cart.namespace}-${cart.name}-service`;
  const created = (await admin.get(ResourceExport, { namespace, name })).metadata.creationTimestamp ?? '';
  await fleet.until(`the leader's clock is past ${created}`, async () => {
    // A dry run writes nothing, and its answer contains the time.
    const now = await admin.create(ConfigMap, { metadata: { namespace, name: 'now' } }, { dryRun: true });
    return (now.metadata.creationTimestamp ?? '') > created;
  });
}

export async function unexportCart({ admin }: DemoCluster): Promise<void> {
  await admin.delete(ServiceExport, cart);
}

/** `type=status reason` of a ServiceExport. */
export async function exportVerdict({ admin }: DemoCluster, type: 'Valid' | 'Ready' | 'Conflict'): Promise<string> {
  const found = conditionOf((await find(admin, ServiceExport, cart))?.status?.conditions, type);
  return found === undefined ? '' : `${found.status} ${found.reason}`;
}

/** `name:port` of the imported Service. */
export async function importedPorts({ admin }: DemoCluster): Promise<string> {
  return ports((await find(admin, ServiceImport, cart))?.spec?.ports);
}

/** `source=address,… name:port,…` of each imported slice, sorted. */
export async function importedSlices({ admin }: DemoCluster): Promise<readonly string[]> {
  const { items } = await admin.list(EndpointSlice, {
    namespace: cart.namespace,
    labelSelector: `${Label.mcsServiceName}=${cart.name}`,
  });
  return items
    .map(({ metadata, endpoints, ports: slicePorts }) => {
      const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses).toSorted();
      return `${metadata.labels?.[Label.mcsSourceCluster] ?? ''}=${addresses.join(',')} ${ports(slicePorts)}`;
    })
    .toSorted();
}

/**
 * The state that changes while the story goes on, in every cluster, as lines: the objects of
 * {@link readBack}, the Pods and the ClusterSets.
 */
export async function observed(clusters: readonly DemoCluster[]): Promise<string> {
  const lines = (await readBack({ clusters })).map(({ cluster, object, says }) => `${cluster}: ${object}  ${says}`);
  for (const cluster of clusters) {
    for (const { metadata, status } of await podsOfCart(cluster)) {
      const states = (status?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`);
      lines.push(`${cluster.name}: Pod/${metadata.name}  ${[status?.phase ?? '', ...states].join('  ')}`);
    }
  }
  return [...lines, await clusterSetsSeen(clusters)].join('\n');
}

/** Every object of the story in every cluster, as lines `cluster  kind/name  what it says`. */
export async function readBack({ clusters }: Pick<DemoFleet, 'clusters'>): Promise<readonly ObjectLine[]> {
  const lines: ObjectLine[] = [];
  for (const cluster of clusters) {
    const { name, isLeader, isMember, admin } = cluster;
    const say = (object: string, says: string) => lines.push({ cluster: name, object, says });
    if (isLeader) {
      for (const { metadata, spec, status } of (await admin.list(ResourceExport)).items) {
        const states = (status?.conditions ?? []).map(({ type, status: is, reason = '' }) =>
          `${type}=${is} ${reason}`.trim(),
        );
        say(`ResourceExport/${metadata.name}`, [spec?.kind ?? '', ...states].join('  '));
      }
      for (const { metadata, spec } of (await admin.list(ResourceImport)).items) {
        say(
          `ResourceImport/${metadata.name}`,
          [spec?.kind ?? '', ports(spec?.serviceImport?.spec?.ports)].join('  ').trim(),
        );
      }
    }
    if (!isMember) continue;
    if ((await find(admin, Deployment, cart)) !== undefined) {
      say('Deployment/cart', `${await readyPods(cluster)} ready  ${(await podIPs(cluster)).join(',')}`);
    }
    const exported = await find(admin, ServiceExport, cart);
    if (exported !== undefined) {
      say(
        'ServiceExport/cart',
        (exported.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`).join('  '),
      );
    }
    const imported = await find(admin, ServiceImport, cart);
    if (imported !== undefined) {
      say(
        'ServiceImport/cart',
        `${imported.spec?.type ?? ''}  ${(imported.spec?.ips ?? []).join(',')}  ${ports(imported.spec?.ports)}  from ${(imported.status?.clusters ?? []).map((one) => one.cluster).join(',')}`,
      );
    }
    const service = await find(admin, Service, derived);
    if (service !== undefined)
      say('Service/antrea-mc-cart', `${service.spec?.clusterIP ?? ''}  ${ports(service.spec?.ports)}`);
    for (const slice of await importedSlices(cluster)) say('EndpointSlice', `from ${slice.replace('=', ': ')}`);
  }
  return lines;
}

function ports(
  list: readonly { readonly name?: string | undefined; readonly port?: number | undefined }[] | null | undefined,
): string {
  return (list ?? []).map(({ name = '', port = 0 }) => `${name}:${port}`).join(',');
}
