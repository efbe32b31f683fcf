import type { VirtualFleetOptions } from '@isthmus/fleet-sim';

/** The options that a calm run shares with the run that it is compared with. */
export type FleetShape = Pick<VirtualFleetOptions, 'clusters' | 'endpointIPType'>;
