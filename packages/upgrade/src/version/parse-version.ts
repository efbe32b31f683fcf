import type { Minor, Version, VersionCore, VersionScheme } from './version.ts';

/**
 * Reads a version by its scheme. Total: a text that the scheme does not understand is a version
 * without a core.
 */
export function parseVersion(text: string, scheme: VersionScheme = 'semver'): Version {
  const plus = text.indexOf('+');
  const release = plus < 0 ? text : text.slice(0, plus);
  const build = plus < 0 ? '' : text.slice(plus + 1);
  const bare: Version = { text, scheme, prerelease: [], revision: 0, build };
  if (scheme === 'opaque') return bare;
  const [, major, minor, patch = scheme === 'calver' ? '0' : undefined, suffix] = releasePattern.exec(release) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return bare;
  const core = { major: Number(major), minor: Number(minor), patch: Number(patch) };
  if (!Object.values(core).every(Number.isSafeInteger)) return bare;
  if (suffix === undefined) return { ...bare, core };
  const distro = build === '' && scheme !== 'calver' ? distroBuild(suffix, core) : undefined;
  if (distro !== undefined) return { ...bare, core, build: distro };
  if (scheme === 'eks-suffix' && /^\d{1,15}$/.test(suffix)) return { ...bare, core, revision: Number(suffix) };
  return { ...bare, core, prerelease: suffix.split('.') };
}

const releasePattern = /^[vV]?(\d+)\.(\d+)(?:\.(\d+))?(?:-([-.0-9A-Za-z]+))?$/;

/**
 * EKS Distro marks a build of Kubernetes where others mark a pre-release: a kubelet reports
 * `v1.31.14-eks-1-31-47`, an image has the tag `v1.31.14-eks-d-1-31-47`, and the release is called
 * `kubernetes-1-31-eks-47`, which is the build for all three. Kubernetes of Amazon EKS,
 * `v1.31.14-eks-5d4a308`, is a build as well, of that name.
 */
function distroBuild(suffix: string, { major, minor }: VersionCore): string | undefined {
  if (!suffix.startsWith('eks-')) return undefined;
  const [, release] = new RegExp(`^eks-(?:d-)?${major}-${minor}-(\\d{1,9})$`).exec(suffix) ?? [];
  return release === undefined ? suffix : `kubernetes-${major}-${minor}-eks-${release}`;
}

/** `1.15` of `v1.15.2-rc.1`; undefined where there is no core. */
export function minorOf({ core }: Version): Minor | undefined {
  return core === undefined ? undefined : `${core.major}.${core.minor}`;
}
