import type { OwnerLimits } from '@isthmus/kube';
import type { EndpointIPType, LeaderConfig } from '@isthmus/wire';
import type { WriteVerdict } from '../faults/with-faults.ts';
import type { FleetNames, Role } from './cluster-setup.ts';
import { isMember } from './cluster-setup.ts';
import { leaderNamespace, memberNamespace } from './fleet-names.ts';
import type { FleetWrite } from './links.ts';

export interface VirtualFleetOptions {
  /** Name of each cluster, which is also its ID, and its role. Exactly one leader. */
  readonly clusters: Readonly<Record<string, Role>>;
  readonly seed?: number | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
  /** The Namespace of the leader's controller: the Common Area. Default `antrea-multicluster`. */
  readonly leaderNamespace?: string | undefined;
  /** The Namespace of the members' controllers. Default `kube-system`. */
  readonly memberNamespace?: string | undefined;
  /**
   * More host names of API servers, with the cluster of each. A cluster also answers at
   * `<cluster>.test`.
   */
  readonly hosts?: Readonly<Record<string, string>> | undefined;
  /**
   * The Service CIDRs of clusters; two, joined by a comma, make a cluster dual-stack. Default: one
   * IPv4 range for each cluster.
   */
  readonly serviceCIDRs?: Readonly<Record<string, string>> | undefined;
  /**
   * The leader's API server has the CRDs of Antrea and prunes fields that they do not define. Its
   * controller runs as usual, unless the caller kills it.
   */
  readonly antreaCrds?: boolean | undefined;
  /** Called before each write of a controller. One that dies is restarted a second later. */
  readonly onWrite?: ((write: FleetWrite) => WriteVerdict) | undefined;
  /** How long silent members are remembered. Default: as long as in production, a day. */
  readonly forgottenAfterMs?: number | undefined;
  /** Label identities are exchanged: `enableStretchedNetworkPolicy` everywhere. Default false. */
  readonly stretched?: boolean | undefined;
  /** The configuration file of the leader. Default: empty. */
  readonly leaderConfig?: Partial<LeaderConfig> | undefined;
  /** How many exports of one cluster the leader accepts. Default: as many as in production. */
  readonly exportLimits?: OwnerLimits | undefined;
  /**
   * Errors of the clocks of controllers in milliseconds, by cluster. The clocks of API servers are
   * right. Default: none.
   */
  readonly clockErrorsMs?: Readonly<Record<string, number>> | undefined;
  /** The longest lifetime of a token that an API server issues, in seconds. Default: any. */
  readonly maxTokenSeconds?: number | undefined;
  /** Joins the members before it returns. Default true. */
  readonly join?: boolean | undefined;
}

/** The options of a fleet with their defaults. */
export interface FleetPlan extends FleetNames {
  readonly options: VirtualFleetOptions;
  readonly seed: number;
  /** In the order of the options; seeds and Service CIDRs follow from it. */
  readonly clusters: readonly PlannedCluster[];
  readonly leaderName: string;
}

export interface PlannedCluster {
  readonly name: string;
  readonly index: number;
  readonly role: Role;
  readonly isMember: boolean;
  readonly serviceCIDR: string;
}

/** Completes the options of a fleet. */
export function planFleet(options: VirtualFleetOptions): FleetPlan {
  const clusters = Object.entries(options.clusters).map(([name, role], index) => ({
    name,
    index,
    role,
    isMember: isMember(role),
    serviceCIDR: options.serviceCIDRs?.[name] ?? `10.${96 + index}.0.0/16`,
  }));
  return {
    options,
    seed: options.seed ?? 1,
    area: options.leaderNamespace ?? leaderNamespace,
    home: options.memberNamespace ?? memberNamespace,
    clusters,
    leaderName: clusters.find(({ role }) => role.startsWith('leader'))?.name ?? '',
  };
}

/** The cluster whose API server answers at a host name. */
export function serverAt(hostname: string, { options }: FleetPlan): string {
  return options.hosts?.[hostname] ?? hostname.split('.')[0] ?? '';
}

/** The seeds of the random numbers in one cluster, which differ for each use of them. */
export const seedsOf = ({ seed }: FleetPlan, { index }: PlannedCluster) => ({
  server: seed * 100 + index,
  clusterControllers: seed * 1_000 + index,
  /** The seed of the controllers of Isthmus. Each start has another one. */
  start: (nth: number): number => seed * 10_000 + index * 100 + nth,
});
