import { Annotation } from '@isthmus/api';

/**
 * The annotations by which a cluster publishes its network beside the payload: on its export, on
 * the import of that export, and on the ClusterInfoImports.
 */
const networkAnnotations: ReadonlySet<string> = new Set([
  Annotation.dataPlane,
  Annotation.virtualPodCIDRs,
  Annotation.directProbes,
]);

/** The annotations without those, for a cluster whose network is not valid any more. */
export function withoutNetworkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !networkAnnotations.has(name)));
}
