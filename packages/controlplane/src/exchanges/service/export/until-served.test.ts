import type { EndpointSlice, Service } from '@isthmus/api';
import { expect, it } from 'vitest';
import { untilServed } from './until-served.ts';

const service = (name: string): Service => ({
  metadata: { name: 'cart', namespace: 'shop' },
  spec: { ports: [{ name, port: 80, targetPort: 8080, protocol: 'TCP' }] },
});
const slice = (name: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: { name: `cart-${name}` },
  addressType: 'IPv4',
  ports: [{ name, port: 8080, protocol: 'TCP' }],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
});
const exported = [{ name: 'http', port: 80, protocol: 'TCP' }];
const namesAfter = (slices: readonly EndpointSlice[]) => {
  const served = untilServed({ service: service('web'), slices }, exported);
  return {
    service: served.service.spec?.ports?.map(({ name }) => name).join(),
    slices: served.slices.map(({ ports }) => ports?.map(({ name }) => name).join()),
    notes: served.notes,
  };
};

it.each([
  ['keeps its exported name while its slices have it', [slice('http', '10.1.0.1')], 'http', ['http']],
  ['has the new name once its slices have it', [slice('web', '10.1.0.1')], 'web', ['web']],
  [
    'keeps it while one slice has it, in all',
    [slice('web', '10.1.0.1'), slice('http', '10.1.0.2')],
    'http',
    ['http', 'http'],
  ],
  ['has the new name at once where there are no endpoints', [slice('http')], 'web', ['http']],
  ['has the new name at once where there is no slice', [], 'web', []],
] as const)('a renamed port %s', (_, slices, name, names) => {
  const note =
    'Port "web" is exported under its former name "http" until the EndpointSlices of the Service have the new name';
  expect(namesAfter(slices)).toEqual({ service: name, slices: names, notes: name === 'http' ? [note] : [] });
});
