import { isRecord, parseManifests } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';

/** The parts of a version that decide which checks run, and what the API server is asked. */
export interface VersionContent {
  /** CRDs of apiextensions.k8s.io/v1, each name once: the last one counts. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** Whether any Kubernetes object is there. */
  readonly hasObjects: boolean;
  /** Files by the kind of their first object, for kinds that have a check of their own. */
  readonly files: Readonly<Record<'bundle' | 'snapshot' | 'metrics', string | undefined>>;
}

/**
 * Reads a version from the texts of its files. A file that is not YAML is left out: the checks
 * report it.
 */
export function versionContent(texts: Readonly<Record<string, string>>): VersionContent {
  const definitions = new Map<string, CustomResourceDefinition>();
  const files: Record<string, string> = {};
  let hasObjects = false;
  for (const [path, text] of Object.entries(texts)) {
    if (/(?:^|\/)metrics\.(?:txt|prom)$/.test(path)) files['metrics'] = path;
    if (!/\.(?:ya?ml|json)$/.test(path)) continue;
    for (const value of documentsOf(text)) {
      const { apiVersion, kind, metadata } = value;
      hasObjects = true;
      if (kind === 'ComponentBundle' || (kind === 'Bundles' && String(apiVersion).includes('eks.amazonaws.com')))
        files['bundle'] = path;
      if (kind === 'FleetSnapshot') files['snapshot'] = path;
      if (kind !== 'CustomResourceDefinition' || apiVersion !== 'apiextensions.k8s.io/v1' || !isRecord(metadata))
        continue;
      definitions.set(String(metadata['name']), value as unknown as CustomResourceDefinition);
    }
  }
  const { bundle, snapshot, metrics } = files;
  return { definitions: [...definitions.values()], hasObjects, files: { bundle, snapshot, metrics } };
}

function documentsOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  let values: readonly unknown[];
  try {
    values = parseManifests(text, { source: '', onRepeatedKey() {} }).map(({ value }) => value);
  } catch {
    return [];
  }
  return values.flatMap(itemsOf);
}

function itemsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return [];
  const { kind, items } = value;
  return kind.endsWith('List') && Array.isArray(items) ? items.flatMap(itemsOf) : [value];
}
