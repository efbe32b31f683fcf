import type { ResourceExport as ResourceExportObject, ResourceImport as ResourceImportObject } from '@isthmus/api';
import {
  Annotation,
  EndpointSlice,
  Label,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  SourceKind,
  importedPrefix,
} from '@isthmus/api';
import { canonicalJson } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import { fleetState } from '@isthmus/fleet-sim';
import { isUsualAnswer, soleSource } from '@isthmus/wire';

/**
 * The state that two runs with the same final wishes must have in common. It is fleetState without
 * the names of slices and the addresses of derived Services, which depend on earlier objects. The
 * times of first export are left out too, since they show when the wishes arrived. Only the fact
 * that the leader has recorded one for each exporter is compared. Its copies are written with later
 * writes.
 */
export function convergedState(fleet: VirtualFleet): readonly string[] {
  return fleetState(fleet)
    .flatMap((shown) => {
      // Whether two exports have the same second is reported, and is chance.
      const line = shown
        .replaceAll('; ties go to the lower cluster ID', '')
        .replaceAll(/"isthmus.dev\/cluster-uid":"[^"]*"/g, '"isthmus.dev/cluster-uid":"of this cluster"');
      const [cluster = '', kind = '', ref = ''] = line.split(' ', 3);
      const read = JSON.parse(line.slice(cluster.length + kind.length + ref.length + 3)) as Loose;
      const object = withoutUsualAnswer(kind, withoutTimes(kind, read));
      const [namespace = '', name = ''] = ref.split('/');
      switch (kind) {
        case EndpointSlice.kind:
          return [`${cluster} ${kind} ${namespace}/* ${canonicalJson(sliceContent(object))}`];
        case Service.kind: {
          if (!isDerived(object)) return [line];
          const spec = { ...object.spec, clusterIP: shownIP(object.spec?.['clusterIP']), clusterIPs: undefined };
          return [`${cluster} ${kind} ${ref} ${canonicalJson({ ...object, spec })}`];
        }
        case ServiceImport.kind: {
          const derived = fleet
            .cluster(cluster)
            .server.admin.get(Service, { namespace, name: `${importedPrefix}${name}` });
          const ips = derived?.spec?.clusterIPs?.filter((ip) => ip !== 'None') ?? [];
          const same = canonicalJson(object.spec?.['ips'] ?? []) === canonicalJson(ips);
          const spec = { ...object.spec, ips: same ? 'those of the Service' : object.spec?.['ips'] };
          return [`${cluster} ${kind} ${ref} ${canonicalJson({ ...object, spec })}`];
        }
        case ResourceImport.kind:
          return inLongForm(object).map(
            (one) => `${cluster} ${kind} ${namespace}/${String(one.metadata['name'])} ${canonicalJson(one)}`,
          );
        default:
          return [`${cluster} ${kind} ${ref} ${canonicalJson(object)}`];
      }
    })
    .toSorted();
}

function withoutTimes(kind: string, object: Loose): Loose {
  const { [Annotation.firstExported]: time, ...others } = (object.metadata['annotations'] ?? {}) as Loose['metadata'];
  if (time === undefined) return object;
  const noted = kind === ResourceImport.kind ? { [Annotation.firstExported]: 'some' } : {};
  const annotations = { ...others, ...noted };
  const isEmpty = Object.keys(annotations).length === 0;
  return { ...object, metadata: { ...object.metadata, annotations: isEmpty ? undefined : annotations } };
}

/**
 * The form of the imports, and whether an import is the only answer, depends on earlier exporters
 * (docs/spec/wire.md §9). Both forms are compared as the longer one: the endpoints of a single
 * exporter in a separate import, and no usual answers.
 */
function inLongForm(object: Loose): readonly Loose[] {
  const { endpointSlices, clusterID: _, ...spec } = object.spec ?? {};
  if (spec['kind'] !== SourceKind.endpoints) return [object];
  const labels = object.metadata['labels'] as Readonly<Record<string, string>>;
  const {
    [Annotation.firstExported]: __,
    [Annotation.sourceWithdrawals]: ___,
    ...annotations
  } = (object.metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  const merged = {
    ...object,
    metadata: { ...object.metadata, annotations, labels: { ...labels, [Label.sourceKind]: SourceKind.endpoints } },
    spec,
  };
  const sole = soleSource(object as unknown as ResourceImportObject);
  if (sole === undefined) return [merged];
  const own = {
    ...object,
    metadata: {
      ...object.metadata,
      name: `${String(object.metadata['name'])}.${sole}`,
      labels: { ...labels, [Label.sourceKind]: SourceKind.endpointSlices, [Label.sourceClusterID]: sole },
    },
    spec: { kind: SourceKind.endpointSlices, namespace: spec['namespace'], name: spec['name'], endpointSlices },
  };
  return [own, merged];
}

function withoutUsualAnswer(kind: string, object: Loose): Loose {
  const { conditions } = (object.status ?? {}) as NonNullable<ResourceExportObject['status']>;
  if (kind !== ResourceExport.kind || conditions === undefined) return object;
  return isUsualAnswer(conditions) ? { ...object, status: undefined } : object;
}

interface Loose {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

function isDerived({ metadata }: Loose): boolean {
  const annotations = (metadata['annotations'] ?? {}) as Readonly<Record<string, string>>;
  return annotations[Annotation.importedService] !== undefined;
}

function shownIP(ip: unknown): string {
  return ip === 'None' ? 'None' : 'some';
}

/** Endpoints in a fixed order: within a slice, their order depends on when each appeared. */
function sliceContent(slice: Loose): unknown {
  const { name: _, generateName: __, ...metadata } = slice.metadata;
  const { endpoints } = slice as { readonly endpoints?: readonly unknown[] | null };
  return { ...slice, metadata, endpoints: endpoints?.map(canonicalJson).toSorted() };
}
