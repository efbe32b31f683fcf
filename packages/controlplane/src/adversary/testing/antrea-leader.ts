import {
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  memberAnnounceFinalizer,
  resourceImportName,
} from '@isthmus/api';
import { equal, rfc3339 } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { leaderNamespace } from '@isthmus/fleet-sim';

/** How long after a change it acts. */
const delayMs = 50;

/**
 * An Antrea leader controller (2.7) over the Common Area, for the merge of Services
 * (docs/spec/wire.md §7). It knows the two imports of a Service and no others, and writes an import
 * only if its spec differs. It keeps existing labels and annotations, and deletes without a mark.
 * It removes finalizers from exports and keeps its own on announcements. It deletes all exports of
 * a member whose announcement is deleted. Returns a function that ends it.
 */
export function runAntreaLeader(fleet: VirtualFleet): () => void {
  const { admin } = fleet.leader.server;
  let ended = false;
  const write = (name: string, spec: NonNullable<ResourceImport['spec']>) => {
    const before = admin.get(ResourceImport, { namespace: leaderNamespace, name });
    if (before !== undefined && equal(before.spec, spec)) return;
    admin.put(ResourceImport, { metadata: before?.metadata ?? { namespace: leaderNamespace, name }, spec });
  };
  /** Whether an import of that name is of another Service: then the exports fail. */
  const isTaken = (namespace: string, name: string) => {
    const ref = { namespace: leaderNamespace, name: resourceImportName(namespace, name, 'Service') };
    const { spec } = admin.get(ResourceImport, ref) ?? {};
    return spec !== undefined && (spec.namespace !== namespace || spec.name !== name);
  };
  const reconcile = (namespace: string, name: string) => {
    if (ended) return;
    const all = admin
      .list(ResourceExport, leaderNamespace)
      .filter(({ spec }) => spec?.namespace === namespace && spec.name === name);
    const live = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ofKind = (kind: string) => live.filter(({ spec }) => spec?.kind === kind);
    const names = {
      Service: resourceImportName(namespace, name, 'Service'),
      Endpoints: resourceImportName(namespace, name, 'Endpoints'),
    };
    for (const kind of ['Service', 'Endpoints'] as const) {
      const ref = { namespace: leaderNamespace, name: names[kind] };
      const isOver = ofKind(kind).length === 0 && !isTaken(namespace, name);
      if (isOver && admin.get(ResourceImport, ref) !== undefined) admin.delete(ResourceImport, ref);
    }
    const isConflicting = isTaken(namespace, name);
    const [oldest] = isConflicting ? [] : ofKind('Service');
    if (oldest !== undefined) {
      const ports = (oldest.spec?.service?.serviceSpec?.ports ?? []).map(({ name: port, protocol, port: number }) => ({
        name: port,
        protocol,
        port: number,
      }));
      const spec = { type: 'ClusterSetIP' as const, ports };
      write(names.Service, { kind: 'ServiceImport', namespace, name, serviceImport: { spec } });
    }
    const lists = ofKind('Endpoints');
    // It uses the endpoints of a Service whose own export it has accepted.
    if (oldest !== undefined && lists.length > 0) {
      const subsets = lists.flatMap((object) => object.spec?.endpoints?.subsets ?? []);
      // It compares only the subsets. If it writes, it drops unknown fields.
      const before = admin.get(ResourceImport, { namespace: leaderNamespace, name: names.Endpoints })?.spec;
      const { clusterID } = before ?? {};
      if (!equal(before?.endpoints, { subsets }))
        write(names.Endpoints, { kind: 'Endpoints', namespace, name, clusterID, endpoints: { subsets } });
    }
    for (const object of all) {
      if (object.metadata.deletionTimestamp !== undefined) {
        admin.remove(ResourceExport, object.metadata);
      } else if (object.status?.conditions?.[0]?.type !== (isConflicting ? 'Failure' : 'Succeeded')) {
        const lastTransitionTime = rfc3339(fleet.clock.now());
        const conditions = isConflicting
          ? [{ type: 'Failure', status: 'False', reason: 'ConvergeFailure', lastTransitionTime }]
          : [{ type: 'Succeeded', status: 'True', lastTransitionTime }];
        admin.patch(ResourceExport, object.metadata, { status: { conditions } });
      }
    }
  };
  const later = ({ spec }: ResourceExport) => {
    const { kind, namespace = '', name = '' } = spec ?? {};
    if (kind === 'Service' || kind === 'Endpoints') fleet.clock.after(delayMs, () => reconcile(namespace, name));
  };
  const accept = ({ metadata: { namespace = '', name } }: Pick<MemberClusterAnnounce, 'metadata'>) => {
    const found = admin.get(MemberClusterAnnounce, { namespace, name });
    const finalizer = memberAnnounceFinalizer(found?.clusterID ?? '');
    const { finalizers = [], deletionTimestamp } = found?.metadata ?? {};
    if (ended || found === undefined) return;
    if (deletionTimestamp !== undefined) {
      for (const { metadata, spec } of admin.list(ResourceExport, leaderNamespace))
        if (spec?.clusterID === found.clusterID) admin.delete(ResourceExport, metadata);
      admin.remove(MemberClusterAnnounce, found.metadata);
      return;
    }
    if (finalizers.includes(finalizer)) return;
    admin.put(MemberClusterAnnounce, {
      ...found,
      metadata: { ...found.metadata, finalizers: [...finalizers, finalizer] },
    });
  };
  for (const object of admin.list(ResourceExport, leaderNamespace)) later(object);
  admin.onChange(({ resource, before, after }) => {
    const object = after ?? before;
    if (resource.endsWith('/resourceexports') && object !== undefined) later(object);
    if (resource.endsWith('/memberclusterannounces') && after !== undefined)
      fleet.clock.after(delayMs, () => accept(after));
  });
  return () => {
    ended = true;
  };
}
