import {
  ClusterInfoImport,
  ClusterSet,
  KnownCluster,
  ResourceExport,
  ServiceImport,
  clusterInfoName,
  labelIdentityExportName,
  resourceExportName,
} from '@isthmus/api';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { Attacker, Report } from './attack.ts';
import { importer, leader, shop, third } from './facts.ts';

/** What the leader answers to the network of a cluster. */
export function onNetwork(id: string, by: 'exporter' | 'third', reason: string, says: string): Report {
  const ref = { namespace: leader.namespace, name: clusterInfoName(id) };
  return { by, type: ResourceExport, ref, condition: 'NetworkConflict', reason, says };
}

/** The answer of the leader to the network of the attacker, which it publishes in part. */
export function onNetworkAnswer({ id }: Attacker, says: string): Report {
  const ref = { namespace: leader.namespace, name: clusterInfoName(id) };
  return { by: 'exporter', type: ResourceExport, ref, condition: 'Succeeded', reason: undefined, says };
}

/** The condition of the KnownCluster of the attacker at the leader. */
function onGrant({ id }: Attacker, says: string): Report {
  const ref = { namespace: leader.namespace, name: id };
  return { by: 'leader', type: KnownCluster, ref, condition: 'WithinGrant', reason: 'OutsideGrant', says };
}

/** The condition of the imported network of a cluster, in the importer. */
export function onImport(id: string, reason: string, says: string): Report {
  const ref = { namespace: importer.namespace, name: clusterInfoName(id) };
  return { by: 'importer', type: ClusterInfoImport, ref, condition: 'NetworkConflict', reason, says };
}

/** All who name ranges or gateways beyond the grant of the attacker. */
export function beyondGrant(attacker: Attacker, says: string): readonly Report[] {
  const reason = 'OutsideGrant';
  return [
    onNetwork(attacker.id, 'exporter', reason, says),
    onGrant(attacker, says),
    onImport(attacker.id, reason, says),
  ];
}

/** All who name ranges that no cluster may have. */
export function notAllowed({ id }: Attacker, says: string): readonly Report[] {
  return [onNetwork(id, 'exporter', 'RangeNotAllowed', says), onImport(id, 'RangeNotAllowed', says)];
}

/** An export of a Service, by default that of the attacker, and its reader. */
interface Export {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: 'Service' | 'Endpoints' | undefined;
  readonly by?: 'exporter' | 'leader' | undefined;
}

/** The answer of the leader to the export of a Service. */
export function onExport(
  attacker: Attacker,
  condition: 'Failure' | 'Succeeded' | 'Conflict' | 'ImportFailed',
  reason: string | undefined,
  says: string,
  { namespace = shop, name = attacker.service, kind = 'Service', by = 'exporter' }: Export = {},
): Report {
  const ref = { namespace: leader.namespace, name: resourceExportName(attacker.id, namespace, name, kind) };
  return { by, type: ResourceExport, ref, condition, reason, says };
}

/** The answer of the leader to the third cluster, on the Service that the attacker is after. */
export function onVictim(
  { victim }: Attacker,
  condition: 'Conflict' | 'ImportFailed',
  reason: string,
  says: string,
): Report {
  const ref = { namespace: leader.namespace, name: resourceExportName(third.id, shop, victim, 'Service') };
  return { by: 'third', type: ResourceExport, ref, condition, reason, says };
}

/** The answer of the leader to an export of labels. */
export function onLabels({ id }: Attacker, hash: string, reason: string, says: string): Report {
  const ref = { namespace: leader.namespace, name: labelIdentityExportName(id, hash) };
  return { by: 'exporter', type: ResourceExport, ref, condition: 'Failure', reason, says };
}

/** The importer names it on its ServiceImport. */
export function onServiceImport(name: string, says: string, reason?: string): Report {
  return { by: 'importer', type: ServiceImport, ref: { namespace: shop, name }, condition: 'Ready', reason, says };
}

/** An Event of the importer about its ClusterSet. */
export function onClusterSet(reason: string, says: string): Report {
  const ref = { namespace: importer.namespace, name: clusterSetName };
  return { by: 'importer', type: ClusterSet, ref, reason, says };
}
