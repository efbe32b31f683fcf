import {
  ClusterSet,
  EndpointSlice,
  Event,
  FixedName,
  Label,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  importedServiceName,
} from '@isthmus/api';
import type { AnyCondition } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import type { Client } from '@isthmus/kube';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { ClusterUser, NamespacedRef } from './cluster-user.ts';

/** The state of one cluster, as texts that a test can compare. */
export interface ClusterView {
  /** `status reason` of a condition of a ServiceExport; `none` if it is absent. */
  exported(ref: NamespacedRef, type: 'Valid' | 'Ready' | 'Conflict'): Promise<string>;
  /** Its message; empty if it is absent. */
  exportMessage(ref: NamespacedRef, type: 'Valid' | 'Ready' | 'Conflict'): Promise<string>;
  /**
   * `name protocol port` of each port of a ServiceImport; undefined if there is no ServiceImport.
   */
  importedPorts(ref: NamespacedRef): Promise<readonly string[] | undefined>;
  /** As {@link readyOfImport}. */
  imported(ref: NamespacedRef): Promise<string>;
  /**
   * The endpoints of an imported Service: `source: address,… name:port,…` of each slice, sorted.
   * `?` if a slice names no source.
   */
  slices(ref: NamespacedRef): Promise<readonly string[]>;
  /**
   * The ClusterIP of a Service, or of the derived Service of an import; undefined if there is none.
   */
  clusterIP(ref: NamespacedRef): Promise<string | undefined>;
  importedIP(ref: NamespacedRef): Promise<string | undefined>;
  /**
   * `status reason` of condition Ready of a ClusterSet (default: that of the member); `none` if it
   * is absent.
   */
  clusterSet(ref?: NamespacedRef): Promise<string>;
  /** Its message; empty if it is absent. */
  clusterSetMessage(ref?: NamespacedRef): Promise<string>;
  /** Names of the ResourceExports and of the ResourceImports of a leader's Namespace, sorted. */
  commonArea(namespace?: string): Promise<CommonAreaNames>;
  /** `reason: message` of the Events about one object, sorted. */
  events(about: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): Promise<readonly string[]>;
}

export interface CommonAreaNames {
  readonly exports: readonly string[];
  readonly imports: readonly string[];
}

const memberClusterSet = { namespace: FixedName.memberNamespace, name: clusterSetName };

export function createClusterView(admin: Client, { find }: Pick<ClusterUser, 'find'>): ClusterView {
  const clusterSetReady = async (ref: NamespacedRef) =>
    conditionOf((await find(ClusterSet, ref))?.status?.conditions, 'Ready');
  const exportCondition = async (ref: NamespacedRef, type: string) =>
    conditionOf((await find(ServiceExport, ref))?.status?.conditions, type);
  return {
    exported: async (ref, type) => verdict(await exportCondition(ref, type)),
    exportMessage: async (ref, type) => (await exportCondition(ref, type))?.message ?? '',
    async importedPorts(ref) {
      const ports = (await find(ServiceImport, ref))?.spec?.ports;
      return ports?.map(({ name = '', protocol = 'TCP', port }) => `${name} ${protocol} ${port}`);
    },
    async imported(ref) {
      return readyOfImport(await find(ServiceImport, ref));
    },
    async slices({ namespace, name }) {
      const labelSelector = `${Label.mcsServiceName}=${name}`;
      const { items } = await admin.list(EndpointSlice, { namespace, labelSelector });
      return items
        .map(({ metadata, endpoints, ports }) => {
          const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses).join(',');
          const served = (ports ?? []).map((port) => `${port.name ?? ''}:${port.port ?? ''}`).join(',');
          return `${metadata.labels?.[Label.mcsSourceCluster] ?? '?'}: ${addresses} ${served}`;
        })
        .toSorted();
    },
    clusterIP: async (ref) => (await find(Service, ref))?.spec?.clusterIP,
    async importedIP({ namespace, name }) {
      return (await find(Service, { namespace, name: importedServiceName(name) }))?.spec?.clusterIP;
    },
    clusterSet: async (ref = memberClusterSet) => verdict(await clusterSetReady(ref)),
    clusterSetMessage: async (ref = memberClusterSet) => (await clusterSetReady(ref))?.message ?? '',
    async commonArea(namespace = FixedName.leaderNamespace) {
      const names = (list: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
        list.items.map(({ metadata }) => metadata.name).toSorted();
      return {
        exports: names(await admin.list(ResourceExport, { namespace })),
        imports: names(await admin.list(ResourceImport, { namespace })),
      };
    },
    async events({ kind, namespace, name }) {
      const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
      const { items } = await admin.list(Event, { namespace, fieldSelector });
      return items.map(({ reason = '', message = '' }) => `${reason}: ${message}`).toSorted();
    },
  };
}

function verdict(condition: AnyCondition | undefined): string {
  return condition === undefined ? 'none' : `${condition.status} ${condition.reason ?? ''}`.trim();
}

/**
 * `status reason` of condition Ready of a ServiceImport; `none` if it is absent. NoDataPlane is
 * `True Ready` here: real fleets without Nodes have no gateways, and all else is as it is to be.
 */
export function readyOfImport(object: ServiceImport | undefined): string {
  const ready = conditionOf(object?.status?.conditions, 'Ready');
  return ready?.reason === 'NoDataPlane' ? 'True Ready' : verdict(ready);
}
