import fc from 'fast-check';
import { fields, list, name, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const v4 = oneOf(
  '10.1.2.3',
  '10.1.2.4',
  '0.0.0.0',
  '127.0.0.1',
  '169.254.1.1',
  '224.0.0.5',
  '010.1.2.3',
  '10.1.2',
  'fd00::1',
);
const v6 = oneOf('fd00::1', 'fd00::2', '::', '::1', 'fe80::1', 'ff02::1', '::ffff:10.0.0.1', '10.1.2.3', 'FD00::1');
const fqdn = oneOf('example.com', 'a.example.com.', 'Bad_Name', 'localhost', '10.1.2.3');
const zones = fields(
  {},
  {
    forZones: list(fields({ name: oneOf('a', 'b', '', 'Zone A') }), 3),
    forNodes: list(fields({ name: oneOf('n', '') }), 2),
  },
);
const endpoint = (address: fc.Arbitrary<string>) =>
  fields(
    { addresses: list(address, 2, 1) },
    {
      conditions: fields({}, { ready: fc.boolean(), serving: fc.boolean(), terminating: fc.boolean() }),
      hostname: oneOf('web-0', '', 'Bad_Host', 'a.b'),
      nodeName: oneOf('node-1', '', 'Bad Node'),
      zone: oneOf('zone-a', ''),
      targetRef: fields({ kind: oneOf('Pod'), name }, { namespace: oneOf('default') }),
      deprecatedTopology: oneOf({ 'example.com/a': 'b' }, { 'a b': 'c' }, { 'kubernetes.io/hostname': 'n' }),
      hints: zones,
    },
  );
const port = fields(
  {},
  {
    name: oneOf('http', '', 'Bad_Name', 'a--b', 'x'.repeat(64), 'metrics'),
    port: oneOf(80, 65_535, 0, 65_536),
    protocol: oneOf('TCP', 'UDP', 'SCTP', 'ICMP'),
    appProtocol: oneOf('http', 'example.com/x', 'bad/', ''),
  },
);

const slice = (addressType: string, address: fc.Arbitrary<string>) =>
  objects(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    fields({ addressType: oneOf(addressType), endpoints: list(endpoint(address), 2) }, { ports: list(port, 3) }),
  );

export const endpointSlices: GeneratedKind = {
  name: 'endpointslices',
  path: (namespace) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
  objects: mutated(
    fc.oneof(
      { weight: 4, arbitrary: slice('IPv4', v4) },
      { weight: 2, arbitrary: slice('IPv6', v6) },
      { weight: 1, arbitrary: slice('FQDN', fqdn) },
    ),
    { borders: ['IPv4', 'IPv6', 'FQDN', 'IP'] },
  ),
  count: 200,
};
