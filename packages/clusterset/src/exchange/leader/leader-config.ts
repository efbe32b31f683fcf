import type { ControllerConfig } from '../../config.ts';

/** The part of the configuration that leaders read. */
export type LeaderConfig = Pick<
  ControllerConfig,
  'allowedCIDRs' | 'enableStretchedNetworkPolicy' | 'endpointIPType' | 'virtualPodCIDRs'
>;

/** Of a leader that has no configuration file. */
export const defaultLeaderConfig: LeaderConfig = {
  allowedCIDRs: [],
  enableStretchedNetworkPolicy: false,
  endpointIPType: 'ClusterIP',
  virtualPodCIDRs: [],
};
