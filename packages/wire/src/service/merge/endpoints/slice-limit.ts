/**
 * How many sets of ports, each of one IP family, a cluster imports from another cluster for one
 * Service. All Pods of a Service share one set, unless they number a named target port differently.
 */
export const maxSlicesOfCluster = 100;

interface NumberedPort {
  readonly name?: string | null | undefined;
  readonly port?: number | null | undefined;
  readonly protocol?: string | null | undefined;
  readonly appProtocol?: string | null | undefined;
}

/**
 * Equal for endpoints that become one EndpointSlice: the same family and the same ports, in any
 * order, absent and default equal.
 */
export function setOfPorts(family: string, ports: readonly NumberedPort[]): string {
  const texts = ports.map(({ name, protocol, port, appProtocol }) =>
    JSON.stringify([name ?? '', protocol ?? 'TCP', port ?? 0, appProtocol ?? '']),
  );
  return `${family} ${texts.sort().join()}`;
}

/** The message for the exporter if its endpoints have more sets; undefined if they do not. */
export function sliceLimitMessage(count: number): string | undefined {
  if (count <= maxSlicesOfCluster) return undefined;
  return `the endpoints have ${count} sets of ports; other clusters leave out those after the first ${maxSlicesOfCluster}. Give the Pods of the Service the same target ports`;
}
