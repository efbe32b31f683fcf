import type { EndpointSlicePayload } from '@isthmus/api';
import { ResourceExport, clusterInfoName } from '@isthmus/api';
import type { Attack, Attacker, Family, Report, Write } from './attack.ts';
import { changeTo, exportService, sliceOf } from './as-antrea.ts';
import { importer, leader, third } from './facts.ts';
import { onExport, onServiceImport } from './reports.ts';

/** Importer and exporter name an endpoint that the cluster may not have. */
const named = (attacker: Attacker, says: string): readonly Report[] => [
  onServiceImport(attacker.service, says),
  onExport(attacker, 'ImportFailed', 'NotImported', says),
];

/** A grant that leaves Service CIDRs open, so that importers alone compare endpoints. */
export const openServices: Attack['grant'] = { services: undefined };

/** An endpoint beside one of its own, as Isthmus exports it, or in the form of Antrea alone. */
const foreign = (
  name: string,
  address: string,
  { isAntreas = false, advisory }: { readonly isAntreas?: boolean; readonly advisory?: string } = {},
): Attack => ({
  name: `exports as its endpoint ${name}${isAntreas ? ', in the form of Antrea' : ''}`,
  advisory,
  grant: openServices,
  course: (attacker) => {
    const addresses = [attacker.pod, address];
    const slices = isAntreas ? {} : { slices: [sliceOf('IPv4', addresses)] };
    return { writes: exportService(attacker, { addresses, ...slices }), reports: named(attacker, address) };
  },
});

/** The same with a grant of Pod and Service CIDRs: the leader publishes none of them. */
const notGranted = (
  name: string,
  address: string,
  { isAntreas = false, before }: { readonly isAntreas?: boolean; readonly before?: (attacker: Attacker) => Write } = {},
): Attack => ({
  name: `exports as its endpoint, beside those that are granted, ${name}`,
  course: (attacker) => {
    const addresses = [attacker.pod, address];
    const slices = isAntreas ? {} : { slices: [sliceOf('IPv4', addresses)] };
    return {
      writes: [
        ...(before === undefined ? [] : [before(attacker)]),
        ...exportService(attacker, { addresses, ...slices }),
      ],
      reports: [onExport(attacker, 'Succeeded', undefined, `left out: ${address}`)],
    };
  },
});

const withdrawNetwork = ({ id }: Attacker): Write => ({
  verb: 'delete',
  type: ResourceExport,
  ref: { namespace: leader.namespace, name: clusterInfoName(id) },
});

/** The leader leaves it out, and tells the exporter. */
const special = (name: string, ...addresses: readonly string[]): Attack => ({
  name: `exports as its endpoint ${name}`,
  course: (attacker) => ({
    writes: exportService(attacker, {
      addresses: [attacker.pod, ...addresses],
      slices: [sliceOf(addresses[0]?.includes(':') === true ? 'IPv6' : 'IPv4', [attacker.pod, ...addresses])],
    }),
    reports: [onExport(attacker, 'Succeeded', undefined, addresses[0] ?? '', { kind: 'Endpoints' })],
  }),
});

const sliced = (
  name: string,
  slices: (attacker: Attacker) => readonly EndpointSlicePayload[],
  says: string,
): Attack => ({
  name: `exports a slice with ${name}`,
  course: (attacker) => ({
    writes: exportService(attacker, { slices: slices(attacker) }),
    reports: [onExport(attacker, 'Succeeded', undefined, says, { kind: 'Endpoints' })],
  }),
});

/** Addresses to which a Service of the attacker would lead the clients of other clusters. */
export const endpoints: Family = {
  name: 'endpoints',
  attacks: [
    foreign('a Node of the importer', importer.node, { advisory: 'CVE-2026-66787' }),
    foreign('a Node of the importer', importer.node, { isAntreas: true }),
    foreign('a Pod of the importer', importer.pod),
    foreign('an address for Pods on a Node of the importer', '10.244.7.77'),
    foreign('a Service of the importer', importer.service),
    foreign('the API server of the importer', importer.apiServer, { advisory: 'CVE-2026-66787' }),
    foreign('a Pod of a third cluster', third.pod),
    foreign('a Service of a third cluster', third.service),
    foreign('the API server of the leader', leader.apiServer),
    foreign('a Node of the leader', leader.node),
    foreign('an address of the Internet', '8.8.8.8'),
    foreign('an address of the Internet', '8.8.8.8', { isAntreas: true }),
    foreign('a Pod of another member', '10.200.250.1'),
    notGranted('a Pod of a third cluster', third.pod),
    notGranted('an address of the Internet in the form of Antrea', '8.8.8.8', { isAntreas: true }),
    notGranted('an address of the Internet, after it has withdrawn its network', '8.8.8.8', {
      before: withdrawNetwork,
    }),
    special('loopback addresses', '127.0.0.1', '127.1.2.3'),
    special('the metadata of a cloud provider', '169.254.169.254'),
    special('link-local addresses', '169.254.1.1'),
    special('unspecified, broadcast and multicast addresses', '0.0.0.0', '255.255.255.255', '224.0.0.1'),
    special('a Node of the importer as IPv4-mapped IPv6', `::ffff:${importer.node}`),
    special('a Node of the importer with zeros before', '192.0.2.017'),
    sliced('a host name', () => [sliceOf('FQDN', ['kubernetes.default.svc'])], 'FQDN'),
    sliced(
      'texts that are not addresses',
      ({ pod }) => [sliceOf('IPv4', [pod, '10.10.1.1; reboot', '__proto__'])],
      'reboot',
    ),
    sliced(
      'host names that are not names',
      ({ pod }) => [
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: [pod], hostname: '../../etc', zone: 'x'.repeat(300) }],
          ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
        },
      ],
      'hostname "../../etc" is not valid',
    ),
    sliced(
      'ports that are not ports',
      ({ pod }) => [
        { addressType: 'IPv4', endpoints: [{ addresses: [pod] }], ports: [{ name: 'http', port: 70_000 }] },
      ],
      'has no valid name, number or protocol',
    ),
    {
      name: 'changes the endpoint of a Service that is imported',
      grant: openServices,
      course: (attacker) => {
        const [service, slices] = exportService(attacker);
        const [, later] = exportService(attacker, { addresses: [attacker.pod, importer.node] });
        return {
          writes: [service, slices, changeTo(later)],
          reports: named(attacker, importer.node),
        };
      },
    },
  ],
};
