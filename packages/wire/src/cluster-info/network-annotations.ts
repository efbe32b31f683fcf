import { Annotation } from '@isthmus/api';

/** What a cluster tells of its network beside the payload: on its export, the import of that, and the ClusterInfoImports. */
const networkAnnotations: ReadonlySet<string> = new Set([
  Annotation.dataPlane,
  Annotation.virtualPodCIDRs,
  Annotation.directProbes,
]);

/** Annotations without those: what the cluster tells no longer goes. */
export function withoutNetworkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !networkAnnotations.has(name)));
}
