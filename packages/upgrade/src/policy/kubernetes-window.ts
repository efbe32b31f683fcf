import { minorOf } from '../version/parse-version.ts';
import type { Minor, Version } from '../version/version.ts';
import type { KubernetesWindow } from './version-rules.ts';

/** A range of Kubernetes minors that a bundle promises for a component, both included. */
export interface SupportedKubernetes {
  readonly min: Minor;
  readonly max: Minor;
}

/**
 * The Kubernetes minors that Kubernetes maintained when its newest minor was `newest`, newest
 * first: as many as the rule counts, fewer up to its earlier count (docs/spec/upgrades.md §2.8).
 * Minors below 0 are left out.
 */
export function maintainedMinors(newest: Minor, rule: NonNullable<KubernetesWindow['maintained']>): readonly Minor[] {
  const [major = 0, minor = 0] = numbers(newest);
  const upTo = rule.countUpTo;
  const isEarlier = upTo !== undefined && compareMinors(newest, upTo.newest) <= 0;
  const count = Math.min(isEarlier ? upTo.count : rule.count, minor + 1);
  return Array.from({ length: count }, (_, back) => `${major}.${minor - back}`);
}

/**
 * The Kubernetes minors that a version runs on by a rule, or undefined if the rule's data does not
 * contain the version.
 */
export function supportedMinors(
  rule: Pick<KubernetesWindow, 'lists' | 'maintained'>,
  version: Version,
): readonly Minor[] | undefined {
  const minor = minorOf(version);
  if (minor === undefined) return undefined;
  const list = rule.lists[minor];
  if (list !== undefined) return list;
  const newest = rule.maintained?.newestAtRelease[minor];
  return newest === undefined || rule.maintained === undefined ? undefined : maintainedMinors(newest, rule.maintained);
}

/** By their numbers; both must be minors. */
export function compareMinors(a: Minor, b: Minor): number {
  const [left, right] = [numbers(a), numbers(b)];
  return (left[0] ?? 0) - (right[0] ?? 0) || (left[1] ?? 0) - (right[1] ?? 0);
}

function numbers(minor: Minor): readonly number[] {
  return minor.split('.').map(Number);
}
