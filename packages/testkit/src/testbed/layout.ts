/**
 * The specification of one cluster of a test bed.
 */
export interface TestbedClusterSpec {
  /** The number of Nodes beside the control plane, which runs no Pods. At most 9. */
  readonly nodes: number;
  /**
   * The network for the Pods of all its Nodes, `10.x.0.0/16`. Two clusters may have the same one.
   * Default: one of its own.
   */
  readonly podNetwork?: `10.${number}` | undefined;
  /**
   * Gives each Node a disk of its own of this size, in memory: for images, containers, logs and
   * volumes. Its kubelet then evicts Pods when less than a tenth is free. Default: the disk of the
   * machine, for which nothing is evicted.
   */
  readonly diskMiB?: number | undefined;
  /** The mode of kube-proxy on its Nodes. Default: that of the test bed. */
  readonly kubeProxy?: 'nftables' | 'iptables' | 'none' | undefined;
}

/** The addresses of one Node. */
export interface NodeLayout {
  /** Also the name of the Node object: `<cluster>-<number from 1>`. */
  readonly name: string;
  readonly address: string;
  readonly address6: string;
  readonly podCIDR: string;
  readonly podCIDR6: string;
}

/** The addresses of one cluster; all clusters of a test bed share one network of Nodes. */
export interface ClusterLayout {
  readonly name: string;
  /** The control plane's address. It has a network namespace of its own. */
  readonly address: string;
  readonly address6: string;
  readonly serviceCIDR: string;
  readonly serviceCIDR6: string;
  readonly clusterCIDRs: readonly string[];
  /** The address of the DNS Service, if a test installs one. */
  readonly dnsAddress: string;
  readonly nodes: readonly NodeLayout[];
}

/**
 * The first address of the Service network of a cluster, which the API server uses for
 * `kubernetes.default`.
 */
export function kubernetesServiceAddresses(cluster: ClusterLayout): readonly string[] {
  return [cluster.serviceCIDR, cluster.serviceCIDR6].map((cidr) => cidr.replace(/(?:0|)\/\d+$/, '1'));
}

/**
 * Gives every cluster, Node, Pod network and Service network its addresses. The same specs give the
 * same addresses. Service networks always differ; Pod networks differ unless a spec names the same
 * one.
 *
 * Errors: no cluster, more than 20, a name that is not a DNS label of at most 20 characters, less
 * than one Node or more than 9.
 */
export function layoutOf(specs: Readonly<Record<string, TestbedClusterSpec>>): readonly ClusterLayout[] {
  const entries = Object.entries(specs);
  if (entries.length === 0 || entries.length > 20)
    throw new Error(`planning a test bed: it must have 1 to 20 clusters, not ${entries.length}`);
  return entries.map(([name, spec], index) => {
    if (!/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(name))
      throw new Error(
        `planning a test bed: ${JSON.stringify(name)} is not a name for a cluster. It must be a DNS label of at most 20 characters that begins with a letter.`,
      );
    if (!Number.isInteger(spec.nodes) || spec.nodes < 1 || spec.nodes > 9)
      throw new Error(`planning a test bed: cluster ${name} must have 1 to 9 Nodes, not ${spec.nodes}`);
    const number = index + 1;
    const podNetwork = spec.podNetwork ?? `10.${10 * number}`;
    const podNetwork6 = `fd00:10:${podNetwork.slice('10.'.length)}`;
    const serviceNetwork6 = `fd00:96:${number}:`;
    const address = (host: number) => `172.30.${number}.${host}`;
    const address6 = (host: number) => `fd00:172:30::${number}:${host}`;
    return {
      name,
      address: address(1),
      address6: address6(1),
      serviceCIDR: `10.${240 - number}.0.0/16`,
      serviceCIDR6: `${serviceNetwork6}:/112`,
      clusterCIDRs: [`${podNetwork}.0.0/16`, `${podNetwork6}::/48`],
      dnsAddress: `10.${240 - number}.0.10`,
      nodes: Array.from({ length: spec.nodes }, (_, position) => ({
        name: `${name}-${position + 1}`,
        address: address(11 + position),
        address6: address6(11 + position),
        podCIDR: `${podNetwork}.${position + 1}.0/24`,
        podCIDR6: `${podNetwork6}:${position + 1}::/64`,
      })),
    };
  });
}
