import { fullVersion, versionOf } from '../../bundle/components-of.ts';
import type { Component, Requirement } from '../../bundle/component.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import type { ReleaseNote } from '../../policy/change-rules.ts';
import { releaseNotes } from '../../policy/releases/release-notes.ts';
import { typeOf } from '../../bundle/type-of.ts';
import { inRange, parseVersionRange } from '../../version/parse-version-range.ts';
import { minorOf } from '../../version/parse-version.ts';
import { boundPolicies } from '../input/bound-policies.ts';
import type { PlannedChange } from '../paths/hop-paths.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import { isKubernetes, kubernetesOf, targetsOf } from '../input/planner-context.ts';

/** The findings about the fleet, the bundle and the changes that do not depend on their order. */
export function fleetFindings(changes: readonly PlannedChange[], context: PlannerContext): readonly Finding[] {
  return [
    ...unreachableFindings(context),
    ...bundleFindings(context),
    ...changeFindings(changes, context),
    ...requirementFindings(changes, context),
  ];
}

function unreachableFindings({ clusters, input }: PlannerContext): readonly Finding[] {
  const unread = clusters.filter(
    ({ name, reachable, paused }) => !reachable && !paused && input.leftOut?.has(name) !== true,
  );
  const dead = unread.map(({ name }) => name);
  if (dead.length <= input.unreachableAllowed) return [];
  const why = `${dead.length === 1 ? 'a cluster' : `${dead.length} clusters`} did not answer (${dead.join(', ')}), and ${input.unreachableAllowed} may`;
  // Snapshots of live clusters have those of a ClusterSet for which no context was given.
  const isNotAsked = unread.some(({ context, notRead }) => context === undefined && notRead !== undefined);
  const repair = `repair ${dead.length === 1 ? 'it' : 'them'}${isNotAsked ? ', or pass the missing contexts,' : ''}`;
  const unblock = `${repair} and take the snapshot again, set paused: true in the snapshot, or use --max-unreachable ${dead.length}; delete clusters from the snapshot that no longer exist`;
  return [planFinding('plan.unreachable', 'block', {}, { why, unblock })];
}

/** The bundle itself: it has expired, or has no Kubernetes of the minor that was asked for. */
function bundleFindings({ input, clusters, byId }: PlannerContext): readonly Finding[] {
  const { metadata, spec } = input.bundle.bundle;
  const findings: Finding[] = [];
  if (spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= Date.parse(input.snapshot.spec.takenAt)) {
    const why = `the bundle ${metadata.name} expired at ${spec.expiresAt}`;
    findings.push(planFinding('plan.expired', 'warn', {}, { why, unblock: 'use a newer bundle' }));
  }
  findings.push(...policyFindings(input));
  const has = [...byId.values()].filter(isKubernetes);
  for (const cluster of input.kubernetes === undefined ? [] : clusters) {
    if (input.leftOut?.has(cluster.name) === true) continue;
    const { components, problem } = targetsOf(cluster, { input });
    if (problem !== undefined || kubernetesOf(cluster) === undefined || components.some(isKubernetes)) continue;
    const wanted = has.map((one) => minorOf(versionOf(one)) ?? '').toSorted();
    const why = `Kubernetes ${input.kubernetes} was requested, but the bundle ${metadata.name} (number ${spec.number}) does not have it for this cluster${wanted.length === 0 ? '' : `; it has ${[...new Set(wanted)].join(', ')}`}`;
    const unblock =
      wanted.length === 0
        ? 'leave out --kubernetes, since the bundle has no components of Kubernetes, or use a bundle that has them'
        : 'choose a minor that the bundle has (--kubernetes)';
    findings.push(planFinding('plan.kubernetes', 'block', { cluster: cluster.name }, { why, unblock }));
  }
  return findings;
}

/** Reports policies that the bundle requires and that are not available, or have another digest. */
function policyFindings(input: PlannerContext['input']): readonly Finding[] {
  const { metadata, spec } = input.bundle.bundle;
  const atHand = new Map(boundPolicies(input).map((one) => [one.name, one.digest]));
  return spec.policies.flatMap(({ name, digest }) => {
    const found = atHand.get(name);
    if (found !== undefined && (digest === undefined || digest === found)) return [];
    const why =
      found === undefined
        ? `the bundle ${metadata.name} requires the policy ${name}, which is not available`
        : `the bundle ${metadata.name} requires the policy ${name} with the digest ${digest}, but the available one has ${found}`;
    const unblock = 'pass the policy of the bundle with --policy';
    return [planFinding('plan.policy', 'block', {}, { why, unblock })];
  });
}

