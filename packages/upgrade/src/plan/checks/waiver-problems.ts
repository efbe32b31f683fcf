import { isRecord } from '@isthmus/machinery';
import { crdRules } from '../../crd/rules.ts';
import type { Waiver } from '../../crd/waivers.ts';
import { placedComponents } from '../../bundle/components-of.ts';
import type { ComponentBundle } from '../../bundle/component-bundle.ts';
import { planRules } from '../format/plan-finding.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { Policy } from '../../policy/policy.ts';

/** What waivers may name. */
export interface WaivableNames {
  readonly policies: readonly Policy[];
  readonly bundles: readonly ComponentBundle[];
  readonly snapshot: FleetSnapshot;
}

/**
 * What is wrong with waivers for a plan: a rule that nothing knows, and a cluster or component that neither the fleet nor a bundle has. Such a waiver
 * accepts nothing, though somebody relies on it. One line for each, by its place in the file.
 */
export function waiverProblems(waivers: readonly Waiver[], names: WaivableNames): readonly string[] {
  const { rules, hooks, places } = knownTo(names);
  return waivers.flatMap(({ rule, path, crd }, at) => {
    const where = `spec.waivers[${at}]`;
    const isKnown =
      rules.has(rule) || hooks.has(rule) || ofOtherChecks(rule) || (planRules as readonly string[]).includes(rule);
    if (!isKnown) return [`${where}.rule: no policy and no check has the rule ${rule}`];
    // With a CRD the path is a field of it; a path with other characters names an object or a field.
    const isPlace = crd === undefined && path !== undefined && /^[a-z0-9][-a-z0-9]*$/.test(path);
    if (!isPlace || places.has(path)) return [];
    return [`${where}.path: the snapshot and the bundles have no cluster, ClusterSet, Node or component ${path}`];
  });
}

/** Whether a plan does not ask for a rule; a file of waivers may serve several commands. */
export function ofOtherChecks(rule: string): boolean {
  return /^(?:[DLMP]\d{1,2}|(?:bundle|eksa|crd|file|removal|metrics|placement|api|release)\.[-a-z0-9.]+)$/.test(rule);
}

function knownTo({ policies, bundles, snapshot }: WaivableNames) {
  const ofPolicies = policies.flatMap(({ spec }) =>
    Object.values(spec)
      .flatMap((one: unknown): readonly unknown[] => (Array.isArray(one) ? one : []))
      .flatMap((one) => (isRecord(one) && typeof one['id'] === 'string' ? [one['id']] : [])),
  );
  const components = bundles.flatMap((bundle) => placedComponents(bundle).map(({ component }) => component));
  const { clusters, clusterSets } = snapshot.spec;
  return {
    rules: new Set([...ofPolicies, ...crdRules.map(({ id }) => id as string)]),
    hooks: new Set(components.flatMap(({ hooks }) => hooks.map(({ id }) => `hook.${id}`))),
    places: new Set([
      ...components.flatMap((one) => [one.id, typeOf(one)]),
      ...clusterSets.map(({ name }) => name),
      ...clusters.flatMap((one) => [
        one.name,
        ...one.components.flatMap(({ id, live }) => [id, ...live.flatMap(({ node }) => node ?? [])]),
      ]),
    ]),
  };
}
