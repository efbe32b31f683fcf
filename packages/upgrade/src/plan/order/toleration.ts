import type { Waiver } from '../../crd/waivers.ts';
import type { Finding } from '../../finding.ts';

/** Why a state of the plan may break a rule. */
export interface Toleration {
  /**
   * The waiver that accepts it; absent: the fleet breaks the rule already, and the plan goes on.
   */
  readonly waiver?: Waiver | undefined;
}

/**
 * Whether a state of the plan may break a rule in this way; undefined where it must not. `moving`:
 * the components that move to this state; one that breaks a rule from the start does not move to
 * another version that breaks it.
 */
export type Tolerates = (finding: Finding, moving: ReadonlySet<string>) => Toleration | undefined;

/** A finding, and the waiver that accepts it. */
export interface Accepted {
  readonly finding: Finding;
  readonly waiver: Waiver;
}
