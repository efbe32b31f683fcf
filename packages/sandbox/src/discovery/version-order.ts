/**
 * Versions as Kubernetes prefers them: `v2`, `v1`, `v2beta1`, `v1beta2`, `v1alpha1`, then all else
 * bytewise. For sorting, preferred first.
 */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [partsOf(a), partsOf(b)];
  if (x === undefined || y === undefined) {
    if (x !== undefined) return -1;
    if (y !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return y.stability - x.stability || y.major - x.major || y.minor - x.minor;
}

interface VersionParts {
  readonly major: number;
  readonly stability: number;
  readonly minor: number;
}

const stabilities: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

function partsOf(version: string): VersionParts | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability, minor] = match;
  return {
    major: Number(major),
    stability: stability === undefined ? 2 : (stabilities[stability] ?? 2),
    minor: Number(minor ?? 0),
  };
}
