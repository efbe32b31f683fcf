import fc from 'fast-check';
import { fields, labels, list, metadata, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const port = fields(
  { port: oneOf(80, 443, 8080) },
  {
    name: oneOf('http', 'https', 'dns', 'Bad_Name'),
    protocol: oneOf('TCP', 'UDP', 'SCTP', 'ICMP'),
    targetPort: oneOf<unknown>(8080, 0, 'web', '', 'Bad_Port', 70_000),
    appProtocol: oneOf('http', 'kubernetes.io/h2c', 'bad/'),
  },
);
const portOfNodes = fc
  .record({ one: port, nodePort: oneOf(0, 30_080, 30_081, 80) })
  .map(({ one, nodePort }) => ({ ...one, nodePort }));
const namedPorts = list(port, 3, 1).map((ports) =>
  ports.map((one, index) => ({ ...one, name: `p${index}`, port: 80 + index })),
);

const common = {
  selector: labels,
  sessionAffinity: oneOf('None', 'ClientIP', 'Other'),
  sessionAffinityConfig: oneOf(
    { clientIP: { timeoutSeconds: 60 } },
    { clientIP: { timeoutSeconds: 0 } },
    { clientIP: {} },
    {},
  ),
  internalTrafficPolicy: oneOf('Cluster', 'Local', 'Other'),
  publishNotReadyAddresses: fc.boolean(),
  trafficDistribution: oneOf('PreferClose', 'PreferSameZone', 'PreferSameNode', 'Other'),
};
const addresses = {
  clusterIP: oneOf('', 'None', '10.96.200.7', '10.96.0.1', '10.97.0.1', 'fd00::1', 'bad', '010.96.0.9'),
  ipFamilies: oneOf<readonly string[]>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv4', 'IPv4'], ['IPv5'], []),
  ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack', 'RequireDualStack', 'Other'),
};
const outside = {
  externalIPs: list(oneOf('192.0.2.1', '127.0.0.1', 'bad', '0.0.0.0'), 2),
  externalTrafficPolicy: oneOf('Cluster', 'Local', 'Other', ''),
};
const balanced = {
  loadBalancerIP: oneOf('192.0.2.2', 'bad', ''),
  loadBalancerSourceRanges: list(oneOf('192.0.2.0/24', ' 10.0.0.0/8 ', '192.0.2.1/24', 'bad'), 2),
  loadBalancerClass: oneOf('example.com/lb', 'bad/', ''),
  allocateLoadBalancerNodePorts: fc.boolean(),
  healthCheckNodePort: oneOf(0, 30_090, 70_000),
};

const spec = fc.oneof(
  {
    weight: 4,
    arbitrary: fields(
      { ports: namedPorts },
      { selector: labels, ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack') },
    ),
  },
  { weight: 4, arbitrary: fields({ ports: list(port) }, { ...common, type: oneOf('ClusterIP') }) },
  { weight: 3, arbitrary: fields({ ports: namedPorts }, { ...addresses, selector: labels }) },
  {
    weight: 2,
    arbitrary: fields(
      { clusterIP: oneOf('None') },
      { ports: list(port), clusterIPs: fc.constant(['None']), ...common, ipFamilyPolicy: addresses.ipFamilyPolicy },
    ),
  },
  { weight: 3, arbitrary: fields({ type: oneOf('NodePort'), ports: list(portOfNodes, 3, 1) }, { ...outside }) },
  { weight: 4, arbitrary: fields({ type: oneOf('LoadBalancer'), ports: namedPorts }, { ...outside, ...balanced }) },
  {
    weight: 3,
    arbitrary: fields(
      { type: oneOf('ExternalName'), externalName: oneOf('example.com', 'example.com.', 'Bad_Name', '', '10.1.2.3') },
      {
        ports: list(port, 2),
        ...outside,
        clusterIP: oneOf('', 'None', '10.96.0.77'),
        ipFamilyPolicy: addresses.ipFamilyPolicy,
      },
    ),
  },
  {
    weight: 1,
    arbitrary: fields(
      {},
      {
        ...common,
        ...addresses,
        ...outside,
        ...balanced,
        ports: list(portOfNodes),
        type: oneOf('ClusterIP', 'NodePort', 'Other'),
      },
    ),
  },
);

export const services: GeneratedKind = {
  name: 'services',
  path: (namespace) => `/api/v1/namespaces/${namespace}/services`,
  objects: mutated(
    objects(
      'v1',
      'Service',
      fields({ spec }, { status: fc.constant({ loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } }) }),
      metadata,
    ),
    { borders: ['None', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 80, 30_000, 86_401] },
  ),
  count: 200,
};
