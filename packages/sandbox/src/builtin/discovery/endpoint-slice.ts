import { firstThree, unset } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { equal } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { addressWarnings } from '../address-rules.ts';
import { immutable, metadataAgain } from '../field-rules.ts';
import { sliceErrors, sliceOf } from './endpoint-slice-validation.ts';
import { fieldDefaults } from '../shape/field-defaults.ts';
import { builtInType } from '../types/load.ts';

const endpointSliceStrategy: Partial<Strategy> = {
  generation: 'spec-and-labels',
  defaults: fieldDefaults(builtInType('discovery.k8s.io/v1', 'EndpointSlice'), {
    'ports[].name': '',
    'ports[].protocol': 'TCP',
  }),
  prepareForCreate: (object) => withoutTopology(object, undefined),
  prepareForUpdate: (object, before) => withoutTopology(object, before),
  validate: (object) => sliceErrors(object),
  validateUpdate: (object, before) => [
    ...metadataAgain(object),
    ...sliceErrors(object, before),
    ...immutable('addressType', object['addressType'], before['addressType']),
  ],
  warnings: (object, before) => [
    ...(before === undefined && object['addressType'] === 'FQDN'
      ? ['spec.addressType: FQDN endpoints are deprecated']
      : []),
    ...badAddressWarnings(object),
  ],
};

interface EndpointSliceShape {
  readonly ports?: readonly { readonly port?: number; readonly name?: string }[] | null;
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[] | null;
}

export const endpointSlice = defineBuiltIn({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  columns: defineColumns<EndpointSliceShape>({
    Name: nameColumn,
    AddressType: ['string', 'addressType'],
    Ports: ['string', portsText],
    Endpoints: ['string', addressesText],
    Age: ageColumn,
  }),
  strategy: endpointSliceStrategy,
});

function portsText({ ports }: EndpointSliceShape): string {
  return firstThree(
    (ports ?? []).map(({ port, name = '*' }) => String(port ?? name)),
    unset,
  );
}

function addressesText({ endpoints }: EndpointSliceShape): string {
  return firstThree(
    (endpoints ?? []).flatMap(({ addresses = [] }) => addresses),
    unset,
  );
}

/**
 * A write in v1 drops `deprecatedTopology`, unless the endpoints do not change. The Node that an
 * older version wrote there is in `nodeName`.
 */
function withoutTopology(object: Stored, before: Stored | undefined): Stored {
  const { endpoints } = sliceOf(object);
  if (!endpoints) return object;
  if (before !== undefined && equal(endpoints, sliceOf(before).endpoints ?? null)) return object;
  return {
    ...object,
    endpoints: endpoints.map(({ deprecatedTopology: _dropped, ...endpoint }) => endpoint),
  };
}

const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function badAddressWarnings(object: Stored): readonly string[] {
  if (controllers.includes(object.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '')) return [];
  return (sliceOf(object).endpoints ?? []).flatMap(({ addresses }, index) =>
    (addresses ?? []).flatMap((address, at) => addressWarnings(`endpoints[${index}].addresses[${at}]`, address)),
  );
}
