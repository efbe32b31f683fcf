import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@isthmus/machinery';
import type { ComponentBundle } from '../../bundle/component-bundle.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import { bundleDigest } from '../../bundle/signed-text.ts';
import { bundleOf } from '../../bundle/testing/bundle-of.ts';
import type { FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import { shippedPolicies } from '../../policy/shipped/shipped-policies.ts';
import type { Plan } from '../format/plan.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { planUpgrade } from '../plan-upgrade.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A bundle with the contents given, by digest. */
function loaded(
  bundle: ComponentBundle,
  contents: Readonly<Record<string, readonly KubernetesObject[]>> = {},
): LoadedBundle {
  return { bundle, digest: bundleDigest({ json: bundle }, sha256), contents: new Map(Object.entries(contents)) };
}

/** A bundle of components as they are written. */
export function loadedOf(components: readonly object[], more: object = {}): LoadedBundle {
  return loaded(bundleOf({ components, ...more }));
}

/**
 * The input of a plan under the policies that ship with isthmus: a canary, then a quarter, then the
 * rest; one Node at a time; every cluster must be reachable.
 */
export function inputOf(bundle: LoadedBundle, snapshot: FleetSnapshot, more: Partial<PlanInput> = {}): PlanInput {
  return {
    bundle,
    snapshot,
    policies: more.policies ?? shippedPolicies(),
    waivers: [],
    otherBundles: [],
    waves: { canary: 1, percent: [25, 100], nodesAtOnce: 1 },
    unreachableAllowed: 0,
    sha256,
    ...more,
  };
}

/** The plan of {@link inputOf}. */
export function planOf(bundle: LoadedBundle, snapshot: FleetSnapshot, more: Partial<PlanInput> = {}): Plan {
  return planUpgrade(inputOf(bundle, snapshot, more));
}
