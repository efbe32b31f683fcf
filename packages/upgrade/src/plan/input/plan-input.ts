import type { CompileRules } from '../../crd/rules-engine.ts';
import type { Waiver } from '../../crd/waivers.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import type { FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { ApiHistory } from '../../policy/releases/api-history.ts';
import type { Policy } from '../../policy/policy.ts';

/** All that a plan is made of. No clock: the time is that of the snapshot. */
export interface PlanInput {
  readonly bundle: LoadedBundle;
  readonly snapshot: FleetSnapshot;
  /**
   * The policies of the bundle and those that ship with isthmus; ids of rules are unique over all.
   */
  readonly policies: readonly Policy[];
  /**
   * `sha256:…` of each policy as it was written, by its name. Default: of the decoded policy, so
   * that only its content counts and not its spelling.
   */
  readonly policyDigests?: ReadonlyMap<string, string> | undefined;
  readonly waivers: readonly Waiver[];
  /**
   * When versions of CRDs were deprecated; without them the age of a deprecation is not known,
   * which warns. Default: none.
   */
  readonly histories?: readonly ApiHistory[] | undefined;
  /**
   * Other available bundles, in any order: hops stop at versions that one of them has with all
   * artifacts.
   */
  readonly otherBundles: readonly LoadedBundle[];
  /** The Kubernetes minor to go to; absent: Kubernetes stays. */
  readonly kubernetes?: string | undefined;
  readonly waves: Waves;
  /**
   * The clusters that the plan leaves alone, each with the reason: those that a person excludes.
   * Default: none. Clusters that did not answer, and those that are paused, are left alone in any
   * case.
   */
  readonly leftOut?: ReadonlyMap<string, string> | undefined;
  /**
   * How many members may be unreachable, paused ones not counted, before nothing is planned for any
   * (acceptance case 82).
   */
  readonly unreachableAllowed: number;
  /**
   * Deployments whose Pods keep running until the new ones are ready if the Deployment must be
   * recreated, as `kube-system/antrea-mc-controller`: for controllers with leader election. A
   * Deployment whose Pods answer webhooks is deleted first all the same, and that is reported.
   * Default: none.
   */
  readonly orphans?: readonly string[] | undefined;
  /**
   * Whether what the bundle does not have any more is removed. Default: it stays, and is reported.
   */
  readonly prune?: Prune | undefined;
  /** Hex SHA-256 of a text. */
  readonly sha256: (text: string) => string;
  /**
   * Compiles CEL rules for the check of CRDs and objects. Absent: rules are not evaluated, and the
   * plan reports that.
   */
  readonly compileRules?: CompileRules | undefined;
}

/** A request to remove left-over objects (docs/spec/upgrades.md §2.7). */
export interface Prune {
  /**
   * The CRDs that are removed with all their objects. Other CRDs stay if they have objects, or if
   * their objects were not counted.
   */
  readonly withObjects: readonly string[];
}

/**
 * How members and Nodes are divided (docs/spec/upgrades.md §2.3: canary 1, then 25 %, then the
 * rest).
 */
export interface Waves {
  /** How many clusters of a family are in its first wave. */
  readonly canary: number;
  /**
   * Which clusters are: it counts in place of `canary` in families that have any of them. Default:
   * the first ones by name.
   */
  readonly canaries?: readonly string[] | undefined;
  /**
   * The share of all members that is through after each further wave, rising, in percent; the last
   * one is 100.
   */
  readonly percent: readonly number[];
  /** The most clusters of the fleet in a wave: a larger one is divided. Default: any number. */
  readonly size?: number | undefined;
  /** The most clusters of a wave that are at work at once. Default: all. */
  readonly clustersAtOnce?: number | undefined;
  /** The most Nodes of a cluster at once. */
  readonly nodesAtOnce: number;
  /** How long a wave runs before the next begins. Default: no time. */
  readonly soakSeconds?: number | undefined;
}
