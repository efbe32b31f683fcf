import type { EndpointIPType } from './announcements/announced-settings.ts';

/** The part of the configuration that leaders read. */
export interface LeaderConfig {
  readonly endpointIPType: EndpointIPType;
  readonly enableStretchedNetworkPolicy: boolean;
  /** The ranges that members may announce; canonical. Empty: any. */
  readonly allowedCIDRs: readonly string[];
  /**
   * The ranges from which clusters get virtual Pod CIDRs; canonical. Empty: no cluster gets one.
   */
  readonly virtualPodCIDRs: readonly string[];
  /**
   * Whether the network of a cluster that this leader does not know is published, or waits for an
   * administrator.
   */
  readonly unknownClusters: 'Observe' | 'Hold';
  /** Whether all Namespaces of Kubernetes and of the controllers are denied to clusters. */
  readonly hardened: boolean;
  /** How much one member may write before it is suspended; 0: any number. */
  readonly memberWrites: { readonly megabytesPerMinute: number; readonly rewritesPerMinute: number };
}

/** The configuration of a leader without a configuration file. */
export const defaultLeaderConfig: LeaderConfig = {
  allowedCIDRs: [],
  enableStretchedNetworkPolicy: false,
  endpointIPType: 'ClusterIP',
  hardened: false,
  memberWrites: { megabytesPerMinute: 64, rewritesPerMinute: 12_000 },
  unknownClusters: 'Observe',
  virtualPodCIDRs: [],
};
