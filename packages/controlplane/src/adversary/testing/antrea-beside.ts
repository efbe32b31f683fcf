import type { ResourceImport } from '@isthmus/api';
import {
  Annotation,
  EndpointSlice,
  Endpoints,
  MemberClusterAnnounce,
  ResourceExport,
  Service,
  ServiceExport,
  ServiceImport,
  importedServiceName,
  memberAnnounceName,
  resourceExportName,
} from '@isthmus/api';
import { equal, rfc3339 } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { leaderNamespace } from '@isthmus/fleet-sim';

/** How long after a change it acts. */
const delayMs = 50;

/**
 * An Antrea member controller (2.7) in a cluster where ours runs too, for the objects that both
 * write (docs/spec/wire.md §7, docs/spec/membership.md §6). It acts on changes of imports,
 * ServiceExports, Services and slices, and compares its exports with its own memory. It never reads
 * what it has written. Returns its writes since the last call, without heartbeats.
 */
export function runAntreaBeside(fleet: VirtualFleet, cluster: VirtualCluster): () => readonly string[] {
  const { admin } = cluster.server;
  const leader = fleet.leader.server.admin;
  const writes: string[] = [];
  const exported = new Map<string, unknown>();
  const later = (act: () => void) => fleet.clock.after(delayMs, act);

  const importService = ({ namespace = '', name = '', serviceImport }: NonNullable<ResourceImport['spec']>) => {
    const ref = { namespace, name: importedServiceName(name) };
    const { ports = [], type = 'ClusterSetIP', sessionAffinity } = serviceImport?.spec ?? {};
    const known = admin.get(Service, ref);
    if (known !== undefined && known.metadata.annotations?.[Annotation.importedService] === undefined) return;
    const plain = ports.map(({ name: portName, port, protocol }) => ({ name: portName, port, protocol }));
    // It always writes: the API server has filled in target ports (defect B16).
    const metadata = known?.metadata ?? { ...ref, annotations: { [Annotation.importedService]: 'true' } };
    const made = admin.put(Service, { metadata, spec: { ...known?.spec, type: 'ClusterIP', ports: plain } });
    writes.push(`Service ${name}`);
    const spec = { type, ports: plain, sessionAffinity, ips: [made.spec?.clusterIP ?? ''] };
    const before = admin.get(ServiceImport, { namespace, name });
    if (before !== undefined && equal(before.spec, spec)) return;
    admin.put(ServiceImport, { ...before, metadata: before?.metadata ?? { namespace, name }, spec });
    writes.push(`ServiceImport ${name}`);
  };
  const importEndpoints = ({ namespace = '', name = '', endpoints }: NonNullable<ResourceImport['spec']>) => {
    const ref = { namespace, name: importedServiceName(name) };
    const before = admin.get(Endpoints, ref);
    const subsets = endpoints?.subsets ?? [];
    if (before !== undefined && equal(before.subsets ?? [], subsets)) return;
    admin.put(Endpoints, { metadata: { ...ref, annotations: { [Annotation.importedService]: 'true' } }, subsets });
    writes.push(`Endpoints ${name}`);
  };
  const exportService = (namespace: string, name: string) => {
    const service = admin.get(Service, { namespace, name });
    if (admin.get(ServiceExport, { namespace, name }) === undefined || service === undefined) return;
    const ports = service.spec?.ports ?? [];
    const ready = admin
      .list(EndpointSlice, namespace)
      .some(
        (slice) =>
          slice.metadata.labels?.['kubernetes.io/service-name'] === name &&
          (slice.endpoints ?? []).some(({ conditions }) => conditions?.ready === true),
      );
    const subsets = ready
      ? [
          {
            addresses: [{ ip: service.spec?.clusterIP ?? '' }],
            ports: ports.map((port) => ({ name: port.name, port: port.port, protocol: port.protocol })),
          },
        ]
      : [];
    for (const [kind, payload] of [
      ['Service', { service: { serviceSpec: { ports } } }],
      ['Endpoints', { endpoints: { subsets } }],
    ] as const) {
      const key = `${kind} ${namespace}/${name}`;
      if (equal(exported.get(key), payload)) continue;
      exported.set(key, payload);
      const ref = { namespace: leaderNamespace, name: resourceExportName(cluster.name, namespace, name, kind) };
      const before = leader.get(ResourceExport, ref);
      const labels = { sourceName: name, sourceNamespace: namespace, sourceClusterID: cluster.name, sourceKind: kind };
      const metadata = {
        ...ref,
        labels,
        finalizers: before?.metadata.finalizers ?? ['resourceexport.antrea.io/finalizer'],
      };
      leader.put(ResourceExport, {
        ...before,
        metadata,
        spec: { clusterID: cluster.name, kind, namespace, name, ...payload },
      });
      writes.push(`${kind} export ${name}`);
    }
  };

  leader.onChange(({ resource, before, after }) => {
    if (!resource.endsWith('/resourceimports') || after === undefined) return;
    const [was, is] = [before, after as ResourceImport];
    if (was?.metadata.generation === is.metadata.generation || is.spec === undefined) return;
    const { spec } = is;
    if (spec.kind === 'ServiceImport') later(() => importService(spec));
    if (spec.kind === 'Endpoints') later(() => importEndpoints(spec));
  });
  admin.onChange(({ resource, before, after }) => {
    const object = after ?? before;
    const { namespace = '', name = '', labels } = object?.metadata ?? {};
    if (resource.endsWith('/serviceexports') || resource === '/services') later(() => exportService(namespace, name));
    if (resource.endsWith('/endpointslices'))
      later(() => exportService(namespace, labels?.['kubernetes.io/service-name'] ?? ''));
  });
  const beat = () => {
    const ref = { namespace: leaderNamespace, name: memberAnnounceName(cluster.name) };
    const found = leader.get(MemberClusterAnnounce, ref);
    const annotations = { ...found?.metadata.annotations, [Annotation.touchTs]: rfc3339(fleet.clock.now()) };
    if (found !== undefined)
      leader.put(MemberClusterAnnounce, { ...found, metadata: { ...found.metadata, annotations } });
    fleet.clock.after(10_000, beat);
  };
  beat();
  return () => writes.splice(0);
}
