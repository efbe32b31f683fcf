/**
 * Orders the versions of an API as Kubernetes prefers them: GA before beta before alpha, higher
 * numbers first, then other names, bytewise. Negative if `a` is preferred. Source: kube-apiserver's
 * order of CRD versions.
 */
export function compareApiVersions(a: string, b: string): number {
  const [x, y] = [rankOf(a), rankOf(b)];
  if (x === undefined || y === undefined) {
    if (x !== undefined) return -1;
    if (y !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return x.reduce((found, value, index) => (found === 0 ? (y[index] ?? 0) - value : found), 0);
}

/** The stability of a version by its name; undefined if the name has another form. */
export function stabilityOf(version: string): 'ga' | 'beta' | 'alpha' | undefined {
  const found = /^v[1-9]\d*(?:(alpha|beta)[1-9]\d*)?$/.exec(version);
  if (found === null) return undefined;
  return found[1] === undefined ? 'ga' : found[1] === 'beta' ? 'beta' : 'alpha';
}

/** Stability, major, minor: the higher the more preferred. */
function rankOf(version: string): readonly number[] | undefined {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (found === null) return undefined;
  const stability = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}
