import type { EndpointSlicePayload, EndpointSubset, ResourceExport, ResourceImport } from '@isthmus/api';
import { canonicalAddress, firstNames, parseAddress } from '@isthmus/machinery';
import type { ExportGroup, Grant } from '@isthmus/wire';
import { defaultLeaderConfig, deniedBy, denyDefaults } from '@isthmus/wire';
import { rangeSetOf } from '../../../own-cluster/range-set.ts';
import type { ReadExport } from './read-export.ts';
import { readExport } from './read-export.ts';
import { sourceCluster } from './substitutes.ts';

/**
 * Reads an export as far as the grant of its cluster allows. Nothing is read of a cluster that an
 * administrator refuses, nor of a Namespace that is denied to it and not published yet.
 */
export function readGranted(object: ResourceExport, group: ExportGroup): ReadExport | { readonly problem: string } {
  const result = readExport(object);
  if ('problem' in result) return { problem: `${result.problem}. The exporting member must correct it.` };
  const { namespace, name, clusterID } = result;
  const { grantOf, config = defaultLeaderConfig, imports } = group;
  const ownNamespace = object.metadata.namespace ?? '';
  const grant = grantOf?.(clusterID);
  if (grant?.state === 'Refused')
    return {
      problem: `an administrator of the leader rejects cluster ${clusterID}. On the leader, the command that accepts it is in: kubectl -n ${ownNamespace} describe knowncluster ${clusterID}`,
    };
  const isPublished = imports.some(
    (one) => sourceCluster(one) === clusterID && one.spec?.namespace === namespace && one.spec.name === name,
  );
  if (grant?.state === 'Held' && grant.areServicesFree !== true && !isPublished)
    return {
      problem: `cluster ${clusterID} waits for an administrator of the leader, and nothing new of it is published. On the leader, the command that accepts it is in: kubectl -n ${ownNamespace} describe knowncluster ${clusterID}`,
    };
  const entry = deniedBy(namespace, grant?.namespaces ?? {}, denyDefaults(config, ownNamespace));
  if (entry === undefined) return result;
  const denied = `cluster ${clusterID} may not export Services of Namespace ${namespace}: ${entry} is denied. On the leader, allow the Namespace in spec.namespaces of KnownCluster ${clusterID} in Namespace ${ownNamespace}: kubectl explain knowncluster.spec.namespaces`;
  return isPublished ? { ...result, denied: `Kept as published before: ${denied}` } : { problem: denied };
}

/** The endpoints of one export, in both forms of the wire format. */
export interface PublishedEndpoints {
  readonly subsets: readonly EndpointSubset[] | undefined;
  readonly endpointSlices: readonly EndpointSlicePayload[] | undefined;
}

interface GrantedEndpoints extends PublishedEndpoints {
  /** What the exporter has to know about those that are not granted. Without a full stop. */
  readonly note: string | undefined;
}

/** The limit on endpoints that a note names. */
const mostNamed = 3;

/**
 * The endpoints that a cluster may have. Where an administrator names its Pod and Service CIDRs,
 * they are in these, or among its gateways. Those that are published already stay, and are
 * reported: earlier releases did not compare endpoints with grants.
 */
export function grantedEndpoints(
  { object, clusterID }: ReadExport,
  grant: Grant | undefined,
  published: readonly ResourceImport[],
): GrantedEndpoints {
  const { endpoints, endpointSlices } = object.spec ?? {};
  const all: PublishedEndpoints = { subsets: endpoints?.subsets, endpointSlices };
  if (grant?.isByPerson !== true || grant.pods === undefined || grant.services === undefined)
    return { ...all, note: undefined };
  const ranges = rangeSetOf([...grant.pods, ...grant.services, ...(grant.gateways ?? [])]);
  // What is not an address has a report of its own.
  const isGranted = (text: string) => {
    const address = parseAddress(text);
    return address === undefined || ranges.has(address);
  };
  const outside = new Set(addressesOf(all).filter((address) => !isGranted(address)));
  if (outside.size === 0) return { ...all, note: undefined };
  // Exports have texts as they were written.
  const inUse = new Set(
    publishedFor(clusterID, published)
      .flatMap((one) => addressesOf(payloadOf(one)))
      .map(canonicalAddress),
  );
  const leftOut = new Set([...outside].filter((address) => !inUse.has(canonicalAddress(address))));
  const kept = [...outside].filter((address) => inUse.has(canonicalAddress(address)));
  const parts = [
    ...(leftOut.size === 0 ? [] : [`left out: ${firstNames([...leftOut], mostNamed)}`]),
    ...(kept.length === 0 ? [] : [`kept because they are in use: ${firstNames(kept, mostNamed)}`]),
  ];
  return {
    ...withoutAddresses(all, leftOut),
    note: `Endpoints that are not granted to cluster ${clusterID} are ${parts.join(', and ')}. To grant them, name their ranges on the leader: kubectl -n ${object.metadata.namespace} edit knowncluster ${clusterID}`,
  };
}

/**
 * What is published of a cluster. The list of all exporters counts only if there is no other: it
 * has the endpoints of each.
 */
function publishedFor(clusterID: string, published: readonly ResourceImport[]): readonly ResourceImport[] {
  const ofClusters = published.filter((one) => sourceCluster(one) !== undefined);
  return ofClusters.length === 0 ? published : ofClusters.filter((one) => sourceCluster(one) === clusterID);
}

function payloadOf({ spec }: ResourceImport): PublishedEndpoints {
  return { subsets: spec?.endpoints?.subsets, endpointSlices: spec?.endpointSlices };
}

function addressesOf({ subsets = [], endpointSlices = [] }: PublishedEndpoints): readonly string[] {
  const ofSlices = endpointSlices
    .flatMap(({ endpoints, pods = [] }) => [...endpoints, ...pods.flatMap((one) => one.endpoints)])
    .flatMap(({ addresses }) => addresses);
  const ofSubsets = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
    ...addresses,
    ...notReadyAddresses,
  ]);
  return [...ofSubsets.map(({ ip }) => ip), ...ofSlices];
}

function withoutAddresses(all: PublishedEndpoints, leftOut: ReadonlySet<string>): PublishedEndpoints {
  const remaining = <E extends { readonly addresses: readonly string[] }>(endpoints: readonly E[]): readonly E[] =>
    endpoints
      .map((one) => ({ ...one, addresses: one.addresses.filter((address) => !leftOut.has(address)) }))
      .filter(({ addresses }) => addresses.length > 0);
  return {
    subsets: all.subsets
      ?.map(({ addresses, notReadyAddresses, ports }) => ({
        addresses: addresses?.filter(({ ip }) => !leftOut.has(ip)),
        notReadyAddresses: notReadyAddresses?.filter(({ ip }) => !leftOut.has(ip)),
        ports,
      }))
      .filter((one) => (one.addresses?.length ?? 0) + (one.notReadyAddresses?.length ?? 0) > 0),
    endpointSlices: all.endpointSlices
      ?.map(({ endpoints, pods, ...others }) => ({
        ...others,
        endpoints: remaining(endpoints),
        pods: pods?.map((one) => ({ ...one, endpoints: remaining(one.endpoints) })),
      }))
      // Agents use the Pods behind a ClusterIP without it.
      .filter(({ endpoints, pods }) => endpoints.length > 0 || pods?.some((one) => one.endpoints.length > 0)),
  };
}
