import type { ReadComponent } from './eksa-components.ts';

/**
 * From paths in the bundle that was made to paths in the file of EKS Anywhere that it was made of.
 */
export function originsOf(
  shared: readonly ReadComponent[],
  perMinor: ReadonlyMap<string, { readonly components: readonly ReadComponent[] }>,
): (path: string) => string {
  const origins = new Map<string, string>();
  const tell = (at: string, { path, artifacts }: ReadComponent) => {
    origins.set(at, path);
    origins.set(`${at}.version`, path.endsWith('.eksD') ? path : `${path}.version`);
    artifacts.forEach((artifact, index) => origins.set(`${at}.artifacts[${index}]`, artifact.path));
  };
  shared.forEach((one, index) => tell(`spec.components[${index}]`, one));
  // Errors write a key of a map with a dot, findings in brackets.
  for (const [index, [minor, { components }]] of [...perMinor].entries())
    for (const at of [`spec.perKubernetes[${minor}]`, `spec.perKubernetes.${minor}`]) {
      origins.set(at, `spec.versionsBundles[${index}]`);
      components.forEach((one, place) => tell(`${at}.components[${place}]`, one));
    }
  return (path) => {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['), 0))) {
      const origin = origins.get(at);
      if (origin !== undefined) return origin;
    }
    return path.startsWith('spec.perKubernetes') ? 'spec.versionsBundles' : path;
  };
}
