import type { ClusterInfo, VirtualPodCIDR } from '@isthmus/api';
import { cidrText } from '@isthmus/machinery';

/**
 * The network that a cluster announced, restored from its published one: with its own Pod CIDRs
 * instead of the virtual ones.
 */
export function withOwnPodCIDRs(published: ClusterInfo, pairs: readonly VirtualPodCIDR[]): ClusterInfo {
  if (pairs.length === 0) return published;
  const { podCIDRs = [] } = withoutVirtual(published, pairs);
  return { ...published, podCIDRs: [...new Set([...podCIDRs, ...pairs.map(({ own }) => cidrText(own))])] };
}

/** A published network without virtual ranges. */
export function withoutVirtual(published: ClusterInfo, pairs: readonly VirtualPodCIDR[]): ClusterInfo {
  const virtual = new Set(pairs.map((one) => cidrText(one.virtual)));
  return { ...published, podCIDRs: (published.podCIDRs ?? []).filter((text) => !virtual.has(text)) };
}

/** Whether the grant leaves no Service CIDR or no gateway, without which a network is not used. */
export function isCutShort(announced: ClusterInfo, { serviceCIDR, gatewayInfos = [] }: ClusterInfo): boolean {
  const lacksServices = (announced.serviceCIDR ?? '') !== '' && serviceCIDR === undefined;
  const lacksGateways = (announced.gatewayInfos ?? []).length > 0 && gatewayInfos.length === 0;
  return lacksServices || lacksGateways;
}
