import { dns1123LabelErrors, maxLabelLength, portNumberErrors } from '@isthmus/machinery';
import { numberOf } from './merge-ports.ts';
import type { ServicePort } from './merge-ports.ts';
import type { Problems } from '../problems.ts';
import type { Protocol } from '../types.ts';
import { isAbsent, isQualifiedName, listOf, recordOf, shown } from '../../../untrusted.ts';

/**
 * Further ports of one export are left out. All exporters share one import, and too many ports
 * would make it, and the Service of each importer, larger than an API server accepts.
 */
const maxPorts = 1_000;

/**
 * The valid ports in `value` (`serviceSpec.ports`). Left out and reported: values that are not
 * ports, the later of two ports with the same name or the same (protocol, number), and ports after
 * the first {@link maxPorts}.
 */
export function readServicePorts(value: unknown, problems: Problems): readonly ServicePort[] {
  if (isAbsent(value)) return [];
  const list = listOf(value);
  if (list === undefined) {
    problems.add(
      `ports of the Service: expected a list, got ${shown(value)}; the Service is treated as having no ports`,
    );
    return [];
  }
  const ports: ServicePort[] = [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  if (list.length > maxPorts)
    problems.add(
      `ports of the Service: ${list.length} entries are too many; those after the first ${maxPorts} are left out`,
    );
  for (const [index, item] of list.slice(0, maxPorts).entries()) {
    const port = readServicePort(item, `ports[${index}] of the Service`, problems);
    if (port === undefined) continue;
    if (names.has(port.name)) {
      problems.add(`ports[${index}] of the Service: name ${shown(port.name)} is used by an earlier port; left out`);
    } else if (numbers.has(numberOf(port))) {
      problems.add(
        `ports[${index}] of the Service: ${port.protocol} ${port.port} is used by an earlier port; left out`,
      );
    } else {
      names.add(port.name);
      numbers.add(numberOf(port));
      ports.push(port);
    }
  }
  return ports;
}

/**
 * The protocol that `value` names: TCP if it is absent, undefined if the protocol does not exist.
 */
export function readProtocol(value: unknown): Protocol | undefined {
  if (isAbsent(value)) return 'TCP';
  return value === 'TCP' || value === 'UDP' || value === 'SCTP' ? value : undefined;
}

/** A number from 1 to 65535, or undefined. */
export function readPortNumber(value: unknown): number | undefined {
  return typeof value === 'number' && portNumberErrors(value).length === 0 ? value : undefined;
}

function readServicePort(value: unknown, what: string, problems: Problems): ServicePort | undefined {
  const record = recordOf(value);
  const name = record?.['name'] ?? '';
  const protocol = readProtocol(record?.['protocol']);
  const port = readPortNumber(record?.['port']);
  if (record === undefined) {
    problems.add(`${what}: expected an object, got ${shown(value)}; left out`);
  } else if (
    typeof name !== 'string' ||
    (name !== '' && (name.length > maxLabelLength || dns1123LabelErrors(name).length > 0))
  ) {
    problems.add(`${what}: name ${shown(name)} is not a DNS label; left out`);
  } else if (protocol === undefined) {
    problems.add(`${what}: protocol ${shown(record['protocol'])} is not TCP, UDP or SCTP; left out`);
  } else if (port === undefined) {
    problems.add(`${what}: port ${shown(record['port'])} is not a number from 1 to 65535; left out`);
  } else {
    const appProtocol = record['appProtocol'];
    if (isQualifiedName(appProtocol)) return { name, protocol, port, appProtocol };
    if (!isAbsent(appProtocol))
      problems.add(`${what}: appProtocol ${shown(appProtocol)} is not a qualified name; ignored`);
    return { name, protocol, port };
  }
  return undefined;
}
