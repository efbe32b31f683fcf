import { compareVersions } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';
import type { Policy } from '../policy.ts';

type Feature = Policy['spec']['features'][number];

/** A feature, and how stable it is in some release. */
export interface FeatureStage {
  readonly feature: Feature;
  readonly stage: Feature['stages'][number]['stage'];
  /** The release with which that stage began. */
  readonly since: string;
}

/**
 * The features that a release of a component has, by name; those that came later or are removed by
 * then are not among them.
 */
export function featuresAt(version: Version, component: string, policies: readonly Policy[]): readonly FeatureStage[] {
  const isReached = (since: string) => ['equal', 'newer'].includes(compareVersions(parseVersion(since), version));
  return policies
    .flatMap(({ spec }) => spec.features)
    .filter((feature) => feature.component === component)
    .flatMap((feature) => {
      const reached = feature.stages.findLast(({ since }) => isReached(since));
      return reached === undefined || reached.stage === 'removed' ? [] : [{ feature, ...reached }];
    })
    .toSorted((a, b) => (a.feature.name < b.feature.name ? -1 : 1));
}
