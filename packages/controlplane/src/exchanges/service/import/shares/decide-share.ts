import type { EndpointSlicePayload } from '@isthmus/api';
import type { DenyDefaults, Grant, RemoteService } from '@isthmus/wire';
import { deniedBy, quotasOf, totalQuotas } from '@isthmus/wire';
import type { Omission, Problem } from '../decide.ts';

/** What this cluster has imported of one other cluster, without the Service that is decided. */
export interface ImportedOf {
  readonly services: number;
  /** Services with a ClusterIP. */
  readonly withAddress: number;
  readonly slices: number;
  readonly endpoints: number;
}

export interface ShareInput {
  readonly namespace: string;
  readonly name: string;
  /** The Namespace of the member's controller. */
  readonly ownNamespace: string;
  readonly remote: RemoteService;
  /** Undefined without a session. */
  readonly ownClusterID: string | undefined;
  /** Whether the Service is imported already: it then stays. */
  readonly isImported: boolean;
  /** What is in use of the part of a cluster. */
  readonly inUseOf: (clusterID: string) => { readonly slices: number; readonly endpoints: number };
  readonly grantOf: (clusterID: string) => Pick<Grant, 'namespaces' | 'quotas'>;
  readonly defaults: DenyDefaults;
  readonly importedOf: (clusterID: string) => ImportedOf;
  /** What this cluster has imported of all others. */
  readonly total: Omit<ImportedOf, 'withAddress'>;
  /** ClusterIPs that imports have, and that imports and further Services can have. */
  readonly addresses: { readonly imported: number; readonly free: number } | undefined;
}

export interface DecidedShare {
  /** The Service without what its clusters may not have here. */
  readonly remote: RemoteService;
  /** Why nothing of it is imported. */
  readonly problem: Problem | undefined;
  /** Why a part of it is left out, or stays although it is denied. */
  readonly omission: Omission | undefined;
}

/**
 * Decides which parts of an offered Service its clusters may have in this one, by Namespace and
 * quota. A Service is imported if one of its clusters may have it. What is imported stays.
 *
 * The endpoints that an Antrea leader merged belong to no known cluster: the defaults count.
 */
export function decideShare(input: ShareInput): DecidedShare {
  const { remote, ownClusterID, isImported, inUseOf } = input;
  if (remote.spec === undefined) return { remote, problem: undefined, omission: undefined };
  const exporters = remote.perCluster.size === 0 ? [unknownCluster] : [...remote.perCluster.keys()];
  const sources = exporters.filter((clusterID) => clusterID !== ownClusterID);
  const isOwn = sources.length < exporters.length;
  const denials = new Map(sources.map((clusterID) => [clusterID, namespaceDenial(clusterID, input)]));
  const overQuota =
    isImported || isOwn ? [] : sources.map((clusterID) => denials.get(clusterID) ?? serviceDenial(clusterID, input));
  const [first] = overQuota;
  if (first !== undefined && overQuota.every((denial) => denial !== undefined))
    return { remote, problem: { ...first, lookAgainMs }, omission: undefined };
  const omissions: Omission[] = [];
  const perCluster = [...remote.perCluster].flatMap(([clusterID, slices]) => {
    const denial = denials.get(clusterID);
    if (denial !== undefined) omissions.push(denial);
    if (denial !== undefined && inUseOf(clusterID).slices === 0) return [];
    if (clusterID === ownClusterID) return [[clusterID, slices] as const];
    const allowed = withinQuota(clusterID, slices, input);
    if (allowed.omission !== undefined) omissions.push(allowed.omission);
    return [[clusterID, allowed.slices] as const];
  });
  const [omission] = omissions;
  return omission === undefined
    ? { remote, problem: undefined, omission }
    : { remote: { ...remote, perCluster: new Map(perCluster) }, problem: undefined, omission };
}

/** A quota gets room when another cluster's Service is withdrawn, which wakes nothing here. */
const lookAgainMs = 30_000;

/** The cluster of endpoints that an Antrea leader merged. */
export const unknownCluster = '';

type Denial = Omission & { readonly reason: 'NamespaceDenied' | 'OverQuota' };

