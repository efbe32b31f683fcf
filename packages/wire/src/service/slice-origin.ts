import type { EndpointSlice } from '@isthmus/api';
import { Label, agentProxyName, exportedServiceName, importedSliceSource } from '@isthmus/api';

/** The import that a slice was made for. */
export interface SliceOrigin {
  /** The name of the exported Service. */
  readonly name: string;
  /** The cluster whose endpoints it contains; undefined: merged by an Antrea leader. */
  readonly clusterID: string | undefined;
  /**
   * Whether it contains the Pods behind the endpoints of that cluster, for agents of our data
   * plane.
   */
  readonly arePods: boolean;
  /** Whether its own name and its owner prove that this controller made it. */
  readonly isProven: boolean;
}

/**
 * The import that an EndpointSlice was made for; undefined if it is not a slice of an import. Its
 * name proves it together with the Service that owns it, whatever its labels are. Without that
 * owner the labels decide, which a user can edit.
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

/**
 * The cluster whose endpoints a slice of an import contains; undefined if they were merged. For a
 * slice of another origin its label decides, which can be missing.
 */
export function sliceSourceOf(slice: EndpointSlice): string | undefined {
  const origin = sliceOriginOf(slice);
  return origin === undefined ? slice.metadata.labels?.[Label.mcsSourceCluster] : origin.clusterID;
}
