import type { EndpointIPType } from './announcements/announced-settings.ts';

/** The part of the configuration that leaders read. */
export interface LeaderConfig {
  readonly endpointIPType: EndpointIPType;
  readonly enableStretchedNetworkPolicy: boolean;
  /** What members may announce; canonical. Empty: anything. */
  readonly allowedCIDRs: readonly string[];
  /** Out of which ranges clusters get virtual Pod CIDRs; canonical. Empty: none does. */
  readonly virtualPodCIDRs: readonly string[];
}

/** Of a leader that has no configuration file. */
export const defaultLeaderConfig: LeaderConfig = {
  allowedCIDRs: [],
  enableStretchedNetworkPolicy: false,
  endpointIPType: 'ClusterIP',
  virtualPodCIDRs: [],
};
