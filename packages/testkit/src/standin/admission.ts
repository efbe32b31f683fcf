import { contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/machinery';
import type { EndpointSlice, Namespace, Secret } from '@isthmus/api';
import { invalidValue, requiredValue } from './refusal.ts';
import { admitService } from './services.ts';
import type { ClusterIPs } from './services.ts';
import { storageKeyOf } from './served-type.ts';
import type { ServedType, Stored } from './served-type.ts';

/** The object as it will be stored, and what is wrong with it. */
export interface Admitted {
  readonly object: Stored;
  readonly errors: readonly FieldError[];
}

/** What the defaults of built-in kinds need to know of the cluster. */
export interface ClusterFacts {
  readonly clusterIPs: ClusterIPs;
  /** ClusterIPs of all Services. */
  takenIPs(): ReadonlySet<string>;
}

/** Applies the defaults of a built-in kind and checks the rules that a ClusterSet's objects meet; most rules of the real server are left out. */
export function admitBuiltIn(
  type: ServedType,
  object: Stored,
  before: Stored | undefined,
  facts: ClusterFacts,
): Admitted {
  switch (storageKeyOf(type)) {
    case '/services': {
      const { service, errors } = admitService(object, before, facts.clusterIPs, facts.takenIPs());
      return { object: { ...service }, errors };
    }
    case '/namespaces':
      return { object: { ...admitNamespace(object, before) }, errors: [] };
    case '/secrets':
      return { object: { ...admitSecret(object) }, errors: [] };
    case 'discovery.k8s.io/endpointslices':
      return admitEndpointSlice(object, before as EndpointSlice | undefined);
    default:
      return { object, errors: [] };
  }
}

function admitNamespace(given: Namespace, before: Namespace | undefined): Namespace {
  const labels = { ...given.metadata.labels, 'kubernetes.io/metadata.name': given.metadata.name };
  const status = before === undefined ? ({ phase: 'Active' } as const) : given.status;
  return {
    ...given,
    metadata: { ...given.metadata, labels },
    spec: before?.spec ?? { finalizers: ['kubernetes'] },
    status,
  };
}

function admitSecret(given: Secret & { readonly stringData?: Readonly<Record<string, string>> | undefined }): Secret {
  const { stringData = {}, ...rest } = given;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const data = { ...rest.data, ...Object.fromEntries(encoded) };
  return { ...rest, data: Object.keys(data).length === 0 ? undefined : data, type: rest.type ?? 'Opaque' };
}

function admitEndpointSlice(given: Stored & Partial<EndpointSlice>, before: EndpointSlice | undefined): Admitted {
  const errors: FieldError[] = [];
  const { addressType } = given;
  if (addressType === undefined) errors.push(requiredValue('addressType'));
  else if (before !== undefined && before.addressType !== addressType) {
    return { object: given, errors: [invalidValue('addressType', addressType, 'field is immutable')] };
  }
  for (const [index, { addresses }] of (given.endpoints ?? []).entries()) {
    if (addresses.length === 0)
      errors.push(requiredValue(`endpoints[${index}].addresses`, 'must contain at least 1 address'));
    if (addressType === 'FQDN') continue;
    for (const [at, address] of addresses.entries()) {
      const problem = endpointAddressProblem(address, addressType);
      if (problem !== undefined) errors.push(invalidValue(`endpoints[${index}].addresses[${at}]`, address, problem));
    }
  }
  // Empty lists come back as null: the real server's fields have no `omitempty`.
  const endpoints = (given.endpoints ?? []).map((endpoint) => ({ ...endpoint, conditions: endpoint.conditions ?? {} }));
  const ports = (given.ports ?? []).map((port) => ({
    ...port,
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
  }));
  const object = {
    ...given,
    endpoints: endpoints.length === 0 ? null : endpoints,
    ports: ports.length === 0 ? null : ports,
  };
  return { object, errors };
}

function endpointAddressProblem(text: string, addressType: string | undefined): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  if (addressType !== undefined && address.family !== addressType) return `must be an ${addressType} address`;
  if (address.value === 0n) return `may not be unspecified (${text})`;
  for (const [networks, rule] of unusable) {
    if (networks.some((network) => inNetwork(network, text))) return rule;
  }
  return undefined;
}

const unusable: readonly (readonly [networks: readonly string[], rule: string])[] = [
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [['224.0.0.0/24', 'ff02::/10'], 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];

function inNetwork(network: string, text: string): boolean {
  const cidr = parseCidr(network);
  const address = parseAddress(text);
  return cidr !== undefined && address !== undefined && contains(cidr, address);
}
