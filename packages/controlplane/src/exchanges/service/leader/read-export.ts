import type { ResourceExport } from '@isthmus/api';
import { Annotation, Label, SourceKind, clusterIDErrors, joinedName, resourceExportName } from '@isthmus/api';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import { overLimits } from '../../../common-area/limits.ts';

/** A ResourceExport of a Service or of its endpoints whose required fields are valid. */
export interface ReadExport {
  readonly kind: 'Service' | 'Endpoints';
  readonly clusterID: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: ResourceExport;
  /** Why its cluster may not export it, if it stays published. A sentence without a full stop. */
  readonly denied?: string | undefined;
}

/**
 * The name under which the exports of `namespace/name` merge. Tuples with the same base share the
 * names of their imports (docs/spec/wire.md §5).
 */
function importBase(namespace: string, name: string): string {
  return `${namespace}-${name}`;
}

/**
 * The queue keys of a ResourceExport. The key is the base of its imports, so that all exports that
 * could share a name are decided together. An export without a base gets its own key. Empty for
 * kinds that are not merged here.
 */
export function mergeKeys(object: ResourceExport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  if (kind !== SourceKind.service && kind !== SourceKind.endpoints) return [];
  return placeable(namespace, name) ? [importBase(namespace, name)] : [unplacedKey(object.metadata.name)];
}

function placeable(namespace: string, name: string): boolean {
  return dns1123LabelErrors(namespace).length === 0 && dns1123LabelErrors(name).length === 0;
}

// A base never contains a slash, so the two kinds of keys cannot be confused.
const unplacedPrefix = 'unplaced/';

function unplacedKey(objectName: string): string {
  return `${unplacedPrefix}${objectName}`;
}

/**
 * Reads a member's export. Other clusters are not trusted. Every field that decides where the
 * export goes is checked, in the order of the admission rules (docs/spec/wire.md §10). Objects that
 * were created while no webhook ran have never been checked.
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
  const unread = kind === SourceKind.endpoints ? unreadForm(object) : undefined;
  if (unread !== undefined) return { problem: unread };
  const wrong = [
    ...clusterIDErrors(clusterID).map((error) => `spec.clusterID ${quoted(clusterID)}: ${error}`),
    ...dns1123LabelErrors(namespace).map((error) => `spec.namespace ${quoted(namespace)}: ${error}`),
    ...dns1123LabelErrors(name).map((error) => `spec.name ${quoted(name)}: ${error}`),
  ];
  if (wrong.length > 0) return { problem: wrong.join('; ') };
  const expected = resourceExportName(clusterID, namespace, name, kind);
  if (joinedExportName(object) !== expected) {
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
 * Later members of Antrea write endpoints in the form of EndpointSlices, in place of subsets
 * (antrea PR 7836). To merge them as none would withdraw the endpoints without a report.
 */
function unreadForm({ spec }: ResourceExport): string | undefined {
  const { endpoints, endpointSlices } = spec ?? {};
  const isRead = endpointSlices !== undefined || endpoints?.subsets !== undefined;
  const fields = (['endpoints', 'ports'] as const).filter((field) => (endpoints?.[field] ?? []).length > 0);
  if (isRead || fields.length === 0) return undefined;
  const named = fields.map((field) => `spec.endpoints.${field}`).join(' and ');
  return `spec.endpoints.subsets is missing, and this release does not read ${named}`;
}

/** The name of the export with a dash between Namespace and name, also if it has a dot there. */
function joinedExportName({ metadata, spec }: ResourceExport): string {
  return joinedName(metadata.name, `${spec?.clusterID ?? ''}-${spec?.namespace ?? ''}`);
}

/**
 * Identifies the export, whichever form its name has. Other objects can have its name, and only
 * that. An export whose name does not follow from its content is identified by its name.
 */
export function exportIdentity(object: ResourceExport): string {
  const { clusterID = '', namespace = '', name = '', kind } = object.spec ?? {};
  const isDerived =
    (kind === SourceKind.service || kind === SourceKind.endpoints) &&
    joinedExportName(object) === resourceExportName(clusterID, namespace, name, kind);
  return isDerived ? `${clusterID}/${namespace}/${name}/${kind}` : object.metadata.name;
}

/**
 * Whether the cluster named in the export can see it. Members watch objects with their label, and
 * every release writes it. An export without it was made or changed by another client, and that
 * cluster could neither correct nor withdraw it.
 */
export function isSeenByItsCluster({ metadata, spec }: ResourceExport): boolean {
  return metadata.labels?.[Label.sourceClusterID] === spec?.clusterID;
}

/**
 * Whether the endpoints of a ResourceExport are Pod IPs, if its member reports that. An Antrea
 * member does not.
 */
export function endpointIPTypeOf(object: ResourceExport | undefined): 'ClusterIP' | 'PodIP' | undefined {
  const said = object?.metadata.annotations?.[Annotation.endpointIPType];
  return said === 'PodIP' || said === 'ClusterIP' ? said : undefined;
}

function quoted(text: unknown): string {
  return shown(text ?? '');
}