function namespaceDenial(clusterID: string, input: ShareInput): Denial | undefined {
  const { namespace, name, grantOf, defaults, ownNamespace } = input;
  const entry = deniedBy(namespace, grantOf(clusterID).namespaces ?? {}, defaults);
  if (entry === undefined) return undefined;
  return {
    reason: 'NamespaceDenied',
    message: `${who(clusterID)} may not export Services of Namespace ${namespace} to this cluster: ${entry} is denied. To import ${namespace}/${name}, allow the Namespace in spec.namespaces of KnownCluster ${clusterID} in Namespace ${ownNamespace}.`,
  };
}

/** Why a cluster may have no further Service here. */
function serviceDenial(clusterID: string, input: ShareInput): Denial | undefined {
  const { grantOf, importedOf, total, remote, addresses, ownNamespace } = input;
  const grant = grantOf(clusterID);
  const { services, withAddress } = importedOf(clusterID);
  const cure = `To import more, raise spec.quotas.services of KnownCluster ${clusterID} in Namespace ${ownNamespace}.`;
  const over = (why: string): Denial => ({
    reason: 'OverQuota',
    message: `${who(clusterID)} has ${services} Services in this cluster, ${why}. Further ones are not imported. ${cure}`,
  });
  const { services: quota } = quotasOf(grant);
  if (services >= quota) return over(`and its quota is ${quota}`);
  // An administrator who sets the number knows the Service range.
  if (grant.quotas?.services !== undefined) return undefined;
  if (total.services >= totalQuotas.services) return over(`and all clusters have ${total.services}`);
  const { endpointSlices, endpoints } = totalQuotas;
  if (total.slices >= endpointSlices || total.endpoints >= endpoints)
    return over(`and all clusters have ${total.endpoints} endpoints in ${total.slices} EndpointSlices`);
  if (addresses === undefined || remote.spec?.type === 'Headless') return undefined;
  const { free, imported } = addresses;
  // Several clusters are behind it.
  if (clusterID !== unknownCluster && withAddress >= Math.floor(free / 4))
    return over(`which is a quarter of the ${free} addresses for them`);
  if (imported >= Math.floor(free / 2)) return over(`and all clusters have half of the ${free} addresses for them`);
  return undefined;
}

/** The slices of a cluster that its quota leaves room for, in the order of the leader. */
function withinQuota(
  clusterID: string,
  slices: readonly EndpointSlicePayload[],
  { grantOf, importedOf, total, inUseOf, ownNamespace }: ShareInput,
): { readonly slices: readonly EndpointSlicePayload[]; readonly omission: Denial | undefined } {
  const grant = grantOf(clusterID);
  const quotas = quotasOf(grant);
  const imported = importedOf(clusterID);
  // What is in use stays, in whatever order Services are looked at.
  const inUse = inUseOf(clusterID);
  const left = (quota: 'endpointSlices' | 'endpoints', what: 'slices' | 'endpoints') => {
    const ofAll = grant.quotas?.[quota] === undefined ? totalQuotas[quota] - total[what] + inUse[what] : Infinity;
    return Math.max(Math.min(quotas[quota] - imported[what], ofAll), inUse[what]);
  };
  let slicesLeft = left('endpointSlices', 'slices');
  let endpointsLeft = left('endpoints', 'endpoints');
  let isCut = false;
  const allowed = slices.flatMap((slice) => {
    const endpoints = slice.endpoints.slice(0, Math.max(0, endpointsLeft));
    if (endpoints.length < slice.endpoints.length) isCut = true;
    if (slicesLeft < 1) isCut = true;
    if (slicesLeft < 1 || (endpoints.length === 0 && slice.endpoints.length > 0)) return [];
    slicesLeft -= 1;
    endpointsLeft -= endpoints.length;
    return [endpoints.length === slice.endpoints.length ? slice : { ...slice, endpoints }];
  });
  if (!isCut) return { slices, omission: undefined };
  const message = `${who(clusterID)} has more endpoints than its quota allows in this cluster (${quotas.endpoints} in ${quotas.endpointSlices} EndpointSlices), or all clusters together; some are left out. To import more, raise spec.quotas of KnownCluster ${clusterID} in Namespace ${ownNamespace}.`;
  return { slices: allowed, omission: { reason: 'OverQuota', message } };
}

function who(clusterID: string): string {
  return clusterID === unknownCluster ? 'A cluster of the ClusterSet' : `Cluster ${clusterID}`;
}
