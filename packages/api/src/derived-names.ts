import { dns1123SubdomainErrors, fnv1aOfText, labelValueErrors } from '@isthmus/machinery';
import type { SourceKind } from './names.ts';
import { Finalizer, importedPrefix } from './names.ts';

/**
 * Names that are computed from others (docs/spec/wire.md §5). They are concatenations, so distinct
 * inputs can result in one name. Therefore objects under a name are always checked against
 * `spec.namespace`, `spec.name` and `spec.kind`. Names are not cut: the API server rejects a name
 * beyond its limit.
 */

/** The kinds of export that belong to one Service. */
export type ServiceExportKind = 'Service' | 'Endpoints';

/** `<clusterID>-<namespace>-<name>-service`, `…-endpoints`. */
export function resourceExportName(
  clusterID: string,
  namespace: string,
  name: string,
  kind: ServiceExportKind,
): string {
  return `${clusterID}-${namespace}-${name}-${kind.toLowerCase()}`;
}

/**
 * The dotted form of a name of an export or import that begins with `start` and a dash. Neither a
 * Namespace nor the name of a Service contains a dot, so two Services of one cluster never share
 * such a name (docs/spec/wire.md §5). `start` is the Namespace, in an export behind the cluster ID
 * and a dash.
 */
export function dottedName(name: string, start: string): string {
  return `${start}.${name.slice(start.length + 1)}`;
}

/** The name with a dash in place of the dot, if it has the form of {@link dottedName}. */
export function joinedName(name: string, start: string): string {
  return name.startsWith(`${start}.`) ? `${start}-${name.slice(start.length + 1)}` : name;
}

/**
 * Whether an import of a Service of this Namespace can have the dotted form. Otherwise it could
 * have the name of a {@link perClusterImportName}.
 */
export function mayBeDotted(namespace: string): boolean {
  return !namespace.endsWith('-endpoints');
}

/** `<clusterID>-clusterinfo`: the name of the export and of its import. */
export function clusterInfoName(clusterID: string): string {
  return `${clusterID}-clusterinfo`;
}

/**
 * `isthmus-gateway-<node>`: the Lease by which the agent on a Node that can be a gateway shows that
 * it is alive.
 */
export function gatewayLeaseName(node: string): string {
  return `isthmus-gateway-${node}`;
}

/** `<clusterID>-<hash>`. */
export function labelIdentityExportName(clusterID: string, hash: string): string {
  return `${clusterID}-${hash}`;
}

/**
 * The two parts of {@link labelIdentityExportName}: the hash has no dash, the cluster ID may.
 * Undefined where there is no dash.
 */
export function parseLabelIdentityExportName(
  name: string,
): { readonly clusterID: string; readonly hash: string } | undefined {
  const dash = name.lastIndexOf('-');
  return dash < 0 ? undefined : { clusterID: name.slice(0, dash), hash: name.slice(dash + 1) };
}

/**
 * `[<namespace>-]<name>-<kind in lower case>`: the import that exports of that kind merge into.
 * `kind` is the export's: the import of a Service has `spec.kind: ServiceImport`, though its name
 * ends in `-service`.
 */
export function resourceImportName(
  namespace: string | undefined,
  name: string,
  kind: ServiceExportKind | typeof SourceKind.clusterNetworkPolicy,
): string {
  return `${namespace ? `${namespace}-` : ''}${name}-${kind.toLowerCase()}`;
}

/**
 * `<namespace>-<name>-endpoints.<clusterID>`: the endpoints of one Service in one cluster
 * (docs/spec/wire.md §9).
 */
export function perClusterImportName(namespace: string, name: string, clusterID: string): string {
  return `${resourceImportName(namespace, name, 'Endpoints')}.${clusterID}`;
}

/** `member-announce-from-<clusterID>`. */
export function memberAnnounceName(clusterID: string): string {
  return `member-announce-from-${clusterID}`;
}

/** The finalizer that the leader keeps on a MemberClusterAnnounce. */
export function memberAnnounceFinalizer(clusterID: string): string {
  return `${memberAnnounceFinalizerPrefix}${clusterID}`;
}

/** True for the finalizer that a leader keeps on a MemberClusterAnnounce, of whichever cluster. */
export function isMemberAnnounceFinalizer(finalizer: string): boolean {
  return finalizer.startsWith(memberAnnounceFinalizerPrefix);
}

const memberAnnounceFinalizerPrefix = 'memberclusterannounce.finalizer.antrea.io/';

/** `antrea-mc-<name>`: the local Service of an imported one. */
export function importedServiceName(name: string): string {
  return `${importedPrefix}${name}`;
}

/**
 * The name of the Service whose import is named so: the inverse of {@link importedServiceName}.
 * Undefined where it is not such a name.
 */
export function exportedServiceName(derived: string): string | undefined {
  return derived.startsWith(importedPrefix) ? derived.slice(importedPrefix.length) : undefined;
}