/** The findings of policies about the releases that a change goes to. */
function changeFindings(
  changes: readonly PlannedChange[],
  { input, clusters, familyOf }: PlannerContext,
): readonly Finding[] {
  const notes = input.policies.flatMap(({ spec }) => spec.notes);
  const isSettledIn = (family: string, { settledBy }: ReleaseNote): boolean => {
    if (settledBy === undefined) return false;
    const { fact, equals, roles } = settledBy;
    const concerned = clusters.filter(
      (one) => familyOf(one.name) === family && roles.some((role) => one.roles.includes(role)),
    );
    return concerned.length > 0 && concerned.every(({ facts }) => Object.hasOwn(facts, fact) && facts[fact] === equals);
  };
  return changes.flatMap(({ component, cluster, family, running }) => {
    const settled = new Set(notes.filter((one) => isSettledIn(family, one)).map(({ id }) => id));
    return running.flatMap(({ version }) =>
      releaseNotes(version, versionOf(component), typeOf(component), input.policies)
        .filter(({ rule }) => !settled.has(rule))
        .map((one) => ({ ...one, subject: { cluster: cluster?.name, component: component.id } })),
    );
  });
}

/**
 * Requirements that what will run in a cluster does not meet: versions, and contracts between
 * providers (docs/spec/upgrades.md §4).
 */
function requirementFindings(changes: readonly PlannedChange[], context: PlannerContext): readonly Finding[] {
  const targets = new Map<string, ReadonlyMap<string, Component>>();
  const targetOf = (cluster: ClusterSnapshot) => {
    const known =
      targets.get(cluster.name) ?? new Map(targetsOf(cluster, context).components.map((one) => [one.id, one]));
    targets.set(cluster.name, known);
    return known;
  };
  return changes.flatMap(({ component, cluster }) =>
    cluster === undefined
      ? []
      : component.requires.flatMap((requirement) => unmet(requirement, component, cluster, targetOf(cluster)) ?? []),
  );
}

function unmet(
  requirement: Requirement,
  component: Component,
  cluster: ClusterSnapshot,
  targets: ReadonlyMap<string, Component>,
): Finding | undefined {
  const { component: id, range, contract, reason } = requirement;
  const subject = { cluster: cluster.name, component: component.id };
  const words = `${component.id} ${fullVersion(component)} requires ${id}${range === undefined ? '' : ` ${range}`}${contract === undefined ? '' : ` with the contract ${contract}`}${reason === undefined ? '' : ` (${reason})`}`;
  const installed = cluster.components.find((one) => one.id === id);
  const target = installed?.skip === undefined ? targets.get(id) : undefined;
  const block = (why: string, unblock: string) =>
    planFinding('plan.requires', 'block', subject, { why: `${words}, and ${why}`, unblock });
  if (target === undefined && installed === undefined) {
    return block('it is neither in the cluster nor in the bundle', `include ${id} in the bundle`);
  }
  const versions =
    target === undefined && installed !== undefined
      ? runningOf(installed).map(({ version }) => version)
      : target === undefined
        ? []
        : [versionOf(target)];
  const parsed = range === undefined ? undefined : parseVersionRange(range);
  const outside = parsed === undefined || 'problem' in parsed ? [] : versions.filter((one) => !inRange(one, parsed));
  if (outside.length > 0) {
    return block(
      `${outside.map(({ text }) => text || 'an unknown version').join(', ')} will run`,
      `include ${id} ${range ?? ''} in the bundle`,
    );
  }
  if (contract === undefined || target?.contracts.includes(contract) === true) return undefined;
  const has =
    target === undefined
      ? 'it is not upgraded, so its contracts are unknown'
      : `${fullVersion(target)} has ${target.contracts.join(', ') || 'none'}`;
  return block(has, `include a version of ${id} that has ${contract}`);
}
