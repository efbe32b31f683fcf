import {
  EndpointSlice,
  FixedName,
  Label,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  importedPrefix,
} from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { createRequest, patchRequest } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import type { BareWrites } from './bare-writer.ts';
import { baseClient } from './fleet.ts';
import { inParallel } from './in-parallel.ts';

/** Everything that the controllers have written for the exported Services, to be written again. */
export interface WrittenObjects extends Disposable {
  /**
   * The requests that write the objects of these Services, into Namespace `into` of each cluster,
   * which is made first.
   */
  writesInto(into: string, services: readonly string[]): Promise<readonly BareWrites[]>;
}

interface Written {
  readonly service: string;
  readonly type: ResourceType;
  readonly object: KubernetesObject & { readonly status?: unknown };
  /** The user's own object: only its status is the controllers' work. */
  readonly statusOnly: boolean;
}

/** Reads back the objects in the Common Area and in Namespace `namespace` of each member. */
export async function readWritten(fleet: RealFleet, namespace: string): Promise<WrittenObjects> {
  const clusters = await Promise.all(
    fleet.clusters.map(async (cluster) => ({
      cluster,
      client: await baseClient(cluster),
      written: cluster.role === 'leader' ? await writtenByLeader(cluster) : await writtenByMember(cluster, namespace),
    })),
  );
  return {
    async writesInto(into, services) {
      const chosen = new Set(services);
      return Promise.all(
        clusters.map(async ({ cluster: { admin }, client, written }) => {
          await admin.create(Namespace, { metadata: { name: into } });
          const mine = written.filter(({ service }) => chosen.has(service));
          await inParallel(
            mine.filter(({ statusOnly }) => statusOnly),
            16,
            async ({ type, object }) =>
              void (await admin.create(type, { metadata: { name: object.metadata.name, namespace: into } })),
          );
          return { client, chains: mine.map((one) => requestsOf(one, into)) };
        }),
      );
    },
    [Symbol.dispose]() {
      for (const { client } of clusters) client.close();
    },
  };
}

async function writtenByLeader({ admin }: RealCluster): Promise<readonly Written[]> {
  const namespace = FixedName.leaderNamespace;
  const [exports, imports] = await Promise.all([
    admin.list(ResourceExport, { namespace }),
    admin.list(ResourceImport, { namespace }),
  ]);
  const of =
    (type: ResourceType) =>
    (object: KubernetesObject & { readonly spec?: { readonly name?: string | undefined } | undefined }) =>
      written(type, object, object.spec?.name ?? '');
  return [...exports.items.map(of(ResourceExport)), ...imports.items.map(of(ResourceImport))].toSorted(byService);
}

async function writtenByMember({ admin }: RealCluster, namespace: string): Promise<readonly Written[]> {
  const [services, slices, imports, exports] = await Promise.all([
    admin.list(Service, { namespace }),
    admin.list(EndpointSlice, { namespace, labelSelector: Label.mcsServiceName }),
    admin.list(ServiceImport, { namespace }),
    admin.list(ServiceExport, { namespace }),
  ]);
  return [
    ...services.items
      .filter(({ metadata }) => metadata.name.startsWith(importedPrefix))
      .map((service) => written(Service, unaddressed(service), service.metadata.name.slice(importedPrefix.length))),
    ...slices.items.map((slice) => written(EndpointSlice, slice, slice.metadata.labels?.[Label.mcsServiceName] ?? '')),
    ...imports.items.map((object) => written(ServiceImport, object, object.metadata.name)),
    ...exports.items.map((object) => ({ ...written(ServiceExport, object, object.metadata.name), statusOnly: true })),
  ].toSorted(byService);
}

function written(type: ResourceType, object: KubernetesObject, service: string): Written {
  return { service, type, object, statusOnly: false };
}

/**
 * The Service without its ClusterIP, which is taken: the new one gets another. No controller writes
 * the status of a Service without a load balancer.
 */
function unaddressed({ metadata, spec: allotted = {} }: Service): Service {
  const { clusterIP: _, clusterIPs: __, ...spec } = allotted;
  return { metadata, spec };
}

function byService(a: Written, b: Written): number {
  return a.service < b.service ? -1 : a.service > b.service ? 1 : 0;
}

function requestsOf({ type, object, statusOnly }: Written, namespace: string): readonly ApiRequest[] {
  const { status, ...rest } = object;
  const { name, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences };
  const create = createRequest(type, { ...rest, metadata }, {});
  if (status === undefined) return [create];
  const patch = { type: 'merge', body: { status } } as const;
  const patchStatus = patchRequest(type, { name, namespace }, patch, { subresource: 'status' });
  return statusOnly ? [patchStatus] : [create, patchStatus];
}
