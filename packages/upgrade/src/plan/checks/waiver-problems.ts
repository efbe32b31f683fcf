import { isRecord } from '@isthmus/machinery';
import { crdRules } from '../../crd/rules.ts';
import type { Waiver } from '../../crd/waivers.ts';
import { placedComponents } from '../../bundle/components-of.ts';
import type { ComponentBundle } from '../../bundle/component-bundle.ts';
import { planRules } from '../format/plan-finding.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { FleetSnapshot } from '../../fleet/fleet-snapshot.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Problem } from '../../read/problem.ts';

/** The names that waivers may contain. */
export interface WaivableNames {
  readonly policies: readonly Policy[];
  /**
   * The bundles and fleet of a plan; absent: a check that has neither hooks nor all components, so
   * that hooks and places are not examined.
   */
  readonly plan?: { readonly bundles: readonly ComponentBundle[]; readonly snapshot: FleetSnapshot } | undefined;
}

/**
 * The errors of waivers: an unknown rule, and in a plan a cluster or component that neither the
 * fleet nor a bundle has. Such a waiver accepts nothing, although a user relies on it. In the order
 * of the file.
 */
export function waiverProblems(
  waivers: readonly Waiver[],
  { policies, plan }: WaivableNames,
  { source, lineOf }: { readonly source: string; readonly lineOf: (path: string) => number },
): readonly Problem[] {
  const rules = new Set<string>([...rulesOf(policies), ...planRules, ...crdRules.map(({ id }) => id)]);
  const hooks = plan === undefined ? undefined : hooksOf(plan.bundles);
  const places = plan === undefined ? undefined : placesOf(plan);
  const problem = (path: string, message: string): Problem => ({ source, line: lineOf(path), path, message });
  return waivers.flatMap(({ rule, path, crd }, at) => {
    const where = `spec.waivers[${at}]`;
    const isHook = hooks?.has(rule) ?? rule.startsWith('hook.');
    if (!rules.has(rule) && !isHook && !ofOtherChecks(rule))
      return [
        problem(
          `${where}.rule`,
          `no policy and no check has the rule ${rule}; plans and checks print the rule of a finding after its severity`,
        ),
      ];
    // With a CRD the path is a field of it; a path with other characters names an object or a
    // field.
    const isPlace =
      crd === undefined && path !== undefined && /^[a-z0-9][-a-z0-9]*(?:\/[a-z0-9][-.a-z0-9]*)?$/.test(path);
    const unknown = isPlace ? path.split('/').filter((one) => places?.has(one) === false) : [];
    return unknown.map((one) =>
      problem(`${where}.path`, `the snapshot and the bundles have no cluster, ClusterSet, Node or component ${one}`),
    );
  });
}

/** Whether a plan does not ask for a rule; a file of waivers may serve several commands. */
export function ofOtherChecks(rule: string): boolean {
  return /^(?:[DLMP]\d{1,2}|(?:bundle|eksa|crd|file|removal|metrics|placement|api|release)\.[-a-z0-9.]+)$/.test(rule);
}

function rulesOf(policies: readonly Policy[]): readonly string[] {
  return policies.flatMap(({ spec }) =>
    Object.values(spec)
      .flatMap((one: unknown): readonly unknown[] => (Array.isArray(one) ? one : []))
      .flatMap((one) => (isRecord(one) && typeof one['id'] === 'string' ? [one['id']] : [])),
  );
}

function hooksOf(bundles: readonly ComponentBundle[]): ReadonlySet<string> {
  const components = bundles.flatMap((bundle) => placedComponents(bundle).map(({ component }) => component));
  return new Set(components.flatMap(({ hooks }) => hooks.map(({ id }) => `hook.${id}`)));
}

function placesOf({ bundles, snapshot }: NonNullable<WaivableNames['plan']>): ReadonlySet<string> {
  const components = bundles.flatMap((bundle) => placedComponents(bundle).map(({ component }) => component));
  const { clusters, clusterSets, clients } = snapshot.spec;
  return new Set([
    ...components.flatMap((one) => [one.id, typeOf(one)]),
    ...clusterSets.map(({ name }) => name),
    ...clients.map(({ component }) => component),
    ...clusters.flatMap((one) => [
      one.name,
      ...one.components.flatMap(({ id, live }) => [id, ...live.flatMap(({ node }) => node ?? [])]),
    ]),
  ]);
}
