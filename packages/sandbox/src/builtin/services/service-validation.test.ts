import { formatFieldErrors } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { loadBalancerClassErrors, serviceErrors } from './service-validation.ts';

const port = (more: object = {}) => ({ port: 80, protocol: 'TCP', targetPort: 80, ...more });
const complete = {
  type: 'ClusterIP',
  ports: [port()],
  clusterIP: '10.96.0.9',
  clusterIPs: ['10.96.0.9'],
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
};
const service = (spec: object, annotations?: object) =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', ...(annotations && { annotations }) },
    spec: { ...complete, ...spec },
  }) as unknown as Stored;
/** The errors as the server tells them, without `spec.`. */
const of = (spec: object, { annotations, before }: { readonly annotations?: object; readonly before?: object } = {}) =>
  serviceErrors(service(spec, annotations), before && service(before)).map((error) =>
    formatFieldErrors([error]).replace(/^spec\./, ''),
  );
const starting = (text: string) => expect.stringMatching(new RegExp(`^${text}`)) as unknown as string;

const ports = (...list: readonly object[]) => ({ ports: list.map(port) });
const external = {
  type: 'ExternalName',
  clusterIP: undefined,
  clusterIPs: undefined,
  ports: [],
  externalName: 'db.example',
};
const nodePorts = { type: 'NodePort', externalTrafficPolicy: 'Cluster' };
const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' };
const headless = { clusterIP: 'None', clusterIPs: ['None'] };

describe('a Service', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['that is complete', {}, []],
    ['of a type that is none', { type: 'Proxy' }, [starting('type: Unsupported value: "Proxy"')]],
    ['without ports', { ports: [] }, ['ports: Required value']],
    ['without ports, headless', { ports: undefined, ...headless }, []],
    ['of a name', external, []],
    ['of a name that ends with a dot', { ...external, externalName: 'db.example.' }, []],
    ['of no name', { ...external, externalName: '' }, ['externalName: Required value']],
    ['of the root', { ...external, externalName: '.' }, ['externalName: Required value']],
    ['of a name that is none', { ...external, externalName: 'a b' }, [starting('externalName: Invalid value: "a b"')]],
    [
      'of a name, with addresses',
      { ...external, clusterIPs: ['10.96.0.9'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map(
        (field) => `${field}: Forbidden: may not be set for ExternalName services`,
      ),
    ],
    ...['LoadBalancer', 'NodePort'].map(
      (type) =>
        [
          `of the type ${type}, headless`,
          { ...headless, type, externalTrafficPolicy: 'Cluster' },
          [`clusterIPs[0]: Invalid value: "None": may not be set to 'None' for ${type} services`],
        ] as const,
    ),
    ['of a selector that is none', { selector: { 'a b': 'c' } }, [starting('selector: Invalid value: "a b"')]],
    [
      'of an address that is none',
      { externalIPs: ['x'], externalTrafficPolicy: 'Cluster' },
      [starting('externalIPs\\[0\\]: Invalid value: "x": must be a valid IP address')],
    ],
    [
      'of an address that no one can reach',
      { externalIPs: ['127.0.0.1'], externalTrafficPolicy: 'Cluster' },
      [starting('externalIPs\\[0\\]: Invalid value: "127.0.0.1": may not be in the loopback range')],
    ],
    [
      'that shares traffic inside by no known rule',
      { internalTrafficPolicy: 'Near' },
      [starting('internalTrafficPolicy: Unsupported value: "Near"')],
    ],
    ['without a rule for traffic inside', { internalTrafficPolicy: undefined }, []],
    [
      'that distributes by no known rule',
      { trafficDistribution: 'Near' },
      [starting('trafficDistribution: Unsupported value: "Near"')],
    ],
    ['that distributes by a rule', { trafficDistribution: 'PreferSameNode' }, []],
  ])('%s', (_, spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });

  const path = 'metadata.annotations[service.kubernetes.io/topology-mode]';
  it.each<readonly [string | undefined, string | undefined, readonly string[]]>([
    ['Auto', 'Auto', []],
    ['Auto', undefined, []],
    [undefined, 'Auto', []],
    [
      'Auto',
      'Disabled',
      [
        `${path}: Invalid value: "Disabled": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified`,
      ],
    ],
  ])('with the hints %s and the mode %s', (hints, mode, expected) => {
    const annotations = {
      ...(hints !== undefined && { 'service.kubernetes.io/topology-aware-hints': hints }),
      ...(mode !== undefined && { 'service.kubernetes.io/topology-mode': mode }),
    };
    expect(of({}, { annotations })).toEqual(expected);
  });

  it('may keep an address that would be refused today', () => {
    const spec = { externalIPs: ['10.0.0.01'], externalTrafficPolicy: 'Cluster' };
    expect(of(spec)).toEqual(['externalIPs[0]: Invalid value: "10.0.0.01": must not have leading 0s']);
    expect(of(spec, { before: spec })).toEqual([]);
  });
});

