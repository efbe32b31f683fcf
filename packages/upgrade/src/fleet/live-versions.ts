import { compareReleases } from '../version/compare-versions.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { Version, VersionScheme } from '../version/version.ts';
import type { InstalledComponent, LiveVersion } from './fleet-snapshot.ts';

/** A version of a component that runs, or was last known to run: one entry per Node or replica. */
export interface Running {
  readonly version: Version;
  readonly node?: string | undefined;
  readonly name?: string | undefined;
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * The versions that a component is taken to run (docs/spec/upgrades.md §1.4): the live versions if
 * they were read, otherwise the recorded one. If a live version is of the recorded release and has
 * no build, it gets the recorded build, because a tag cannot contain a build. Sorted by Node and
 * name. Empty if nothing is known at all. An entry may have an empty version, if the image does not
 * contain it and nothing is recorded.
 */
export function runningOf(installed: InstalledComponent, scheme: VersionScheme = 'semver'): readonly Running[] {
  const recorded = installed.recorded?.version ?? '';
  if (installed.live.length === 0) {
    return installed.recorded === undefined
      ? []
      : [{ version: parseVersion(recorded, scheme), digests: installed.recorded.digests }];
  }
  const record = parseVersion(recorded, scheme);
  return installed.live
    .map((live: LiveVersion) => ({
      version: withBuild(parseVersion(live.version === '' ? recorded : live.version, scheme), record),
      node: live.node,
      name: live.name,
      digests: live.digests,
    }))
    .toSorted((a, b) => {
      const [left, right] = [placeOf(a), placeOf(b)];
      return left < right ? -1 : left > right ? 1 : 0;
    });
}

function withBuild(live: Version, recorded: Version): Version {
  const isOneRelease =
    live.core !== undefined &&
    recorded.core !== undefined &&
    compareReleases(live, recorded) === 0 &&
    live.revision === recorded.revision;
  return isOneRelease && live.build === '' ? recorded : live;
}

function placeOf({ node = '', name = '', version }: Running): string {
  return `${node}\n${name}\n${version.text}`;
}
