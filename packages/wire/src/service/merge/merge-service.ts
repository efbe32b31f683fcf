import { canServe, conflictCondition } from './conflicts/conflicts.ts';
import { mergedSlices, mergedSubsets } from './endpoints/merge-endpoints.ts';
import { readExports } from './exporter.ts';
import type { ReadExport } from './exporter.ts';
import type { ServiceFields } from './fields/merge-fields.ts';
import { exposedPorts, mergedPortOf, uniteServicePorts } from './ports/merge-ports.ts';
import type { ServicePort } from './ports/merge-ports.ts';
import { bytewise } from './precedence.ts';
import type { EndpointGroup } from './endpoints/read-endpoints.ts';
import type { NumberedPort } from './ports/renamed-ports.ts';
import { formerPortNames, portNamesOf, stillSomewhere, underFormerNames } from './ports/renamed-ports.ts';
import { sliceLimitMessage } from './endpoints/slice-limit.ts';
import type { ExportedService, Merged, MergedPort } from './types.ts';
import { wholeValues } from './fields/whole-fields.ts';

/**
 * The result of merging the exports of one Service: the import for members, which cluster serves
 * which port, and the reports for the exporters.
 *
 * Guarantees:
 * - total: it returns for any content of the exports, and reports what it left out;
 * - a function of the set of exports, not of their order;
 * - it takes nothing from a younger export that an older one contradicts;
 * - idempotent: if each cluster exports its part of the result (the merged ports that it exposes,
 *   the merged fields, its endpoints as published), the import and all endpoints are the same.
 *
 * The rules are in merge-ports.ts, merge-fields.ts, merge-endpoints.ts and conflicts.ts.
 * `published`, the ports of the existing import, only matters if an exporter has renamed a port and
 * its endpoints do not have the new name yet. Then the port keeps the published name until they do.
 *
 * Assumes nothing about names: the caller that writes the exported labels and annotations to an
 * object gives its own keys precedence. Cost: linear in the size of the exports, and sorting.
 */
export function mergeService(exports: readonly ExportedService[], published: readonly NumberedPort[] = []): Merged {
  const { exporters: read, refused } = readExports(exports);
  const exporters = read.map((exporter) => untilServed(exporter, published));
  const oldest = exporters[0];
  const unions = uniteServicePorts(exporters);
  const exposed = exposedPorts(unions);
  const condition = conflictCondition(exporters, unions);
  const parts = exporters
    .map((exporter) => partOf(exporter, oldest ?? exporter, exposed.get(exporter.clusterID) ?? []))
    .sort((a, b) => bytewise(a.clusterID, b.clusterID));
  const perCluster = new Map(parts.map((part) => [part.clusterID, mergedSlices(part.endpoints, part.filter)]));
  const crowded = [...perCluster].flatMap(([clusterID, slices]) => {
    const message = sliceLimitMessage(slices.length);
    return message === undefined ? [] : [{ clusterID, message }];
  });
  const problems = [...refused, ...exporters.flatMap((exporter) => exporter.problems.list()), ...crowded];

  return {
    ...(oldest === undefined
      ? {}
      : mergedFields(
          oldest.fields,
          unions.map(({ port }) => mergedPortOf(port)),
        )),
    accepted: new Map(parts.map((part) => [part.clusterID, new Set(part.filter.ports.map((port) => port.name))])),
    subsets: parts.flatMap((part) => mergedSubsets(part.endpoints, part.filter)),
    perCluster,
    conflicts: new Map(parts.map((part) => [part.clusterID, condition])),
    problems: problems.sort((a, b) => bytewise(a.clusterID, b.clusterID)),
  };
}

/**
 * The export with the published names of those ports that its endpoints do not have under their new
 * names yet.
 */
function untilServed(exporter: ReadExport, published: readonly NumberedPort[]): ReadExport {
  const { ports, endpoints } = exporter;
  const groups = (endpoints.slices ?? endpoints.subsets ?? []).filter((group) => group.endpoints.length > 0);
  const waiting = stillSomewhere(
    formerPortNames(ports, published),
    groups.map((group) => portNamesOf(group.ports)),
  );
  if (waiting.size === 0) return exporter;
  const renamed = (list: readonly EndpointGroup[] | undefined): readonly EndpointGroup[] | undefined =>
    list?.map((group) => ({
      ...group,
      ports: underFormerNames(group.ports, waiting),
      ...(group.pods === undefined ? {} : { pods: renamed(group.pods) }),
    }));
  return {
    ...exporter,
    ports: underFormerNames(ports, waiting),
    endpoints: { subsets: renamed(endpoints.subsets), slices: renamed(endpoints.slices) },
  };
}

/** The part of one exporter's endpoints that may be used. */
function partOf(exporter: ReadExport, oldest: ReadExport, exposed: readonly ServicePort[]) {
  const { clusterID, endpoints } = exporter;
  if (!canServe(exporter, oldest)) return { clusterID, endpoints, filter: { ports: [], portless: false } };
  const portless = oldest.fields.type === 'Headless' && exporter.ports.length === 0;
  return { clusterID, endpoints, filter: { ports: exposed, portless } };
}

/** The fields of the oldest export; fields that its Service does not have are absent. */
function mergedFields(
  fields: ServiceFields,
  ports: readonly MergedPort[],
): Pick<Merged, 'import' | 'exportedLabels' | 'exportedAnnotations'> {
  const { type, exportedLabels, exportedAnnotations } = fields;
  return {
    import: { type, ports, ...wholeValues((_, field) => fields[field]) },
    ...(exportedLabels === undefined ? {} : { exportedLabels }),
    ...(exportedAnnotations === undefined ? {} : { exportedAnnotations }),
  };
}
