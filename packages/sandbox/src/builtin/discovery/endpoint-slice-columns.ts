import { firstThree } from '../columns/cell-texts.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

interface EndpointSliceShape {
  readonly addressType?: string;
  readonly ports?: readonly { readonly port?: number; readonly name?: string }[];
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
}

export const endpointSliceColumns = defineColumns<EndpointSliceShape>(
  { Name: 'name', AddressType: 'string', Ports: 'string', Endpoints: 'string', Age: 'string' },
  (object, now) => {
    const ports = (object.ports ?? []).map(({ port, name = '*' }) => String(port ?? name));
    const addresses = (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
    return [
      object.metadata.name,
      object.addressType ?? '',
      firstThree(ports, '<unset>'),
      firstThree(addresses, '<unset>'),
      ageOf(object, now),
    ];
  },
);
