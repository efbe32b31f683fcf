/** Exports as short texts, for tables. Test-only. */
import type { ExportedEndpointPort, ExportedPort, ExportedService, ExportedServiceSpec, MergedPort } from '../types.ts';

/** Two moments, the first one earlier. */
export const t1 = '2026-03-01T00:00:00Z';
export const t2 = '2026-03-01T00:00:01Z';

/** `http TCP 80, metrics TCP 9090 h2c` as ports; `- TCP 80` is the unnamed one. */
export function ports(text: string): readonly (ExportedPort & ExportedEndpointPort & MergedPort)[] {
  return text.split(', ').flatMap((part) => {
    const [name, protocol, number, appProtocol] = part.split(' ');
    if (number === undefined) return [];
    return [
      {
        ...(name === '-' ? {} : { name }),
        protocol: protocol as MergedPort['protocol'],
        port: Number(number),
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
}

/** The export of one cluster with these ports; `spec` has the rest of the Service. */
export function exportOf(
  clusterID: string,
  firstExported: string,
  portList: string,
  spec: ExportedServiceSpec = {},
): ExportedService {
  return { clusterID, firstExported, service: { ports: ports(portList), ...spec } };
}

/** The same with one ready address on these endpoint ports, in the form that every member sends. */
export function servedBy(exported: ExportedService, ip: string, endpointPorts: string): ExportedService {
  return { ...exported, endpoints: { subsets: [{ addresses: [{ ip }], ports: ports(endpointPorts) }] } };
}
