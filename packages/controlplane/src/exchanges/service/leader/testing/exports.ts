/** Exports and imports of the Common Area for tables. Test-only. */
import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { ExportDecision, ExportGroup } from '@isthmus/wire';
import { unknownReaders } from '@isthmus/wire';
import { noAnswers } from '../../../../common-area/write-imports.ts';
import { decideService } from '../decide.ts';

export const now = '2026-11-21T12:00:00Z';
const http = [{ name: 'http', protocol: 'TCP', port: 80 }];

export interface ExportOptions {
  readonly port?: number;
  readonly ip?: string;
  readonly created?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  /** Between Namespace and name, in the name of the export. Default: a dash. */
  readonly joint?: '-' | '.';
}

/**
 * Both halves of `clusterID`'s export of `namespace/name` as an Antrea member writes them, the
 * Service first.
 */
export function exportsOf(clusterID: string, ref: string, options: ExportOptions = {}): readonly ResourceExport[] {
  const [namespace = '', name = ''] = ref.split('/');
  const { port = 80, ip = '10.1.0.1', created = '2026-11-21T10:00:00Z', deleted = false, joint = '-' } = options;
  const ports = [{ name: 'http', protocol: 'TCP', port }];
  const half = (kind: 'Service' | 'Endpoints', payload: NonNullable<ResourceExport['spec']>): ResourceExport => ({
    metadata: {
      name: `${clusterID}-${namespace}${joint}${name}-${kind.toLowerCase()}`,
      namespace: 'antrea-multicluster',
      uid: `${clusterID} ${ref} ${kind}`,
      creationTimestamp: created,
      labels: { sourceClusterID: clusterID, sourceNamespace: namespace, sourceName: name, sourceKind: kind },
      annotations: kind === 'Service' ? options.annotations : undefined,
      finalizers: options.finalizers ?? ['resourceexport.antrea.io/finalizer'],
      deletionTimestamp: deleted ? now : undefined,
    },
    spec: { clusterID, namespace, name, kind, ...payload },
  });
  return [
    half('Service', { service: { serviceSpec: { ports } } }),
    half('Endpoints', { endpoints: { subsets: [{ addresses: [{ ip }], ports }] } }),
  ];
}

/** An import of a Service as an Antrea leader writes it: no labels. */
export function antreaImport(name: string, ref: string, kind: 'ServiceImport' | 'Endpoints'): ResourceImport {
  const [namespace = '', service = ''] = ref.split('/');
  const payload =
    kind === 'ServiceImport'
      ? { serviceImport: { spec: { type: 'ClusterSetIP' as const, ports: http } } }
      : { endpoints: { subsets: [] } };
  return {
    metadata: { name, namespace: 'antrea-multicluster', uid: name },
    spec: { kind, namespace, name: service, ...payload },
  };
}

export function ours(object: ResourceImport): ResourceImport {
  return {
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, 'app.kubernetes.io/managed-by': 'isthmus' } },
  };
}

/** Every export has been incomplete for so long that the leader no longer waits. */
function longAgo(exports: readonly ResourceExport[]): ReadonlyMap<string, number> {
  return new Map(exports.map(({ metadata }) => [metadata.uid ?? '', 60_000]));
}

export function decide(
  exports: readonly ResourceExport[],
  imports: readonly ResourceImport[] = [],
  group: Partial<ExportGroup> = {},
): ExportDecision {
  return decideService({
    exports,
    imports,
    now,
    readers: unknownReaders,
    incompleteForMs: longAgo(exports),
    ...noAnswers,
    ...group,
  });
}

/** The statuses, sorted: `name`, and `name=message` for a failure. */
export function saidOf({ statuses }: ExportDecision): readonly string[] {
  return statuses
    .map(({ object, conditions: [first] }) =>
      first?.status === 'True' ? object.metadata.name : `${object.metadata.name}=${first?.message ?? ''}`,
    )
    .toSorted();
}

/** The names of the wanted imports in their order, each with its Service. */
export function wantedOf({ wanted }: ExportDecision): readonly string[] {
  return wanted.map(({ metadata, spec }) => `${metadata.name} ${spec?.namespace}/${spec?.name}`);
}
