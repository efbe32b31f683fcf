import { canonicalJson } from '@isthmus/machinery';
import type { ClusterSnapshot, FleetSnapshot } from './fleet-snapshot.ts';

/** The state that a plan is bound to. */
export interface FleetFingerprint {
  /** Over all clusters, ClusterSets and clients. */
  readonly fleet: string;
  /** By name of the cluster, bytewise. */
  readonly clusters: readonly { readonly name: string; readonly fingerprint: string }[];
}

/**
 * SHA-256 of the observed state: of each cluster as a whole, and over all of them with ClusterSets
 * and clients. It does not cover `metadata`, `takenAt`, how and when a cluster was read, how long
 * rollouts took, or the order of lists. So a snapshot of an unchanged fleet has the same
 * fingerprint a day later. `resourceVersion` and `managedFields` of live objects do not count,
 * since every status write changes them.
 */
export function fingerprintOf({ spec }: FleetSnapshot, sha256: (text: string) => string): FleetFingerprint {
  const clusters = spec.clusters
    .map((cluster) => ({ name: cluster.name, fingerprint: `sha256:${sha256(canonicalJson(settledForm(cluster)))}` }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rest = {
    clusterSets: sorted(spec.clusterSets.map((one) => ({ ...one, members: one.members.toSorted() }))),
    clients: sorted(spec.clients),
  };
  return { fleet: `sha256:${sha256(canonicalJson({ clusters, ...rest }))}`, clusters };
}

function settledForm(cluster: ClusterSnapshot): unknown {
  const { context: _, readAt: __, notRead: ___, sharedDefinitions: ____, ...state } = cluster;
  return {
    ...state,
    roles: cluster.roles.toSorted(),
    components: sorted(
      cluster.components.map((one) => ({
        ...one,
        live: sorted(one.live.map(withoutTime)),
        handSet: one.handSet.toSorted(),
      })),
    ),
    definitions: sorted(cluster.definitions.map(withoutBookkeeping)),
    objects: sorted(cluster.objects.map(withoutBookkeeping)),
  };
}

function withoutTime(instance: ClusterSnapshot['components'][number]['live'][number]): object {
  const { tookSeconds: _, ...rest } = instance;
  return rest;
}

function withoutBookkeeping(object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const { metadata, ...rest } = object as { readonly metadata?: object };
  if (typeof metadata !== 'object' || metadata === null) return object;
  const { resourceVersion: _, managedFields: __, ...kept } = metadata as Readonly<Record<string, unknown>>;
  return { ...rest, metadata: kept };
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  const keyed = list.map((one) => [canonicalJson(one), one] as const);
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, one]) => one);
}
