import type { ClusterInfoImport, Node } from '@isthmus/api';
import { describe, expect, test } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import type { TraceObjects } from './trace-request.ts';
import { traceRequest } from './trace-request.ts';
import { traceLines } from './trace-lines.ts';

const node = (host: number, isGateway: boolean): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${host}`,
    annotations: isGateway ? { 'multicluster.antrea.io/gateway': 'true' } : {},
  },
  spec: { podCIDRs: [`10.10.${host}.0/24`] },
  status: {
    addresses: [{ type: 'InternalIP', address: `172.30.1.${host}` }],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});

const objects: TraceObjects = {
  namespace: 'kube-system',
  nodes: [node(1, true), node(2, false)],
  clusterInfoImports: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'ClusterInfoImport',
      metadata: { name: 'west-clusterinfo', namespace: 'kube-system' },
      spec: { clusterID: 'west', podCIDRs: ['10.20.0.0/16'], gatewayInfos: [{ gatewayIP: '172.30.2.1' }] },
      status: { conditions: [{ type: 'Reachable', status: 'True', reason: 'GatewaysAnswer' }] },
    },
  ],
  services: [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'antrea-mc-cart',
        namespace: 'shop',
        annotations: { 'multicluster.antrea.io/imported-service': 'true' },
      },
      spec: {
        clusterIPs: ['10.99.0.1'],
        ports: [
          { name: 'http', port: 80, protocol: 'TCP' },
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'more', port: 54, protocol: 'UDP' },
        ],
      },
    },
  ],
  serviceExports: [],
  slicesOf: () => [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'cart-west',
        namespace: 'shop',
        labels: { 'multicluster.kubernetes.io/source-cluster': 'west' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.20.1.5'] }, { addresses: ['10.20.1.6'] }, { addresses: ['172.30.1.1'] }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
  ],
  podCIDRs: [cidr('10.10.0.0/16')],
  settings: { port: 8479, underlayMTU: 1500 },
};

const trace = (from: string, to: string, protocol: 'TCP' | 'UDP' = 'TCP') =>
  traceLines(traceRequest(objects, { from, to, protocol }));

describe('a trace', () => {
  test('shows the way of a packet to an imported Service, hop by hop, up to the gateway of the other cluster', () => {
    expect(trace('10.10.2.5', 'shop/cart')).toEqual([
      'TCP 10.10.2.5:40000 → 10.99.0.1:80 (imported Service shop/antrea-mc-cart)',
      '  node-2  TCP 10.10.2.5:40000 → 10.99.0.1:80 comes from a Pod',
      '          chain import/shop/antrea-mc-cart/tcp/80/4 translates the destination to 10.20.1.5:8080, one of 2 endpoints',
      '          tunnel isthmus-node carries it to Node node-1',
      '  node-1  TCP 10.10.2.5:40000 → 10.20.1.5:8080 comes from tunnel isthmus-node',
      '          tunnel isthmus-gw carries it to 172.30.2.1',
      'Sent to 172.30.2.1, a gateway of cluster west, whose Nodes this cluster does not know.',
      '',
      'Not used',
      '  EndpointSlice shop/cart-west: Endpoint 172.30.1.1 is not used: it is not in the Pod CIDRs or the Service CIDR of cluster west.',
    ]);
  });

  test.each([['node-1'], ['172.30.1.1']])(
    'from the network of a Node without a Pod CIDR ends in the other cluster: from %s',
    (from) => {
      const nodes = objects.nodes.map((one) => ({ ...one, spec: {} }));
      const annotations = { 'isthmus.dev/direct-probes': '10.20.1.0' };
      const clusterInfoImports = objects.clusterInfoImports.map((info) => ({
        ...info,
        metadata: { ...info.metadata, annotations },
      }));
      const request = { from, to: '10.20.1.7:80', protocol: 'TCP' } as const;
      const trace = traceRequest({ ...objects, nodes, clusterInfoImports, podCIDRs: [cidr('10.10.0.0/16')] }, request);
      expect([trace.unansweredOn, trace.mayBeDirectOn]).toEqual(['node-1', undefined]);
      expect(traceLines(trace)).toContain(
        'It is dropped there: Node node-1 has no Pod CIDR of IPv4, and so no address under which programs in its network reach other clusters.',
      );
      expect(traceRequest(objects, request).unansweredOn).toBeUndefined();
    },
  );

  test('names the Node that knows whether the packet takes a direct path, where the other cluster answers past the tunnels', () => {
    const clusterInfoImports = objects.clusterInfoImports.map((info) => ({
      ...info,
      metadata: { ...info.metadata, annotations: { 'isthmus.dev/direct-probes': '10.20.1.0' } },
    }));
    const linesIn = (more: Partial<TraceObjects>) =>
      traceLines(
        traceRequest(
          { ...objects, clusterInfoImports, ...more },
          { from: '10.10.2.5', to: 'shop/cart', protocol: 'TCP' },
        ),
      );
    const note =
      'Agents of cluster west answer questions past the tunnels. If `isthmus agent show` on Node node-2 lists the direct path to west as used, the packet takes that path instead of the tunnels.';
    expect(linesIn({})).toContain(note);
    const virtual = { own: cidr('10.10.0.0/16'), virtual: cidr('100.64.0.0/16') };
    expect(linesIn({ virtualCIDRs: [virtual] })).not.toContain(note);
    expect(trace('10.10.2.5', 'shop/cart')).not.toContain(note);
  });

  test('that leads to another cluster prints what probes report, unless all gateways answer', () => {
    const linesWith = (...conditions: NonNullable<NonNullable<ClusterInfoImport['status']>['conditions']>) =>
      traceLines(
        traceRequest(
          {
            ...objects,
            clusterInfoImports: objects.clusterInfoImports.map((one) => ({ ...one, status: { conditions } })),
          },
          { from: '10.10.2.5', to: '10.20.1.7:80', protocol: 'TCP' },
        ),
      ).filter((line) => /^(?:Note| +Next):/.test(line));
    const reachable = (status: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
      linesWith({ type: 'Reachable', status, reason, message });
    const next =
      '  Next: Run `isthmus agent show` on the gateways of both clusters. kubectl get clusterinfoimports -n kube-system shows the condition.';
    expect(reachable('False', 'NoGatewayAnswers', 'No gateway of west answers.')).toEqual([
      'Note: the condition Reachable of cluster west is False: No gateway of west answers.',
      next,
    ]);
    expect(reachable('Unknown', 'AgentsSilent', 'They do not renew their Leases.')).toEqual([
      'Note: the condition Reachable of cluster west is Unknown: They do not renew their Leases.',
      next,
    ]);
    expect(reachable('True', 'SomeGatewaysSilent', 'Some do not answer.')).toEqual([
      'Note: the condition Reachable of cluster west is True, with a warning: Some do not answer.',
      next,
    ]);
    expect(reachable('True', 'GatewaysAnswer', 'All answer.')).toEqual([]);
    expect(linesWith()).toEqual([
      'Note: nothing shows whether cluster west is reached: no agent reports, on any gateway of this cluster.',
      '  Next: Check that agents run: kubectl get pods -A -l component=isthmus-agent -o wide',
    ]);
  });

  test('shows the answer where the packet stays in the cluster', () => {
    const lines = trace('node-1', '10.10.2.5:8080');
    expect(lines.slice(0, 6)).toEqual([
      'TCP 172.30.1.1:40000 → 10.10.2.5:8080',
      '  node-1  TCP 172.30.1.1:40000 → 10.10.2.5:8080 begins here',
      '          the network of the cluster carries it to Node node-2',
      '  node-2  TCP 172.30.1.1:40000 → 10.10.2.5:8080 comes from the network of the Nodes',
      '          it is delivered to Pod 10.10.2.5',
      'Delivered on Node node-2, as TCP 172.30.1.1:40000 → 10.10.2.5:8080.',
    ]);
    expect(lines).toContain('The answer');
  });

  test('shows where a packet is rejected, and by which rule', () => {
    expect(trace('10.10.2.5', 'shop/cart:53', 'UDP').slice(1, 4)).toEqual([
      '  node-2  UDP 10.10.2.5:40000 → 10.99.0.1:53 comes from a Pod',
      '          chain without-endpoints rejects it: counter reject with icmpx port-unreachable',
      'Rejected on Node node-2: the client gets an error at once.',
    ]);
  });

  test('that leads to no other cluster prints why, and what to do', () => {
    const noteIn = (more: Partial<TraceObjects>, to = '10.20.1.5:80') =>
      traceLines(traceRequest({ ...objects, ...more }, { from: '10.10.2.5', to, protocol: 'TCP' }))
        .slice(-12)
        .join('\n');
    expect(noteIn({ nodes: [node(1, false), node(2, false)] })).toContain(
      'Left to the routes of Node node-2: Isthmus does not carry packets to this address.\n\nNote: nothing is sent to other clusters: no Node of this cluster is a gateway.\n  Next: Mark a Node as a gateway: kubectl annotate node NODE multicluster.antrea.io/gateway=true',
    );
    expect(noteIn({ clusterInfoImports: [], namespace: 'wrong' }, 'shop/cart')).toMatch(
      /^Rejected on Node node-2.*\n\nNote: nothing is sent to other clusters: Namespace wrong contains neither .*\n {2}Next: .*--namespace/m,
    );
    const virtualCIDRs = [{ own: cidr('10.77.0.0/16'), virtual: cidr('100.64.0.0/16') }];
    expect(noteIn({ virtualCIDRs }, '192.0.2.1:80')).toMatch(
      /^Note: virtual range 100\.64\.0\.0\/16 has no effect: no Pod CIDR of this cluster is in 10\.77\.0\.0\/16\.\n {2}Next: .*10\.10\.0\.0\/16/m,
    );
    expect(trace('10.10.2.5', '192.0.2.1:80').join('\n')).not.toContain('Note: ');
  });

  test('begins at a Node that is there, whatever object of a former Node has its address', () => {
    const { status, ...former } = node(2, true);
    const addresses = status?.addresses ?? [];
    const gone: Node = {
      ...former,
      metadata: { ...former.metadata, name: 'a-former-node' },
      spec: { podCIDRs: ['10.10.9.0/24'] },
      status: { addresses },
    };
    const found = traceRequest(
      { ...objects, nodes: [gone, ...objects.nodes] },
      { from: '10.10.2.5', to: '10.20.1.7:80', protocol: 'TCP' },
    );
    expect(found.trip.request.steps[0]?.node).toBe('node-2');
    expect(found.problems.map(({ name }) => name)).toContain('a-former-node');
  });

  test('of a Node without an InternalIP, and of a headless Service, is not possible, and is reported', () => {
    const { status: _, ...withoutStatus } = node(3, false);
    const more: Partial<TraceObjects> = {
      nodes: [...objects.nodes, withoutStatus],
      services: objects.services.map((one) => ({
        ...one,
        spec: { ...one.spec, clusterIP: 'None', clusterIPs: ['None'] },
      })),
    };
    const traceIn = (from: string, to: string) => () =>
      traceRequest({ ...objects, ...more }, { from, to, protocol: 'TCP' });
    expect(traceIn('node-3', '10.20.1.5:80')).toThrow('Node node-3 has no valid address of type InternalIP');
    expect(traceIn('10.10.3.5', '10.20.1.5:80')).toThrow(
      '10.10.3.5 is in a Pod CIDR of Node node-3, which has no valid address of type InternalIP',
    );
    expect(traceIn('10.10.2.5', 'shop/cart')).toThrow('Service shop/cart is headless');
  });

  test.each([
    [
      '10.10.2.5',
      'shop/other',
      'TCP',
      'Service shop/other is not imported; kubectl get serviceimports -A lists those that are',
    ],
    [
      '10.20.1.5',
      '10.10.2.5:80',
      'TCP',
      '10.20.1.5 is in a Pod CIDR of cluster west; a trace begins in its own cluster',
    ],
    ['shop/client', 'shop/cart', 'TCP', 'kubectl get pods -A -o wide shows the addresses of Pods'],
    ['10.10.2.5', 'shop/cart:81', 'TCP', 'Service shop/cart does not have that port: it has 80/TCP, 53/UDP, 54/UDP'],
    ['10.10.2.5', 'shop/cart', 'UDP', 'Service shop/cart has several ports: name one of 80/TCP, 53/UDP, 54/UDP'],
    ['10.10.2.5', '10.99.0.1:0', 'TCP', 'port 0 is not a number from 1 to 65535'],
    [
      '10.10.2.5',
      '10.99.0.1',
      'TCP',
      '"10.99.0.1" is not an address with a port, such as 10.96.0.10:53, or an imported Service, such as shop/cart:80',
    ],
    ['node-3', 'shop/cart', 'TCP', '"node-3" is neither an IP address nor the name of a Node; kubectl get nodes lists'],
    ['fd00::1', 'shop/cart', 'TCP', 'fd00::1 is IPv6, and 10.99.0.1 is IPv4'],
    ['10.30.2.5', 'shop/cart', 'TCP', 'no Node has the address 10.30.2.5, or a Pod CIDR that contains it'],
  ] as const)('from %s to %s by %s is not possible: %s', (from, to, protocol, message) => {
    expect(() => trace(from, to, protocol)).toThrow(message);
  });
});
