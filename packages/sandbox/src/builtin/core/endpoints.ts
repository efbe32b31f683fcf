import { equal, hostPort } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { addressWarnings, endpointAddress, legacyAddress } from '../address-rules.ts';
import { dnsLabel, dnsSubdomain, metadataAgain, oneOf, portNumber, qualifiedName, required } from '../field-rules.ts';
import { firstThree, none } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { fieldDefaults } from '../shape/field-defaults.ts';
import { builtInType } from '../types/load.ts';

const endpointsStrategy: Partial<Strategy> = {
  createOnUpdate: true,
  defaults: fieldDefaults(builtInType('v1', 'Endpoints'), { 'subsets[].ports[].protocol': 'TCP' }),
  validate: (object) => subsetErrors(object),
  validateUpdate: (object, before) => [
    ...metadataAgain(object),
    // Unchanged subsets that an older server accepted remain valid.
    ...(equal(object['subsets'] ?? null, before['subsets'] ?? null) ? [] : subsetErrors(object)),
  ],
  warnings: badAddressWarnings,
};

interface SubsetsShape {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly ports?: readonly { readonly port: number }[];
  }[];
}

export const endpoints = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  columns: defineColumns<SubsetsShape>({ Name: nameColumn, Endpoints: ['string', addressesText], Age: ageColumn }),
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  strategy: endpointsStrategy,
});

interface Subset {
  readonly addresses?: readonly EndpointAddress[] | undefined;
  readonly notReadyAddresses?: readonly EndpointAddress[] | undefined;
  readonly ports?: readonly Port[] | undefined;
}

interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string | undefined;
  readonly nodeName?: string | undefined;
}

interface Port {
  readonly name?: string | undefined;
  readonly port: number;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
}

const subsetsOf = (object: Stored) => (object['subsets'] ?? []) as readonly Subset[];

function subsetErrors(object: Stored): readonly FieldError[] {
  return subsetsOf(object).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = `subsets[${index}]`;
    const none = addresses.length === 0 && notReadyAddresses.length === 0;
    return [
      ...(none ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...addresses.flatMap((address, at) => addressErrors(`${path}.addresses[${at}]`, address)),
      ...notReadyAddresses.flatMap((address, at) => addressErrors(`${path}.notReadyAddresses[${at}]`, address)),
      ...ports.flatMap((port, at) => portErrors(`${path}.ports[${at}]`, port, ports.length > 1)),
    ];
  });
}

function addressErrors(path: string, { ip, hostname = '', nodeName }: EndpointAddress): readonly FieldError[] {
  return [
    ...legacyAddress(`${path}.ip`, ip),
    ...(hostname === '' ? [] : dnsLabel(`${path}.hostname`, hostname)),
    ...(nodeName === undefined ? [] : dnsSubdomain(`${path}.nodeName`, nodeName)),
    ...endpointAddress(`${path}.ip`, ip),
  ];
}

function portErrors(
  path: string,
  { name = '', port, protocol = '', appProtocol }: Port,
  named: boolean,
): readonly FieldError[] {
  return [
    ...(name !== '' ? dnsLabel(`${path}.name`, name) : named ? [required(`${path}.name`)] : []),
    ...portNumber(`${path}.port`, port),
    ...oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']),
    ...(appProtocol === undefined ? [] : qualifiedName(`${path}.appProtocol`, appProtocol)),
  ];
}

function badAddressWarnings(object: Stored): readonly string[] {
  if (object.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return subsetsOf(object).flatMap(({ addresses = [], notReadyAddresses = [] }, index) => [
    ...addresses.flatMap(({ ip }, at) => addressWarnings(`subsets[${index}].addresses[${at}].ip`, ip)),
    ...notReadyAddresses.flatMap(({ ip }, at) => addressWarnings(`subsets[${index}].notReadyAddresses[${at}].ip`, ip)),
  ]);
}

/** Every ready address with every port; without ports, the address alone. */
function addressesText({ subsets = [] }: SubsetsShape): string {
  if (subsets.length === 0) return none;
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  return firstThree(all, '');
}
