import type { ResourceExport } from '@isthmus/api';
import { Annotation, Label, SourceKind, clusterIDErrors, resourceExportName } from '@isthmus/api';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import { overLimits } from '../../../common-area/limits.ts';

/** A ResourceExport of a Service or of its endpoints that says what it must. */
export interface ReadExport {
  readonly kind: 'Service' | 'Endpoints';
  readonly clusterID: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: ResourceExport;
}

/** Where the exports of `namespace/name` merge: tuples that share this share the names of their imports (docs/spec/wire.md §5). */
function importBase(namespace: string, name: string): string {
  return `${namespace}-${name}`;
}

/**
 * The queue key of a ResourceExport: the base of its imports, so that all that could meet under one name is decided in one place; or
 * a key of its own for one that cannot be placed. Nothing for kinds that are not merged here.
 */
export function mergeKeys(object: ResourceExport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  if (kind !== SourceKind.service && kind !== SourceKind.endpoints) return [];
  return placeable(namespace, name) ? [importBase(namespace, name)] : [unplacedKey(object.metadata.name)];
}

function placeable(namespace: string, name: string): boolean {
  return dns1123LabelErrors(namespace).length === 0 && dns1123LabelErrors(name).length === 0;
}

// A slash never occurs in a base: the two cannot be confused.
const unplacedPrefix = 'unplaced/';

function unplacedKey(objectName: string): string {
  return `${unplacedPrefix}${objectName}`;
}

/**
 * Reads what a member wrote. Other clusters are not trusted: every field that decides where the export goes is checked, in the
 * order of the admission rules (docs/spec/wire.md §10), because objects made while no webhook ran were never checked.
 */
export function readExport(object: ResourceExport): ReadExport | { readonly problem: string } {
  const { kind, namespace = '', name = '', clusterID = '', service, endpoints } = object.spec ?? {};
  if (kind !== SourceKind.service && kind !== SourceKind.endpoints)
    return { problem: `spec.kind ${quoted(kind)} is not Service or Endpoints` };
  const ignored = overLimits(object);
  if (ignored !== undefined) return { problem: ignored };
  if (kind === SourceKind.service && service?.serviceSpec === undefined)
    return { problem: 'spec.service.serviceSpec is missing' };
  if (kind === SourceKind.endpoints && endpoints === undefined) return { problem: 'spec.endpoints is missing' };
  const wrong = [
    ...clusterIDErrors(clusterID).map((error) => `spec.clusterID ${quoted(clusterID)}: ${error}`),
    ...dns1123LabelErrors(namespace).map((error) => `spec.namespace ${quoted(namespace)}: ${error}`),
    ...dns1123LabelErrors(name).map((error) => `spec.name ${quoted(name)}: ${error}`),
  ];
  if (wrong.length > 0) return { problem: wrong.join('; ') };
  const expected = resourceExportName(clusterID, namespace, name, kind);
  if (object.metadata.name !== expected) {
    return { problem: `the name must be ${expected} to match spec` };
  }
  if (!isSeenByItsCluster(object)) {
    const label = quoted(object.metadata.labels?.[Label.sourceClusterID]);
    return {
      problem: `label ${Label.sourceClusterID} is ${label}; it must be "${clusterID}" to match spec.clusterID, since cluster ${clusterID} sees no other exports`,
    };
  }
  return { kind, clusterID, namespace, name, object };
}

/**
 * Whether the cluster that the export is of can see it. Members watch what carries their label, and every release writes it: an export without it
 * was made or changed by somebody else, and that cluster could neither take it back nor withdraw it.
 */
export function isSeenByItsCluster({ metadata, spec }: ResourceExport): boolean {
  return metadata.labels?.[Label.sourceClusterID] === spec?.clusterID;
}

/** Whether the endpoints of a ResourceExport are Pod IPs, as far as its member says so; an Antrea member doesn't. */
export function endpointIPTypeOf(object: ResourceExport | undefined): 'ClusterIP' | 'PodIP' | undefined {
  const said = object?.metadata.annotations?.[Annotation.endpointIPType];
  return said === 'PodIP' || said === 'ClusterIP' ? said : undefined;
}

function quoted(text: unknown): string {
  return shown(text ?? '');
}
