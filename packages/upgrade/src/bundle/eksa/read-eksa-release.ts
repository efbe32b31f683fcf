import type { Problem } from '../../read/problem.ts';
import type { IndexedBundle } from '../latest-bundle.ts';
import { isRecord } from '@isthmus/machinery';
import { eksaChannel, eksaGroup } from './eksa-names.ts';

/** The releases that a `Release` of EKS Anywhere lists. */
export interface EksaRelease {
  readonly latestVersion: string | undefined;
  /** In the order of the file. Without digests: the format has none. */
  readonly bundles: readonly IndexedBundle[];
}

/** Whether a document is of the kind `Release` of EKS Anywhere. */
export function isEksaRelease(value: unknown): boolean {
  return isRecord(value) && String(value['apiVersion']).startsWith(`${eksaGroup}/`) && value['kind'] === 'Release';
}

/**
 * Reads a `Release` of EKS Anywhere as the entries of an index. Never throws for the content of the
 * document.
 */
export function readEksaRelease(
  document: unknown,
  context: { readonly source: string; readonly lineOf: (path: string) => number },
): ({ readonly kind: 'read' } & EksaRelease) | { readonly kind: 'refused'; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string) =>
    void problems.push({ source: context.source, line: context.lineOf(path), path, message });
  const spec = isRecord(document) && isRecord(document['spec']) ? document['spec'] : {};
  const { releases, latestVersion } = spec;
  const bundles: IndexedBundle[] = [];
  if (!Array.isArray(releases)) refuse('spec.releases', 'Required value: the list of releases');
  else {
    for (const [index, release] of (releases as readonly unknown[]).entries()) {
      const path = `spec.releases[${index}]`;
      const { version, number, date, bundleManifestUrl } = isRecord(release) ? release : {};
      if (typeof version !== 'string' || version === '')
        refuse(`${path}.version`, 'expected a version such as v0.19.0');
      else if (!Number.isSafeInteger(number)) refuse(`${path}.number`, 'expected the number of its bundle');
      else if (typeof bundleManifestUrl !== 'string' || bundleManifestUrl === '') {
        refuse(`${path}.bundleManifestUrl`, 'expected where its bundle is');
      } else {
        bundles.push({
          name: `bundles-${String(number)}`,
          channel: eksaChannel,
          number: number as number,
          releaseVersion: version,
          createdAt: typeof date === 'string' ? timeOf(date) : '',
          uri: bundleManifestUrl,
        });
      }
    }
  }
  if (problems.length > 0) return { kind: 'refused', problems };
  return { kind: 'read', latestVersion: typeof latestVersion === 'string' ? latestVersion : undefined, bundles };
}

/**
 * A time as RFC 3339 has it; empty if the text is not a time (`2024-02-13 21:11:37 +0000 UTC` is
 * how Go prints one).
 */
function timeOf(text: string): string {
  const ms = Date.parse(text.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.\d+)? \+0000 UTC$/, '$1T$2Z'));
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace('.000Z', 'Z');
}
