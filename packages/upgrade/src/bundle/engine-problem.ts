import { inRange, parseVersionRange } from '../version/parse-version-range.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { ComponentBundle } from './component-bundle.ts';

/**
 * Why this version of isthmus may not work with a bundle; undefined where it may. Every command
 * that uses a bundle, to plan or to judge a release, asks before it does anything; those that show
 * or compare one do not (EKS Anywhere has the fields and reads them nowhere:
 * docs/spec/upgrades.md §1.1).
 */
export function engineProblem(
  bundle: ComponentBundle,
  engineVersion: string,
): { readonly why: string; readonly unblock: string } | undefined {
  const { min, max } = bundle.spec.engine;
  const bounds = [...(min === undefined ? [] : [`>=${min}`]), ...(max === undefined ? [] : [`<=${max}`])];
  const range = parseVersionRange(bounds.join(' '));
  if ('problem' in range) {
    return { why: `the versions of isthmus that it is for: ${range.problem}`, unblock: 'correct spec.engine' };
  }
  if (bounds.length === 0 || inRange(parseVersion(engineVersion), range)) return undefined;
  const { name } = bundle.metadata;
  return {
    why: `the bundle ${name} requires isthmus ${range.text}, but this is isthmus ${engineVersion}`,
    unblock: `use isthmus ${range.text}, or another bundle`,
  };
}