describe('a port', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['without a name', ports({}), []],
    ['without a name beside another', ports({ name: 'a' }, { port: 81 }), ['ports[1].name: Required value']],
    ['of a name that is none', ports({ name: 'A' }), [starting('ports\\[0\\].name: Invalid value: "A"')]],
    ['of a name twice', ports({ name: 'a' }, { name: 'a', port: 81 }), ['ports[1].name: Duplicate value: "a"']],
    ['of a number that is none', ports({ port: 0 }), [starting('ports\\[0\\].port: Invalid value: 0')]],
    [
      'of a protocol that is none',
      ports({ protocol: 'ICMP' }),
      [starting('ports\\[0\\].protocol: Unsupported value: "ICMP"')],
    ],
    [
      'to a number that is none',
      ports({ targetPort: 70_000 }),
      [starting('ports\\[0\\].targetPort: Invalid value: 70000')],
    ],
    ['to no number', ports({ targetPort: undefined }), [starting('ports\\[0\\].targetPort: Invalid value: 0')]],
    ['to a name', ports({ targetPort: 'http' }), []],
    ['to a name that is none', ports({ targetPort: 'a_' }), [starting('ports\\[0\\].targetPort: Invalid value: "a_"')]],
    [
      'of an application that is none',
      ports({ appProtocol: 'a b' }),
      [starting('ports\\[0\\].appProtocol: Invalid value: "a b"')],
    ],
    ['of an application', ports({ appProtocol: 'example.com/h2c' }), []],
    [
      'on Nodes, of a Service that has none',
      ports({ nodePort: 30_001 }),
      ["ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    ['on Nodes', { ...nodePorts, ...ports({ nodePort: 30_001 }) }, []],
    [
      'on Nodes, twice',
      { ...nodePorts, ...ports({ name: 'a', nodePort: 30_001 }, { name: 'b', port: 81, nodePort: 30_001 }) },
      ['ports[1].nodePort: Duplicate value: 30001'],
    ],
    [
      'on Nodes, for two protocols',
      { ...nodePorts, ...ports({ name: 'a', nodePort: 30_001 }, { name: 'b', protocol: 'UDP', nodePort: 30_001 }) },
      [],
    ],
    [
      'of a number twice',
      ports({ name: 'a' }, { name: 'b' }),
      [starting('ports\\[1\\]: Duplicate value: \\{"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80')],
    ],
    ['of a number for two protocols', ports({ name: 'a' }, { name: 'b', protocol: 'UDP' }), []],
  ])('%s', (_, spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });
});

describe('session affinity', () => {
  const config = (timeoutSeconds?: number) => ({ sessionAffinityConfig: { clientIP: { timeoutSeconds } } });
  const seconds = (value: number) => [
    `sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: ${value}: must be greater than 0 and less than 86400`,
  ];

  it.each<readonly [object, readonly string[]]>([
    [
      { sessionAffinity: 'None', ...config(5) },
      ['sessionAffinityConfig: Forbidden: must not be set when session affinity is None'],
    ],
    [{ sessionAffinity: 'ClientIP', ...config(1) }, []],
    [{ sessionAffinity: 'ClientIP', ...config(86_400) }, []],
    [{ sessionAffinity: 'ClientIP', ...config(86_401) }, seconds(86_401)],
    [{ sessionAffinity: 'ClientIP', ...config(0) }, seconds(0)],
    [{ sessionAffinity: 'ClientIP' }, seconds(0)],
    [
      { sessionAffinity: 'Cookie' },
      ['sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"'],
    ],
  ])('%j', (spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });
});

