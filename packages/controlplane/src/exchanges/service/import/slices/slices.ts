import type { EndpointSlice, Service } from '@isthmus/api';
import {
  Label,
  agentProxyName,
  importedPodSlicePrefix,
  importedServiceName,
  importedSlicePrefix,
  managedByIsthmus,
  sliceManagedByIsthmus,
} from '@isthmus/api';
import { isLive } from '@isthmus/machinery';
import { packSlices, sliceSourceOf } from '@isthmus/wire';
import type { FormerNames, localPortName } from '@isthmus/wire';
import type { SourceEndpoints } from './source-endpoints.ts';
import type { KeptEndpoints } from './kept.ts';

export interface SlicesInput {
  /** The exported Service's name and Namespace. */
  readonly namespace: string;
  readonly name: string;
  /** The derived Service, which owns the slices. */
  readonly service: Service;
  readonly sources: readonly (SourceEndpoints | KeptEndpoints)[];
  readonly nameOf: ReturnType<typeof localPortName>;
  /** Names that the derived Service still has for renamed ports. They are served as well. */
  readonly formerNames: FormerNames;
  /**
   * Whether the slices contain the endpoints that kube-proxy uses, or the Pods behind them, which
   * our agents use.
   */
  readonly holds?: 'endpoints' | 'pods' | undefined;
  /** Our existing slices of this import with the same `holds`. */
  readonly current: readonly EndpointSlice[];
  /**
   * Whether any slice of the Namespace has that name. If it is not in `current`, another client
   * owns it.
   */
  readonly isTaken: (name: string) => boolean;
}

export interface SlicesPlan {
  readonly create: readonly EndpointSlice[];
  readonly change: readonly { readonly from: EndpointSlice; readonly to: EndpointSlice }[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * The EndpointSlices of an import. Each slice has one source cluster, and the labels of KEP-1645.
 * An endpoint stays in the slice that contains it. A slice that is held while it is being deleted
 * is emptied, because proxies go on to use it.
 */
export function planSlices(input: SlicesInput): SlicesPlan {
  const { namespace, name, service, holds = 'endpoints' } = input;
  const all = input.current.map(withoutNull);
  const current = all.filter(isLive);
  const create: EndpointSlice[] = [];
  const change: { from: EndpointSlice; to: EndpointSlice }[] = [];
  const kept = new Set<string>();
  const keptSources = new Set(input.sources.flatMap(({ clusterID, slices }) => (slices === 'kept' ? [clusterID] : [])));
  for (const from of all) {
    if (isLive(from) || from.endpoints.length === 0 || keptSources.has(sliceSourceOf(from))) continue;
    change.push({ from, to: { ...from, endpoints: [] } });
  }
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'Service', name: service.metadata.name, uid: service.metadata.uid ?? '' },
  ];
  for (const { clusterID, slices } of input.sources) {
    const labels = labelsOf(name, clusterID, holds);
    const ofSource = current.filter((slice) => sliceSourceOf(slice) === clusterID);
    if (slices === 'kept') {
      for (const from of ofSource) {
        kept.add(from.metadata.name);
        change.push({ from, to: { ...from, metadata: marked(from, labels) } });
      }
      continue;
    }
    const packed = packSlices(
      ofSource.map(({ metadata, addressType, ports, endpoints }) => ({
        name: metadata.name,
        addressType,
        ports,
        endpoints,
      })),
      slices.map(({ addressType, ports = [], endpoints }) => ({
        addressType,
        // As the API server stores them: the unnamed port has an empty name.
        ports: ports.flatMap((port) => {
          const name = input.nameOf(port.name) ?? '';
          const former = input.formerNames.get(name);
          const names = former === undefined ? [name] : [name, former];
          return names.map((each) => ({ ...port, name: each, protocol: port.protocol ?? 'TCP' }));
        }),
        endpoints,
      })),
      { prefix: holds === 'pods' ? importedPodSlicePrefix(name, clusterID) : importedSlicePrefix(name, clusterID) },
    );
    for (const { name: packedName, addressType, endpoints, ports } of packed) {
      const from = current.find((slice) => slice.metadata.name === packedName);
      const sliceName = from === undefined ? freeName(packedName, input.isTaken) : packedName;
      kept.add(sliceName);
      if (from === undefined) {
        const metadata = { name: sliceName, namespace, labels, ownerReferences };
        create.push({ metadata, addressType: addressType as EndpointSlice['addressType'], endpoints, ports });
      } else {
        change.push({ from, to: { ...from, metadata: marked(from, labels), endpoints, ports } });
      }
    }
  }
  return { create, change, remove: current.filter((slice) => !kept.has(slice.metadata.name)) };

  function marked({ metadata }: EndpointSlice, labels: Readonly<Record<string, string>>): EndpointSlice['metadata'] {
    const { [Label.serviceName]: _, ...others } = metadata.labels ?? {};
    return { ...metadata, labels: { ...(holds === 'pods' ? others : metadata.labels), ...labels }, ownerReferences };
  }
}

/** Another client's slice may already have the name. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  return isTaken(name) ? freeName(`${name}-x`, isTaken) : name;
}

/**
 * Labels that keep slices of Pods from every Service, and leave them to our proxy. Other proxies
 * would translate to addresses that only our agents reach. Up to 1.35, kube-proxy selects
 * EndpointSlices without the label of another proxy. From 1.36 on it selects those without the
 * label of headless Services, whose endpoints it does not need. It would log an error for each
 * slice without a Service.
 */
function labelsOf(
  name: string,
  clusterID: string | undefined,
  holds: NonNullable<SlicesInput['holds']>,
): Readonly<Record<string, string>> {
  return {
    ...(holds === 'pods'
      ? { [Label.serviceProxyName]: agentProxyName, [Label.headless]: '' }
      : { [Label.serviceName]: importedServiceName(name) }),
    [Label.mcsServiceName]: name,
    [Label.managedBy]: managedByIsthmus,
    [Label.sliceManagedBy]: sliceManagedByIsthmus,
    ...(clusterID === undefined ? {} : { [Label.mcsSourceCluster]: clusterID }),
  };
}

/** The API server returns empty lists as `null`. They must compare as equal to the wanted lists. */
function withoutNull(slice: EndpointSlice) {
  return { ...slice, endpoints: slice.endpoints ?? [], ports: slice.ports ?? [] };
}
