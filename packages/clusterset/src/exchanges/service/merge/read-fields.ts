import type { ServiceFields, StringMap } from './fields.ts';
import type { Problems } from './problems.ts';
import { wholeValues } from './whole-fields.ts';
import { isAbsent, isLabelValue, isQualifiedName, listOf, recordOf, shown } from '../../../exchange/untrusted.ts';

/** Bytes of all annotations of an object together, as the API server allows. */
const maxAnnotationBytes = 256 * 1024;

/**
 * What a `serviceSpec` and the exported labels and annotations beside it can mean; what cannot be valid is reported and counts as
 * absent.
 */
export function readServiceFields(
  spec: Readonly<Record<string, unknown>>,
  exported: { readonly labels: unknown; readonly annotations: unknown },
  problems: Problems,
): ServiceFields {
  return {
    type: isHeadless(spec) ? 'Headless' : 'ClusterSetIP',
    ...wholeValues(({ read }) => read(spec, problems)),
    ipFamilies: readIPFamilies(spec['ipFamilies'], problems),
    exportedLabels: readMap(exported.labels, 'exportedLabels', { key: isQualifiedName, value: isLabelValue }, problems),
    exportedAnnotations: readAnnotations(exported.annotations, problems),
  };
}

function isHeadless(spec: Readonly<Record<string, unknown>>): boolean {
  return spec['clusterIP'] === 'None' || listOf(spec['clusterIPs'])?.[0] === 'None';
}

function readIPFamilies(value: unknown, problems: Problems): ServiceFields['ipFamilies'] {
  const list = listOf(value);
  if (list === undefined && !isAbsent(value)) {
    problems.add(`ipFamilies of the Service: expected a list, got ${shown(value)}; ignored`);
  }
  const stranger = list?.find((family) => family !== 'IPv4' && family !== 'IPv6');
  if (stranger !== undefined) {
    problems.add(`ipFamilies of the Service: ${shown(stranger)} is neither IPv4 nor IPv6; left out`);
  }
  const families = (['IPv4', 'IPv6'] as const).filter((family) => list?.includes(family));
  return families.length === 0 ? undefined : families;
}

function readAnnotations(value: unknown, problems: Problems): StringMap | undefined {
  const accepts = {
    key: (key: string) => isQualifiedName(key.toLowerCase()),
    value: (text: unknown) => typeof text === 'string',
  };
  const map = readMap(value, 'exportedAnnotations', accepts, problems);
  if (map === undefined) return undefined;
  const bytes = Object.entries(map).reduce((sum, [key, text]) => sum + utf8Length(key) + utf8Length(text), 0);
  if (bytes <= maxAnnotationBytes) return map;
  problems.add(`exportedAnnotations: ${bytes} bytes exceed the limit of ${maxAnnotationBytes}; ignored`);
  return undefined;
}

function readMap(
  value: unknown,
  what: string,
  accepts: { readonly key: (key: string) => boolean; readonly value: (text: unknown) => boolean },
  problems: Problems,
): StringMap | undefined {
  if (isAbsent(value)) return undefined;
  const record = recordOf(value);
  if (record === undefined) {
    problems.add(`${what}: expected an object, got ${shown(value)}; ignored`);
    return undefined;
  }
  const kept: [string, string][] = [];
  for (const [key, text] of Object.entries(record)) {
    if (!accepts.key(key)) problems.add(`${what}: ${shown(key)} is not a valid key; left out`);
    else if (typeof text !== 'string' || !accepts.value(text))
      problems.add(`${what}: the value of ${shown(key)} is not valid; left out`);
    else kept.push([key, text]);
  }
  // fromEntries defines properties where an assignment would call setters of the prototype.
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
