import type { ServiceFields } from './fields/merge-fields.ts';
import type { PortsExporter } from './ports/merge-ports.ts';
import { byPrecedence, bytewise, firstExportedMs } from './precedence.ts';
import { mergeProblemsOf } from './problems.ts';
import type { Problems } from './problems.ts';
import { readEndpoints } from './endpoints/read-endpoints.ts';
import type { ReadEndpoints } from './endpoints/read-endpoints.ts';
import { readServiceFields } from './fields/read-fields.ts';
import { readServicePorts } from './ports/read-ports.ts';
import type { MergeProblem } from './problems.ts';
import { isClusterID, recordOf, shown } from '../../untrusted.ts';

/** One cluster's export, without values that are not valid. */
export interface ReadExport extends PortsExporter {
  readonly fields: ServiceFields;
  /**
   * Whether its endpoint addresses are those of Pods. Otherwise, one address per family represents
   * all Pods.
   */
  readonly hasPodIPs: boolean;
  readonly endpoints: ReadEndpoints;
  readonly problems: Problems;
}

/**
 * The usable exports in order of precedence, one per cluster, and the problems of the others.
 *
 * Left out and reported: an export whose cluster ID cannot be part of names, one without a Service,
 * one of type ExternalName (docs/spec/mcs-api.md §3), and the younger of two exports of one
 * cluster.
 */
export function readExports(exports: readonly unknown[]): {
  readonly exporters: readonly ReadExport[];
  readonly refused: readonly MergeProblem[];
} {
  const read: ReadExport[] = [];
  const refused: MergeProblem[] = [];
  for (const each of exports) {
    const outcome = readExport(each);
    if ('problems' in outcome) read.push(outcome);
    else refused.push(outcome);
  }
  read.sort((a, b) => byPrecedence(a, b) || byContent(a, b));
  const exporters = new Map<string, ReadExport>();
  for (const each of read) {
    const first = exporters.get(each.clusterID);
    if (first === undefined) exporters.set(each.clusterID, each);
    else first.problems.add('the cluster exports the Service more than once; only the oldest of these exports counts');
  }
  refused.sort((a, b) => bytewise(a.clusterID, b.clusterID) || bytewise(a.message, b.message));
  return { exporters: [...exporters.values()], refused };
}

function readExport(value: unknown): ReadExport | MergeProblem {
  const record = recordOf(value) ?? {};
  const clusterID = record['clusterID'];
  if (!isClusterID(clusterID)) {
    const message = `cluster ID ${shown(clusterID)} is not a DNS subdomain of at most 63 characters; its export is left out`;
    return { clusterID: typeof clusterID === 'string' ? clusterID.slice(0, 63) : '', message };
  }
  const spec = recordOf(record['service']);
  if (spec === undefined) return { clusterID, message: 'the export does not describe the Service; left out' };
  if (spec['type'] === 'ExternalName') {
    return { clusterID, message: 'a Service of type ExternalName cannot be exported; left out' };
  }
  const problems = mergeProblemsOf(clusterID);
  const ageMs = firstExportedMs(record['firstExported']);
  if (ageMs === Infinity) {
    problems.add(
      `time of the first export: ${shown(record['firstExported'])} is not an RFC 3339 time; the export counts as the youngest`,
    );
  }
  const exported = {
    exportedLabels: record['exportedLabels'],
    exportedAnnotations: record['exportedAnnotations'],
  };
  const fields = readServiceFields(spec, exported, problems);
  const ports = readServicePorts(spec['ports'], problems);
  if (ports.length === 0 && fields.type !== 'Headless') problems.add('the Service has no valid port');
  return {
    clusterID,
    firstExportedMs: ageMs,
    fields,
    ports,
    hasPodIPs: fields.type === 'Headless' || record['endpointIPType'] === 'PodIP',
    endpoints: readEndpoints(record['endpoints'], problems),
    problems,
  };
}

/**
 * Orders two exports of one cluster and one age by their content, so that their order in the input
 * does not matter.
 */
function byContent(a: ReadExport, b: ReadExport): number {
  const text = ({ fields, ports, hasPodIPs, endpoints, problems }: ReadExport) =>
    JSON.stringify([fields, ports, hasPodIPs, endpoints, problems.list()]);
  return bytewise(text(a), text(b));
}
