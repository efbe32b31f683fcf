import { dns1123LabelErrors, dns1123SubdomainErrors, equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import { canonicalAddress, endpointAddress, isIPv6, legacyAddress } from '../address-rules.ts';
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  invalid,
  labelsRule,
  labelValue,
  oneOf,
  qualifiedName,
  required,
  tooMany,
} from '../field-rules.ts';

export interface SliceShape {
  readonly addressType?: string | undefined;
  readonly endpoints?: readonly EndpointShape[] | null | undefined;
  readonly ports?: readonly PortShape[] | null | undefined;
}

interface EndpointShape {
  readonly addresses?: readonly string[] | null | undefined;
  readonly nodeName?: string | undefined;
  readonly hostname?: string | undefined;
  readonly deprecatedTopology?: Readonly<Record<string, string>> | undefined;
  readonly hints?:
    | {
        readonly forZones?: readonly { readonly name: string }[];
        readonly forNodes?: readonly { readonly name: string }[];
      }
    | undefined;
}

interface PortShape {
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
}

export const sliceOf = (object: Stored) => object as Stored & SliceShape;

const limits = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8, topologyLabels: 16 };

/**
 * The errors of an EndpointSlice, except those of its metadata. Unchanged endpoints are not checked
 * again.
 */
export function sliceErrors(object: Stored, before?: Stored): readonly FieldError[] {
  const { addressType = '', endpoints, ports } = sliceOf(object);
  const unchanged = before !== undefined && equal(endpoints ?? null, sliceOf(before).endpoints ?? null);
  return [
    ...(addressType === '' ? [required('addressType')] : oneOf('addressType', addressType, ['FQDN', 'IPv4', 'IPv6'])),
    ...portsErrors(ports ?? []),
    ...(unchanged ? [] : endpointsErrors(endpoints ?? [], addressType)),
  ];
}

function portsErrors(ports: readonly PortShape[]): readonly FieldError[] {
  if (ports.length > limits.ports) return [tooMany('ports', ports.length, limits.ports)];
  const names = ports.map(({ name = '' }) => name);
  return ports.flatMap(({ name = '', protocol, appProtocol }, index) => {
    const path = `ports[${index}]`;
    return [
      ...(name === '' ? [] : dnsLabel(`${path}.name`, name)),
      ...(names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ...(protocol === undefined
        ? [required(`${path}.protocol`)]
        : oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP'])),
      ...(appProtocol === undefined ? [] : qualifiedName(`${path}.appProtocol`, appProtocol)),
    ];
  });
}

function endpointsErrors(endpoints: readonly EndpointShape[], addressType: string): readonly FieldError[] {
  if (endpoints.length > limits.endpoints) return [tooMany('endpoints', endpoints.length, limits.endpoints)];
  return endpoints.flatMap((endpoint, index) => {
    const path = `endpoints[${index}]`;
    const addresses = endpoint.addresses ?? [];
    const { nodeName, hostname, hints, deprecatedTopology: topology = {} } = endpoint;
    const labels = Object.keys(topology).length;
    const count = (): readonly FieldError[] => {
      if (addresses.length === 0) return [required(`${path}.addresses`, 'must contain at least 1 address')];
      return addresses.length > limits.addresses
        ? [tooMany(`${path}.addresses`, addresses.length, limits.addresses)]
        : [];
    };
    return [
      ...count(),
      ...addresses.flatMap((address, at) => addressErrors(`${path}.addresses`, at, { address, addressType })),
      ...(nodeName === undefined ? [] : dnsSubdomain(`${path}.nodeName`, nodeName)),
      ...(labels > limits.topologyLabels ? [tooMany(`${path}.deprecatedTopology`, labels, limits.topologyLabels)] : []),
      ...labelsRule(`${path}.deprecatedTopology`, topology),
      ...(hostname === undefined ? [] : dnsLabel(`${path}.hostname`, hostname)),
      ...(hints === undefined ? [] : hintErrors(`${path}.hints`, hints)),
    ];
  });
}

function addressErrors(
  path: string,
  at: number,
  { address, addressType }: { readonly address: string; readonly addressType: string },
): readonly FieldError[] {
  const item = `${path}[${at}]`;
  if (addressType === 'FQDN') return domainErrors(item, address);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  const problems = addressType === 'IPv4' ? legacyAddress(item, address) : canonicalAddress(item, address);
  if (problems.length > 0) return problems;
  // The real server's error for a wrong family names the list.
  const family = isIPv6(address) ? 'IPv6' : 'IPv4';
  return [
    ...(family === addressType ? [] : [invalid(path, address, `must be an ${addressType} address`)]),
    ...endpointAddress(item, address),
  ];
}

/** A fully qualified domain name; the first thing that is wrong. */
function domainErrors(path: string, text: string): readonly FieldError[] {
  if (text === '') return [required(path)];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const wrong = dns1123SubdomainErrors(name);
  if (wrong.length > 0) return [invalid(path, name, wrong.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const label = labels.find((one) => dns1123LabelErrors(one).length > 0);
  return label === undefined
    ? []
    : [invalid(path, label, dns1123LabelErrors(label).join(',').replace(' bytes', ' characters'))];
}

function hintErrors(
  path: string,
  { forZones = [], forNodes = [] }: NonNullable<EndpointShape['hints']>,
): readonly FieldError[] {
  if (forZones.length > limits.hints) return [tooMany(`${path}.forZones`, forZones.length, limits.hints)];
  const errors = named(`${path}.forZones`, forZones, labelValue);
  if (forNodes.length > limits.hints) return [...errors, tooMany(`${path}.forNodes`, forNodes.length, limits.hints)];
  return [...errors, ...named(`${path}.forNodes`, forNodes, dnsSubdomain)];
}

function named(
  path: string,
  hints: readonly { readonly name: string }[],
  rule: (path: string, value: string) => readonly FieldError[],
): readonly FieldError[] {
  const names = hints.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const at = `${path}[${index}].name`;
    return [...(names.indexOf(name) < index ? [duplicate(at, name)] : []), ...rule(at, name)];
  });
}
