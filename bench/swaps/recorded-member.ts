import type { EndpointSubset, ServicePort } from '@isthmus/api';
import {
  Annotation,
  EndpointSlice,
  Endpoints,
  Finalizer,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExportV1alpha1,
  ServiceImportV1alpha1,
  importedServiceName,
  memberAnnounceName,
  yes,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isNotFound } from '@isthmus/kube';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import { equal, rfc3339 } from '@isthmus/machinery';
import { unlessLate } from './recorded-leader.ts';

/** An Antrea member, and what it remembers: it withdraws only what it has seen itself. */
export interface RecordedMember {
  readonly own: Client;
  readonly leader: Client;
  readonly clusterID: string;
  readonly clusterSetID: string;
  readonly leaderClusterID: string;
  readonly leaderNamespace: string;
  /** `namespace/name` of Services whose exports, and whose imports, it has written. */
  readonly exported: Set<string>;
  readonly imported: Set<string>;
}

/** One beat: it makes the announcement, or replaces it as a whole with a new time. */
export async function beat(member: RecordedMember, nowMs: number): Promise<void> {
  const { leader, clusterID, clusterSetID, leaderClusterID, leaderNamespace: namespace } = member;
  const ref = { namespace, name: memberAnnounceName(clusterID) };
  const found = await find(leader, MemberClusterAnnounce, ref);
  if (found === undefined) {
    await unlessLate(leader.create(MemberClusterAnnounce, { metadata: ref, clusterID, clusterSetID, leaderClusterID }));
    return;
  }
  const annotations = { ...found.metadata.annotations, [Annotation.touchTs]: rfc3339(nowMs) };
  await unlessLate(leader.update(MemberClusterAnnounce, { ...found, metadata: { ...found.metadata, annotations } }));
}

/**
 * One look of an Antrea member (2.7) at its Services and those of the others
 * (docs/spec/wire.md §7), with Pod IPs as endpoints.
 */
export async function lookAsMember(member: RecordedMember): Promise<void> {
  await exportAll(member);
  await importAll(member);
}

async function exportAll({ own, leader, clusterID, leaderNamespace, exported }: RecordedMember): Promise<void> {
  const wanted = (await own.list(ServiceExportV1alpha1)).items;
  const services = (await own.list(Service)).items;
  const slices = (await own.list(EndpointSlice)).items;
  for (const { metadata } of wanted) {
    const { namespace = '', name } = metadata;
    const service = services.find((one) => one.metadata.namespace === namespace && one.metadata.name === name);
    const subsets = slices
      .filter((slice) => slice.metadata.namespace === namespace && slice.metadata.labels?.[Label.serviceName] === name)
      .flatMap(subsetsOf);
    if (service === undefined || subsets.length === 0) continue;
    exported.add(`${namespace}/${name}`);
    const ports = service.spec?.ports ?? [];
    const payloads = { Service: { service: { serviceSpec: { ports } } }, Endpoints: { endpoints: { subsets } } };
    for (const kind of ['Service', 'Endpoints'] as const) {
      const ref = { namespace: leaderNamespace, name: `${clusterID}-${namespace}-${name}-${kind.toLowerCase()}` };
      const spec: ResourceExport['spec'] = { clusterID, name, namespace, kind, ...payloads[kind] };
      const before = await find(leader, ResourceExport, ref);
      const labels = { sourceName: name, sourceNamespace: namespace, sourceClusterID: clusterID, sourceKind: kind };
      const finalizers = [Finalizer.resourceExport];
      if (before === undefined)
        await unlessLate(leader.create(ResourceExport, { metadata: { ...ref, finalizers, labels }, spec }));
      else if (!equal(before.spec, spec)) await unlessLate(leader.update(ResourceExport, { ...before, spec }));
    }
  }
}

function subsetsOf({ addressType, endpoints, ports }: EndpointSlice): readonly EndpointSubset[] {
  const addresses = (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready === true)
    .flatMap((endpoint) => endpoint.addresses.map((ip) => ({ ip })));
  if (addressType !== 'IPv4' || addresses.length === 0) return [];
  return [{ addresses, ports: (ports ?? []).map(({ name, port = 0, protocol }) => ({ name, port, protocol })) }];
}

async function importAll({ own, leader, leaderNamespace, imported }: RecordedMember): Promise<void> {
  const offered = (await leader.list(ResourceImport, { namespace: leaderNamespace })).items;
  const seen = new Set<string>();
  for (const { spec } of offered) {
    const { kind, namespace = '', name = '' } = spec ?? {};
    const ref = { namespace, name: importedServiceName(name) };
    if (kind === 'ServiceImport') {
      seen.add(`${namespace}/${name}`);
      imported.add(`${namespace}/${name}`);
      await importService(own, { ref, name, ports: spec?.serviceImport?.spec?.ports ?? [] });
    } else if (kind === 'Endpoints') {
      await importEndpoints(own, ref, spec?.endpoints?.subsets ?? []);
    }
  }
  for (const key of imported) {
    if (seen.has(key)) continue;
    imported.delete(key);
    const [namespace = '', name = ''] = key.split('/');
    await unlessLate(own.delete(Service, { namespace, name: importedServiceName(name) }));
    await unlessLate(own.delete(ServiceImportV1alpha1, { namespace, name }));
  }
}

async function importService(
  own: Client,
  {
    ref,
    name,
    ports,
  }: { readonly ref: Required<ObjectRef>; readonly name: string; readonly ports: readonly ServicePort[] },
): Promise<void> {
  const annotations = { [Annotation.importedService]: yes };
  const found = await find(own, Service, ref);
  if (found !== undefined && found.metadata.annotations?.[Annotation.importedService] === undefined) return;
  if (found === undefined) {
    await unlessLate(own.create(Service, { metadata: { ...ref, annotations }, spec: { type: 'ClusterIP', ports } }));
  } else {
    // It compares with what the API server has filled in, and so writes each time.
    await unlessLate(own.update(Service, { ...found, spec: { ...found.spec, ports } }));
  }
  const ip = (await find(own, Service, ref))?.spec?.clusterIP ?? '';
  const spec = { type: 'ClusterSetIP' as const, ips: [ip], ports };
  const at = { namespace: ref.namespace, name };
  const before = await find(own, ServiceImportV1alpha1, at);
  if (before === undefined) await unlessLate(own.create(ServiceImportV1alpha1, { metadata: at, spec }));
  else if (!equal(before.spec, spec)) await unlessLate(own.update(ServiceImportV1alpha1, { ...before, spec }));
}

async function importEndpoints(own: Client, ref: ObjectRef, subsets: readonly EndpointSubset[]): Promise<void> {
  const found = await find(own, Endpoints, ref);
  const annotations = { [Annotation.importedService]: yes };
  if (found === undefined) await unlessLate(own.create(Endpoints, { metadata: { ...ref, annotations }, subsets }));
  else if (found.metadata.annotations?.[Annotation.importedService] !== undefined && !equal(found.subsets, subsets))
    await unlessLate(own.update(Endpoints, { ...found, subsets }));
}

async function find<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  try {
    return await client.get(type, ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
