import {
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  memberAnnounceFinalizer,
  resourceImportName,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists, isConflict, isNotFound } from '@isthmus/kube';
import { equal, rfc3339 } from '@isthmus/machinery';

/**
 * One look of an Antrea leader (2.7) at its Common Area, as far as Services go
 * (docs/spec/wire.md §7): it accepts announcements, writes the two imports of a Service where their
 * specs differ, keeps labels and annotations that it finds there, deletes without a mark, and takes
 * finalizers from exports that go.
 */
export async function lookAsLeader(client: Client, namespace: string, nowMs: number): Promise<void> {
  for (const announce of (await client.list(MemberClusterAnnounce, { namespace })).items) {
    const finalizer = memberAnnounceFinalizer(announce.clusterID ?? '');
    const { finalizers = [] } = announce.metadata;
    if (finalizers.includes(finalizer)) continue;
    const metadata = { ...announce.metadata, finalizers: [...finalizers, finalizer] };
    await unlessLate(client.update(MemberClusterAnnounce, { ...announce, metadata }));
  }
  const exports = (await client.list(ResourceExport, { namespace })).items;
  const imports = new Map(
    (await client.list(ResourceImport, { namespace })).items.map((object) => [object.metadata.name, object]),
  );
  const services = Map.groupBy(
    exports.filter(({ spec }) => spec?.kind === 'Service' || spec?.kind === 'Endpoints'),
    ({ spec }) => `${spec?.namespace ?? ''}/${spec?.name ?? ''}`,
  );
  for (const [key, all] of services) {
    const [source = '', name = ''] = key.split('/');
    for (const wanted of importsOf({ namespace: source, name }, all)) {
      const before = imports.get(wanted.name);
      if (wanted.spec === undefined) {
        if (before !== undefined) await unlessLate(client.delete(ResourceImport, { namespace, name: wanted.name }));
      } else if (before === undefined) {
        await unlessLate(
          client.create(ResourceImport, { metadata: { namespace, name: wanted.name }, spec: wanted.spec }),
        );
      } else if (!equal(before.spec, wanted.spec)) {
        await unlessLate(client.update(ResourceImport, { ...before, spec: wanted.spec }));
      }
    }
    for (const object of all) await answer(client, object, nowMs);
  }
}

interface WantedImport {
  readonly name: string;
  /** Undefined: no cluster exports the Service. */
  readonly spec: ResourceImport['spec'];
}

function importsOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  exports: readonly ResourceExport[],
): readonly WantedImport[] {
  const live = exports.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [first] = live.filter(({ spec }) => spec?.kind === 'Service');
  const ports = (first?.spec?.service?.serviceSpec?.ports ?? []).map(({ name: port, protocol, port: number }) => ({
    name: port,
    protocol,
    port: number,
  }));
  const subsets = live.flatMap(({ spec }) => (spec?.kind === 'Endpoints' ? (spec.endpoints?.subsets ?? []) : []));
  const serviceImport = { spec: { type: 'ClusterSetIP' as const, ports } };
  const isThere = first !== undefined;
  return [
    {
      name: resourceImportName(namespace, name, 'Service'),
      spec: isThere ? { kind: 'ServiceImport', namespace, name, serviceImport } : undefined,
    },
    {
      name: resourceImportName(namespace, name, 'Endpoints'),
      spec: isThere ? { kind: 'Endpoints', namespace, name, endpoints: { subsets } } : undefined,
    },
  ];
}

async function answer(client: Client, object: ResourceExport, nowMs: number): Promise<void> {
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined) {
    const body = { metadata: { finalizers: null, resourceVersion: metadata.resourceVersion } };
    await unlessLate(client.patch(ResourceExport, metadata, { type: 'merge', body }));
  } else if (status?.conditions?.[0]?.type !== 'Succeeded') {
    const conditions = [{ type: 'Succeeded', status: 'True' as const, lastTransitionTime: rfc3339(nowMs) }];
    await unlessLate(client.update(ResourceExport, { ...object, status: { conditions } }, { subresource: 'status' }));
  }
}

/** Another client was quicker: the next look sees its write. */
export async function unlessLate(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
  }
}
