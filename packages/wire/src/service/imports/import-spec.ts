import type { ResourceImport, ServiceImport, ServiceImportPort } from '@isthmus/api';
import type { Complete } from '@isthmus/schema';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { readPortNumber, readProtocol } from '../merge/ports/read-ports.ts';
import { wholeValues } from '../merge/fields/whole-fields.ts';
import { isAbsent, isQualifiedName, listOf, recordOf, shown } from '../../untrusted.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

/**
 * Why the API server would reject a Service with these ports, in one sentence; undefined if it
 * accepts them.
 */
export function specProblem(service: ResourceImport): string | undefined {
  const spec = recordOf(recordOf(service.spec?.serviceImport)?.['spec']);
  const at = `ResourceImport ${service.metadata.name}`;
  if (spec === undefined) return `${at} has no spec.serviceImport.spec`;
  const { type } = spec;
  if (type !== 'ClusterSetIP' && type !== 'Headless') return `${at} has the unknown type ${shown(type)}`;
  const ports = listOf(spec['ports']) ?? [];
  if (ports.length === 0 && type === 'ClusterSetIP') return `${at} has no port`;
  const seen = new Set<string>();
  for (const item of ports) {
    const port = recordOf(item) ?? {};
    const name = port['name'] ?? '';
    const number = readPortNumber(port['port']);
    const protocol = readProtocol(port['protocol']);
    const ids = [`name ${shown(name)}`, `number ${protocol} ${number}`];
    const errors = [
      ...(typeof name !== 'string' ? ['has no name'] : name === '' ? [] : dns1123LabelErrors(name)),
      ...(number === undefined ? ['has no number from 1 to 65535'] : []),
      ...(protocol === undefined ? [`has the unknown protocol ${shown(port['protocol'])}`] : []),
      ...(ids.some((id) => seen.has(id)) ? ['occurs twice'] : []),
    ];
    for (const id of ids) seen.add(id);
    if (errors.length > 0) return `${at}: port ${shown(name)} (${shown(port['port'])}) ${errors.join(', ')}`;
  }
  return undefined;
}

/**
 * The spec without the fields for which this cluster's API server would reject the whole Service,
 * which works without them. A newer exporting cluster may know more values than this one. Assumes
 * that {@link specProblem} found none.
 */
export function usableSpec(spec: ImportSpec, complain: (why: string) => void): ImportSpec {
  return {
    type: spec.type,
    ports: (spec.ports ?? []).map((port) => usablePort(port, complain)),
    ...wholeValues(({ usable }) => usable({ ...spec }, complain)),
  };
}

/**
 * Each field of a port is listed, so that a new field of the schema does not compile without a
 * decision here.
 */
function usablePort(port: ServiceImportPort, complain: (why: string) => void): Complete<ServiceImportPort> {
  const { name, port: number, protocol, appProtocol } = port;
  const isUsable = isAbsent(appProtocol) || isQualifiedName(appProtocol);
  if (!isUsable) complain(`appProtocol ${shown(appProtocol)} is not supported`);
  return { name, port: number, protocol, appProtocol: isUsable ? (appProtocol ?? undefined) : undefined };
}