describe('a load balancer', () => {
  const only = "may only be used when `type` is 'LoadBalancer'";
  const ranges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

  it.each<readonly [string, object, readonly string[]]>([
    ['may have ports on Nodes or not', { ...balanced, allocateLoadBalancerNodePorts: false }, []],
    ['alone may', { allocateLoadBalancerNodePorts: true }, [`allocateLoadBalancerNodePorts: Forbidden: ${only}`]],
    ['has sources', { ...balanced, loadBalancerSourceRanges: [' 10.0.0.0/8 '] }, []],
    [
      'alone has sources',
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      [`LoadBalancerSourceRanges: Forbidden: ${only}`],
    ],
    [
      'has sources that are none',
      { ...balanced, loadBalancerSourceRanges: ['10.0.0.0/8', 'x'] },
      [starting('LoadBalancerSourceRanges\\[1\\]: Invalid value: "x": must be a valid CIDR value')],
    ],
    ['has a class', { ...balanced, loadBalancerClass: 'example.com/lb' }, []],
    ['alone has a class', { loadBalancerClass: 'example.com/lb' }, [`loadBalancerClass: Forbidden: ${only}`]],
  ])('%s', (_, spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });

  it('may keep sources that would be refused today', () => {
    const spec = { ...balanced, loadBalancerSourceRanges: ['10.0.0.1/8'] };
    expect(of(spec)).toHaveLength(1);
    expect(of(spec, { before: { ...balanced, loadBalancerSourceRanges: [' 10.0.0.1/8'] } })).toEqual([]);
  });

  it.each<readonly [string, object, string, readonly string[]]>([
    ['of the annotation', balanced, '10.0.0.0/8, 192.168.0.0/16', []],
    ['of an empty annotation', balanced, ' ', []],
    [
      'that are none',
      balanced,
      '10.0.0.0/8,x',
      [starting('metadata.annotations.+: Invalid value: "x": must be a valid CIDR value')],
    ],
    ['of the annotation, for another type', {}, ' ', [`metadata.annotations[${ranges}]: Forbidden: ${only}`]],
    ['of the field: the annotation does not count', { ...balanced, loadBalancerSourceRanges: ['10.0.0.0/8'] }, 'x', []],
  ])('has sources %s', (_, spec, text, expected) => {
    expect(of(spec, { annotations: { [ranges]: text } })).toEqual(expected);
  });

  it.each<readonly [object, number]>([
    [{ type: 'LoadBalancer' }, 0],
    [{ type: 'LoadBalancer', loadBalancerClass: 'a b' }, 1],
    [{ type: 'NodePort', loadBalancerClass: 'example.com/lb' }, 1],
  ])('%j: its class has %s errors', (spec, count) => {
    expect(loadBalancerClassErrors(spec)).toHaveLength(count);
  });
});

describe('traffic from outside', () => {
  const health = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  const local = { ...balanced, externalTrafficPolicy: 'Local' };

  it.each<readonly [string, object, readonly string[]]>([
    ['to a Service inside', {}, []],
    [
      'to a Service inside, by a policy',
      { externalTrafficPolicy: 'Local' },
      ['externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
    ['to ports on Nodes', nodePorts, []],
    [
      'to ports on Nodes, by no policy',
      { type: 'NodePort' },
      [starting('externalTrafficPolicy: Unsupported value: ""')],
    ],
    [
      'to addresses of its own, by no policy',
      { externalIPs: ['192.0.2.1'] },
      [starting('externalTrafficPolicy: Unsupported value: ""')],
    ],
    ['to a load balancer with a port for health checks', { ...local, healthCheckNodePort: 30_009 }, []],
    ['to a load balancer without one', local, [starting('healthCheckNodePort: Invalid value: 0')]],
    [
      'to all Nodes of a load balancer, with one',
      { ...balanced, healthCheckNodePort: 30_009 },
      [`healthCheckNodePort: Invalid value: 30009: ${health}`],
    ],
    [
      'to ports on Nodes, with one',
      { ...nodePorts, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_009 },
      [`healthCheckNodePort: Invalid value: 30009: ${health}`],
    ],
  ])('%s', (_, spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });
});
