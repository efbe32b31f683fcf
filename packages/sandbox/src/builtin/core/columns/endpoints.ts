import { hostPort } from '@isthmus/machinery';
import { firstThree, none } from '../../columns/cell-texts.ts';
import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

interface EndpointsShape {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly ports?: readonly { readonly port: number }[];
  }[];
}

export const endpointsColumns = defineColumns<EndpointsShape>(
  { Name: 'name', Endpoints: 'string', Age: 'string' },
  (object, now) => [object.metadata.name, addressesText(object), ageOf(object, now)],
);

/** Every ready address with every port; without ports, the address alone. */
function addressesText({ subsets = [] }: EndpointsShape): string {
  if (subsets.length === 0) return none;
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  return firstThree(all, '');
}
