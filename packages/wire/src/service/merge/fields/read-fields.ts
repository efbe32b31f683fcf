import type { ExportedMetadata } from './exported-metadata.ts';
import { readExportedMetadata } from './exported-metadata.ts';
import type { ServiceFields } from './merge-fields.ts';
import type { Problems } from '../problems.ts';
import { wholeValues } from './whole-fields.ts';
import { isAbsent, listOf, shown } from '../../../untrusted.ts';

/**
 * The valid content of a `serviceSpec` and of the exported labels and annotations beside it. A
 * value that is not valid is reported and counts as absent.
 */
export function readServiceFields(
  spec: Readonly<Record<string, unknown>>,
  exported: Readonly<Record<keyof ExportedMetadata, unknown>>,
  problems: Problems,
): ServiceFields {
  return {
    type: isHeadless(spec) ? 'Headless' : 'ClusterSetIP',
    ...wholeValues(({ read }) => read(spec, problems)),
    ipFamilies: readIPFamilies(spec['ipFamilies'], problems),
    ...readExportedMetadata(exported, problems),
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
  const unknownFamily = list?.find((family) => family !== 'IPv4' && family !== 'IPv6');
  if (unknownFamily !== undefined) {
    problems.add(`ipFamilies of the Service: ${shown(unknownFamily)} is neither IPv4 nor IPv6; left out`);
  }
  const families = (['IPv4', 'IPv6'] as const).filter((family) => list?.includes(family));
  return families.length === 0 ? undefined : families;
}
