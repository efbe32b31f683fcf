import { firstThree, unset } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { endpointSliceStrategy } from './endpoint-slice-strategy.ts';

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
