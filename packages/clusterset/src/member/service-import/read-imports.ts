import type { EndpointSlicePayload, EndpointSubset, ResourceImport, ServiceImport } from '@isthmus/api';
import { Label, SourceKind, clusterIDErrors, perClusterImportName, resourceImportName } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { dns1123LabelErrors, parseAddress, portNumberErrors } from '@isthmus/machinery';
import { isQualifiedName, shown } from '../../merge/untrusted.ts';
import { specProblem, usableSpec } from './import-spec.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

/** What the Common Area says of one Service, checked. */
export interface RemoteService {
  /** Undefined: nobody exports it. */
  readonly spec: ImportSpec | undefined;
  /** Endpoints by source cluster, from per-cluster imports; empty under an Antrea leader. */
  readonly perCluster: ReadonlyMap<string, readonly EndpointSlicePayload[]>;
  /** The merged endpoints, for leaders that know nothing else. */
  readonly merged: readonly EndpointSubset[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
  /** The import cannot be used at all: keep what is there. */
  readonly unusable: string | undefined;
}

/**
 * The key, `namespace/name`, of the Service that an import belongs to. Nothing for other kinds, and for an import whose name does not
 * follow from what it says: it could claim anybody's Service.
 */
export function importKeys(object: ResourceImport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  if (dns1123LabelErrors(namespace).length > 0 || dns1123LabelErrors(name).length > 0) return [];
  return object.metadata.name === expectedName(object, kind, namespace, name) ? [`${namespace}/${name}`] : [];
}

function expectedName(
  object: ResourceImport,
  kind: string | undefined,
  namespace: string,
  name: string,
): string | undefined {
  switch (kind) {
    case SourceKind.serviceImport:
      return resourceImportName(namespace, name, 'Service');
    case SourceKind.endpoints:
      return resourceImportName(namespace, name, 'Endpoints');
    case SourceKind.endpointSlices:
      return perClusterImportName(namespace, name, object.metadata.labels?.[Label.sourceClusterID] ?? '');
    default:
      return undefined;
  }
}

/**
 * Reads the imports of one Service. They were written by another cluster: an address that no API server takes would spoil a whole slice,
 * one on loopback or link-local would lead back into this cluster's nodes; both are left out and named.
 */
export function readImports(imports: readonly ResourceImport[]): RemoteService {
  const problems: string[] = [];
  const service = imports.find((object) => object.spec?.kind === SourceKind.serviceImport);
  const endpoints = imports.find((object) => object.spec?.kind === SourceKind.endpoints);
  const unusable = service === undefined ? undefined : specProblem(service);
  const offered = unusable === undefined ? service?.spec?.serviceImport?.spec : undefined;
  const spec =
    offered === undefined
      ? undefined
      : usableSpec(offered, (why) => problems.push(`${service?.metadata.name ?? ''}: ${why}`));
  const perCluster = new Map<string, readonly EndpointSlicePayload[]>();
  for (const object of imports) {
    if (object.spec?.kind !== SourceKind.endpointSlices) continue;
    const clusterID = object.metadata.labels?.[Label.sourceClusterID] ?? '';
    if (clusterIDErrors(clusterID).length > 0) continue;
    perCluster.set(
      clusterID,
      cleanSlices(object.spec.endpointSlices ?? [], (why) => problems.push(`${object.metadata.name}: ${why}`)),
    );
  }
  const complain = (why: string) => problems.push(`${endpoints?.metadata.name ?? ''}: ${why}`);
  return {
    spec,
    perCluster,
    merged: cleanSubsets(endpoints?.spec?.endpoints?.subsets ?? [], complain),
    problems,
    unusable,
  };
}

function cleanSlices(
  slices: readonly EndpointSlicePayload[],
  complain: (why: string) => void,
): readonly EndpointSlicePayload[] {
  return slices.flatMap((slice) => {
    const { addressType } = slice;
    if (addressType !== 'IPv4' && addressType !== 'IPv6') {
      complain(`address type ${JSON.stringify(addressType)} is not supported`);
      return [];
    }
    const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
      const [address] = endpoint.addresses ?? [];
      const why = address === undefined ? 'an endpoint has no address' : addressProblem(address, addressType);
      if (why !== undefined) complain(why);
      if (why !== undefined || address === undefined) return [];
      const hostname =
        endpoint.hostname !== undefined && dns1123LabelErrors(endpoint.hostname).length === 0
          ? endpoint.hostname
          : undefined;
      return [{ ...endpoint, addresses: [address], hostname }];
    });
    return [{ ...slice, endpoints, ports: cleanPorts(slice.ports ?? [], complain) }];
  });
}

function cleanSubsets(subsets: readonly EndpointSubset[], complain: (why: string) => void): readonly EndpointSubset[] {
  return subsets.map(({ addresses, ports }) => ({
    addresses: (addresses ?? []).filter(({ ip }) => {
      const why = addressProblem(ip, 'IPv4');
      if (why !== undefined) complain(why);
      return why === undefined;
    }),
    ports: cleanPorts(ports ?? [], complain),
  }));
}

interface EndpointPort {
  readonly name?: string | undefined;
  readonly port?: number | undefined;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
}

/** Ports that the API server takes in one slice: of several with one name the first. */
function cleanPorts<P extends EndpointPort>(ports: readonly P[], complain: (why: string) => void): readonly P[] {
  const names = new Set<string>();
  return ports.flatMap((port) => {
    const { name = '', port: number = 0, protocol = 'TCP', appProtocol } = port;
    const errors = [
      ...portNumberErrors(number),
      ...(name === '' ? [] : dns1123LabelErrors(name)),
      ...(['TCP', 'UDP', 'SCTP'].includes(protocol) ? [] : [`has the unknown protocol ${shown(protocol)}`]),
      ...(names.has(name) ? ['stands there twice'] : []),
    ];
    names.add(name);
    if (errors.length > 0) complain(`port ${shown(name)} (${number}) ${errors.join(', ')}`);
    return errors.length > 0 ? [] : [{ ...port, appProtocol: isQualifiedName(appProtocol) ? appProtocol : undefined }];
  });
}

/** The rules of the API server for endpoint addresses (ValidateEndpointIP): no unspecified, loopback, link-local or multicast one. */
function addressProblem(text: string, family: 'IPv4' | 'IPv6'): string | undefined {
  const address = parseAddress(text);
  if (address === undefined || address.family !== family) return `${JSON.stringify(text)} is no ${family} address`;
  return isForbidden(address) ? `address ${text} is unspecified, loopback, link-local or multicast` : undefined;
}

function isForbidden({ family, value }: Address): boolean {
  if (family === 'IPv4') {
    const [first, second] = [Number(value >> 24n), Number((value >> 16n) & 0xffn)];
    return value === 0n || first === 127 || (first === 169 && second === 254) || (first >= 224 && first <= 239);
  }
  return value === 0n || value === 1n || value >> 118n === 0x3fan || value >> 120n === 0xffn;
}