/**
 * The longest name of a Service that {@link importedServiceName} keeps within the 63 bytes of a
 * Service's name.
 */
export const maxImportableNameLength = 63 - importedPrefix.length;

/** `antrea-mc-<name>`: the local ClusterNetworkPolicy of a replicated one. */
export function importedPolicyName(name: string): string {
  return `${importedPrefix}${name}`;
}

/**
 * How the names of the EndpointSlices begin that hold what `clusterID` serves of an imported
 * Service; without `clusterID`, what an Antrea leader merged. The hash keeps Service `cart` of
 * cluster `east-1` apart from Service `cart-east` of cluster `1`.
 */
export function importedSlicePrefix(name: string, clusterID: string | undefined): string {
  const cluster = clusterID === undefined ? '' : `-${clusterID}`;
  return `${importedServiceName(name)}${cluster}-${shortHash(`${name}/${clusterID ?? ''}`)}`;
}

/**
 * How the names of the EndpointSlices begin that hold the Pods behind what `clusterID` serves of an
 * imported Service, for the agents of our data plane.
 */
export function importedPodSlicePrefix(name: string, clusterID: string | undefined): string {
  return `${importedSlicePrefix(name, clusterID)}-${podsPart}`;
}

const podsPart = 'pods';

/** The content of an EndpointSlice of an import, by its name. */
export interface ImportedSliceSource {
  /** Undefined: merged by an Antrea leader. */
  readonly clusterID: string | undefined;
  /** Whether it holds the Pods behind the endpoints, see {@link importedPodSlicePrefix}. */
  readonly arePods: boolean;
}

/**
 * The source of the endpoints in an EndpointSlice of the import of Service `name`, by the slice's
 * name (see {@link importedSlicePrefix}): `clusterID`, or merged. Undefined if the name has another
 * form.
 */
export function importedSliceSource(sliceName: string, name: string): ImportedSliceSource | undefined {
  const start = `${importedServiceName(name)}-`;
  if (!sliceName.startsWith(start)) return undefined;
  const words = sliceName.slice(start.length).split('-');
  const at = words.findIndex((hash, index) => hash === shortHash(`${name}/${words.slice(0, index).join('-')}`));
  if (at < 0) return undefined;
  return { clusterID: at === 0 ? undefined : words.slice(0, at).join('-'), arePods: words[at + 1] === podsPart };
}

/**
 * True for either finalizer of a ResourceExport: the current one and that of Antrea before 2.1.1.
 */
export function isResourceExportFinalizer(finalizer: string): boolean {
  return finalizer === Finalizer.resourceExport || finalizer === Finalizer.legacyResourceExport;
}

/**
 * Why `clusterID` is not a valid ID of a cluster; empty if it is. The ID becomes part of object
 * names (RFC 1123, lower case), the value of a label and the suffix of a finalizer
 * (docs/spec/wire.md §5). Neither schema checks this.
 */
export function clusterIDErrors(clusterID: string): readonly string[] {
  if (clusterID === '') return ['must not be empty'];
  const errors = [...dns1123SubdomainErrors(clusterID), ...labelValueErrors(clusterID)];
  return [...new Set(errors)];
}

/**
 * The IDs without errors by {@link clusterIDErrors}, as a pattern that RE2 and JavaScript read
 * alike. It does not limit the length: 63 characters.
 */
export const clusterIDPattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

/**
 * FNV-1a over UTF-16 units, 32 bits, as 7 characters of base 36. Different names rarely share a
 * hash; collisions are easy to make on purpose.
 */
function shortHash(text: string): string {
  return fnv1aOfText(text).toString(36).padStart(7, '0');
}

/**
 * `member-<clusterID>`: ServiceAccount, RoleBinding and Secret of a member at its leader. Tokens of
 * the account are bound to the Secret, so its deletion ends them.
 */
export function memberAccountName(clusterID: string): string {
  return `member-${clusterID}`;
}

/**
 * `join-<clusterID>`: ServiceAccount, Role, RoleBinding and Secret of a join file at the leader.
 * The deletion of the Secret ends its token. Until an API server notices, the deletion of the
 * RoleBinding does.
 */
export function joinAccountName(clusterID: string): string {
  return `${joinPrefix}${clusterID}`;
}

/** The cluster of a {@link joinAccountName}; undefined for another name. */
export function parseJoinAccountName(name: string): string | undefined {
  return name.startsWith(joinPrefix) ? name.slice(joinPrefix.length) : undefined;
}

const joinPrefix = 'join-';

/**
 * `renew-<clusterID>`: Role and RoleBinding by which a member renews its token, and deletes what
 * its join file needed.
 */
export function renewalRoleName(clusterID: string): string {
  return `renew-${clusterID}`;
}

/** By which name an API server knows the bearer of a token of this ServiceAccount. */
export function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
