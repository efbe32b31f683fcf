import type { EndpointSlice } from '@isthmus/api';
import { expect, it } from 'vitest';
import { endpointsOfSlices } from './endpoints-of-slices.ts';

const service = { metadata: { name: 'antrea-mc-cart', namespace: 'shop' } };
const slice = (
  endpoints: NonNullable<EndpointSlice['endpoints']>,
  port: number,
  addressType: EndpointSlice['addressType'] = 'IPv4',
): EndpointSlice => ({
  metadata: { name: 'a', namespace: 'shop' },
  addressType,
  endpoints,
  ports: [{ name: 'http', protocol: 'TCP', port }],
});

it('has each ready address once with the ports of its slice, of both families, and Antrea’s annotation', () => {
  const slices = [
    slice([{ addresses: ['10.10.0.2'] }, { addresses: ['10.10.0.1'], conditions: { ready: true } }], 8080),
    slice([{ addresses: ['10.10.0.1'] }, { addresses: ['10.10.0.3'], conditions: { ready: false } }], 8080),
    slice([{ addresses: ['10.97.0.9'] }], 80),
    slice([{ addresses: ['fd00::1'] }], 8080, 'IPv6'),
  ];
  expect(endpointsOfSlices(service, slices)).toEqual({
    metadata: {
      name: 'antrea-mc-cart',
      namespace: 'shop',
      annotations: { 'multicluster.antrea.io/imported-service': 'true' },
    },
    subsets: [
      {
        addresses: [{ ip: '10.10.0.1' }, { ip: '10.10.0.2' }, { ip: 'fd00::1' }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
      { addresses: [{ ip: '10.97.0.9' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
    ],
  });
});

it('has no subset where nothing is ready', () => {
  expect(
    endpointsOfSlices(service, [slice([{ addresses: ['10.1.1.1'], conditions: { ready: false } }], 80)]).subsets,
  ).toEqual([]);
});
