import type { EndpointSlice } from '@isthmus/api';
import { Label, agentProxyName, exportedServiceName, importedSliceSource } from '@isthmus/api';

/** The import that a slice was made for. */
export interface SliceOrigin {
  /** Of the exported Service. */
  readonly name: string;
  /** The cluster whose endpoints it holds; undefined: merged by an Antrea leader. */
  readonly clusterID: string | undefined;
  /** Whether it holds the Pods behind the endpoints of that cluster, for agents of our data plane. */
  readonly arePods: boolean;
  /** Whether its own name and its owner prove that we made it. */
  readonly isProven: boolean;
}

/**
 * What an EndpointSlice of an import was made for; undefined where it is of none. Its name proves it
 * together with the Service that owns it, whatever the labels say; without such an owner the labels decide, which a person can edit.
 */
export function sliceOriginOf({ metadata }: EndpointSlice): SliceOrigin | undefined {
  const { labels = {}, ownerReferences = [] } = metadata;
  for (const owner of ownerReferences) {
    const name = owner.kind === 'Service' ? exportedServiceName(owner.name) : undefined;
    const source = name === undefined ? undefined : importedSliceSource(metadata.name, name);
    if (name !== undefined && source !== undefined) return { name, ...source, isProven: true };
  }
  const name = labels[Label.mcsServiceName];
  const arePods = labels[Label.serviceProxyName] === agentProxyName;
  return name === undefined ? undefined : { name, clusterID: labels[Label.mcsSourceCluster], arePods, isProven: false };
}

/** The cluster whose endpoints a slice of an import holds; undefined where they were merged, or it is of no import. */
export function sliceSourceOf(slice: EndpointSlice): string | undefined {
  const origin = sliceOriginOf(slice);
  return origin === undefined ? slice.metadata.labels?.[Label.mcsSourceCluster] : origin.clusterID;
}
