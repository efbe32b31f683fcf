import type { Answer, CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Services: types, ports, addresses and updates. */
export const services = contractArea('services', [
  {
    title: 'a Service gets a ClusterIP, families and traffic policies',
    async run(api) {
      await create(api, 'a', { ports: [{ port: 80 }], selector: { app: 'web' } });
      await api.get(path(api, 'a'));
    },
  },
  {
    title: 'a port has a protocol and a target, and its fields keep their order',
    async run(api) {
      await create(api, 'a', {
        ports: [
          { targetPort: 'web', port: 80, name: 'http', appProtocol: 'kubernetes.io/h2c' },
          { targetPort: 0, port: 53, name: 'dns', protocol: 'UDP' },
        ],
      });
    },
  },
  {
    title: 'without ports only headless and external Services are taken',
    async run(api) {
      await create(api, 'a', {});
      await create(api, 'b', { ports: [] });
      await create(api, 'c', { clusterIP: 'None' });
      await create(api, 'd', { type: 'ExternalName', externalName: 'example.com' });
      await create(api, 'e', { type: 'NodePort' });
    },
  },
  {
    title: 'many ports need names of their own, and each protocol and number stands once',
    async run(api) {
      await create(api, 'a', { ports: [{ port: 80 }, { port: 81 }] });
      await create(api, 'b', {
        ports: [
          { port: 80, name: 'x' },
          { port: 81, name: 'x' },
        ],
      });
      await create(api, 'c', {
        ports: [
          { port: 80, name: 'x' },
          { port: 80, name: 'y' },
        ],
      });
      await create(api, 'd', {
        ports: [
          { port: 80, name: 'x' },
          { port: 80, name: 'y', protocol: 'UDP' },
        ],
      });
    },
  },
  {
    title: 'the border numbers of ports',
    async run(api) {
      for (const port of [0, 1, 65_535, 65_536, -1]) await create(api, `p${port + 1}`, { ports: [{ port }] });
      await create(api, 't', { ports: [{ port: 80, targetPort: 70_000 }] });
    },
  },
  {
    title: 'a headless Service with a selector has one family',
    async run(api) {
      await create(api, 'a', { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 80 }] });
      await create(api, 'b', { clusterIP: 'None', ports: [{ port: 80 }] });
      await create(api, 'c', { clusterIP: 'None', ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
    },
  },
  {
    title: 'an address that is asked for is had once',
    async run(api) {
      const clusterIP = '10.96.177.1';
      await create(api, 'a', { clusterIP, ports: [{ port: 80 }] });
      await create(api, 'b', { clusterIP, ports: [{ port: 80 }] });
      await api.delete(path(api, 'a'));
      await create(api, 'b', { clusterIP, ports: [{ port: 80 }] });
      await release(api, 'b');
    },
  },
  {
    title: 'addresses outside of the range, at its ends and that are none are refused',
    async run(api) {
      for (const clusterIP of ['10.97.0.1', '10.96.0.0', '10.96.255.255', 'fd00::1', 'bad', '010.96.0.9']) {
        await create(api, 'a', { clusterIP, ports: [{ port: 80 }] });
      }
    },
  },
  {
    title: 'clusterIPs follows clusterIP and does not contradict it',
    async run(api) {
      await create(api, 'a', { clusterIPs: ['10.96.177.2'], ports: [{ port: 80 }] });
      await create(api, 'a', { clusterIP: '10.96.177.2', clusterIPs: ['10.96.177.3'], ports: [{ port: 80 }] });
      await create(api, 'a', { clusterIP: 'None', clusterIPs: ['None', '10.96.177.3'], ports: [{ port: 80 }] });
    },
  },
  {
    title: 'a cluster of one family has no Services of two, unless they would be content with one',
    async run(api) {
      for (const ipFamilyPolicy of ['SingleStack', 'PreferDualStack', 'RequireDualStack', 'Other']) {
        await create(api, ipFamilyPolicy.toLowerCase(), { ipFamilyPolicy, ports: [{ port: 80 }] });
      }
      await create(api, 'a', { ipFamilies: ['IPv6'], ports: [{ port: 80 }] });
      await create(api, 'b', {
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'PreferDualStack',
        ports: [{ port: 80 }],
      });
      await create(api, 'c', { ipFamilies: ['IPv4', 'IPv4'], ports: [{ port: 80 }] });
      await create(api, 'd', { ipFamilies: ['IPv5'], ports: [{ port: 80 }] });
    },
  },
  {
    title: 'a NodePort Service gets a port on nodes, the same for each protocol of a number',
    async run(api) {
      await create(api, 'a', { type: 'NodePort', ports: [{ port: 80 }] });
      await create(api, 'b', {
        type: 'NodePort',
        ports: [
          { port: 53, name: 't' },
          { port: 53, name: 'u', protocol: 'UDP' },
        ],
      });
    },
  },
  {
    title: 'a node port that is asked for is in the range and had once',
    needsServerAlone: true,
    async run(api) {
      await create(api, 'a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_071 }] });
      await create(api, 'b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_071 }] });
      await create(api, 'b', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] });
      await create(api, 'b', { ports: [{ port: 80, nodePort: 30_072 }] });
      await seen(api, await api.put(path(api, 'a'), service('a', { type: 'NodePort', ports: [{ port: 80 }] })));
      await api.patch(path(api, 'a'), 'merge', { spec: { ports: [{ port: 80, nodePort: 30_073 }] } });
      await create(api, 'c', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_071 }] });
      await release(api, 'a', 'c');
    },
  },
  {
    title: 'a LoadBalancer has node ports unless told otherwise',
    async run(api) {
      await create(api, 'a', { type: 'LoadBalancer', ports: [{ port: 80 }] });
      await create(api, 'b', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] });
      await create(api, 'c', { allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] });
    },
  },
  {
    title: 'a LoadBalancer with local traffic gets a port for health checks',
    async run(api) {
      await create(api, 'a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] });
      await api.patch(path(api, 'a'), 'merge', { spec: { healthCheckNodePort: 30_074 } });
      await api.patch(path(api, 'a'), 'merge', { spec: { externalTrafficPolicy: 'Cluster' } });
      await create(api, 'b', {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 70_000,
        ports: [{ port: 80 }],
      });
      await create(api, 'c', { type: 'NodePort', healthCheckNodePort: 30_075, ports: [{ port: 80 }] });
    },
  },
  {
    title: 'the class of a load balancer stays, and is for load balancers',
    async run(api) {
      await create(api, 'a', { type: 'LoadBalancer', loadBalancerClass: 'example.com/a', ports: [{ port: 80 }] });
      await api.patch(path(api, 'a'), 'merge', { spec: { loadBalancerClass: 'example.com/b' } });
      await create(api, 'b', { type: 'LoadBalancer', loadBalancerClass: 'bad/', ports: [{ port: 80 }] });
      await create(api, 'c', { loadBalancerClass: 'example.com/a', ports: [{ port: 80 }] });
    },
  },
  {
    title: 'source ranges are networks, and for load balancers',
    async run(api) {
      const ranged = (ranges: readonly string[], type = 'LoadBalancer') => ({
        type,
        loadBalancerSourceRanges: ranges,
        ports: [{ port: 80 }],
      });
      await create(api, 'a', ranged(['192.0.2.0/24', ' 10.0.0.0/8 ']));
      await create(api, 'b', ranged(['192.0.2.1/24', 'bad']));
      await create(api, 'c', ranged(['192.0.2.0/24'], 'ClusterIP'));
    },
  },
  {
    title: 'an external name is a name, and has no addresses',
    async run(api) {
      const external = (more: object) => ({ type: 'ExternalName', ...more });
      await create(api, 'a', external({}));
      await create(api, 'a', external({ externalName: 'Bad_Name' }));
      await create(api, 'a', external({ externalName: 'example.com.', clusterIP: '10.96.177.5' }));
      await create(
        api,
        'a',
        external({ externalName: 'example.com', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }),
      );
      await create(api, 'a', external({ externalName: 'example.com.', ports: [{ port: 80, nodePort: 30_076 }] }));
      await create(api, 'b', { externalName: 'ignored.example.com', ports: [{ port: 80 }] });
    },
  },
  {
    title: 'session affinity by client has a time-out',
    async run(api) {
      const ports = [{ port: 80 }];
      await create(api, 'a', { sessionAffinity: 'ClientIP', ports });
      await create(api, 'b', {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
        ports,
      });
      await create(api, 'c', {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
        ports,
      });
      await create(api, 'd', { sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } }, ports });
      await create(api, 'e', { sessionAffinity: 'Other', ports });
      await api.patch(path(api, 'a'), 'merge', { spec: { sessionAffinity: 'None' } });
    },
  },
  {
    title: 'traffic policies have their words, and external ones are for what is reached from outside',
    async run(api) {
      const ports = [{ port: 80 }];
      await create(api, 'a', { externalTrafficPolicy: 'Cluster', ports });
      await create(api, 'b', { externalTrafficPolicy: 'Other', type: 'NodePort', ports });
      await create(api, 'c', { internalTrafficPolicy: 'Other', ports });
      await create(api, 'd', { trafficDistribution: 'Other', ports });
      await create(api, 'e', { trafficDistribution: 'PreferClose', internalTrafficPolicy: 'Local', ports });
    },
  },
  {
    title: 'external addresses are addresses of somebody, and are warned of',
    async run(api) {
      const ports = [{ port: 80 }];
      await create(api, 'a', { externalIPs: ['192.0.2.1'], ports });
      await create(api, 'b', { externalIPs: ['127.0.0.1', 'bad', '0.0.0.0', '169.254.0.1', '224.0.0.1'], ports });
      await create(api, 'c', {
        externalIPs: ['FD00::1'],
        clusterIP: 'None',
        loadBalancerIP: '192.0.2.3',
        sessionAffinity: 'ClientIP',
        ports,
      });
    },
  },
  {
    title: 'a ClusterIP may not change nor be taken away',
    async run(api) {
      await create(api, 'a', { clusterIP: '10.96.177.6', ports: [{ port: 80 }] });
      await api.patch(path(api, 'a'), 'merge', { spec: { clusterIP: '10.96.177.7', clusterIPs: ['10.96.177.7'] } });
      await api.patch(path(api, 'a'), 'merge', { spec: { clusterIP: '10.96.177.7' } });
      await api.patch(path(api, 'a'), 'merge', { spec: { clusterIP: 'None', clusterIPs: ['None'] } });
      await api.patch(path(api, 'a'), 'merge', { spec: { clusterIP: null, clusterIPs: null } });
      await api.patch(path(api, 'a'), 'merge', { spec: { ipFamilies: ['IPv6'] } });
      await api.put(path(api, 'a'), service('a', { ports: [{ port: 81 }] }));
      await release(api, 'a');
    },
  },
  {
    title: 'a Service becomes external and comes back with another address',
    async run(api) {
      await create(api, 'a', { type: 'NodePort', ports: [{ port: 80 }] });
      await api.patch(path(api, 'a'), 'merge', { spec: { type: 'ExternalName', externalName: 'example.com' } });
      await api.patch(path(api, 'a'), 'merge', { spec: { type: 'ClusterIP' } });
    },
  },
  {
    title: 'a Service that changes its type loses what the new type has no use for',
    async run(api) {
      await create(api, 'a', {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        loadBalancerClass: 'example.com/a',
        ports: [{ port: 80 }],
      });
      await api.patch(path(api, 'a'), 'merge', { spec: { type: 'NodePort' } });
      await api.patch(path(api, 'a'), 'merge', { spec: { type: 'ClusterIP' } });
      await api.patch(path(api, 'a'), 'merge', { spec: { type: 'LoadBalancer' } });
    },
  },
  {
    title: 'a Service is created by PUT, and DELETE answers with it',
    async run(api) {
      await api.put(path(api, 'a'), service('a', { ports: [{ port: 80 }] }));
      await api.delete(path(api, 'a'));
    },
  },
  {
    title: 'the status is written apart, and only a load balancer has addresses in it',
    async run(api) {
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, { hostname: 'lb.example.com' }] } };
      await create(api, 'a', { type: 'LoadBalancer', ports: [{ port: 80 }] });
      await api.patch(`${path(api, 'a')}/status`, 'merge', { status, spec: { type: 'ClusterIP' } });
      await api.patch(`${path(api, 'a')}/status`, 'merge', {
        status: {
          loadBalancer: {
            ingress: [
              { ip: 'bad', ipMode: 'Other' },
              { hostname: '192.0.2.9', ipMode: 'VIP' },
            ],
          },
        },
      });
      await api.patch(path(api, 'a'), 'merge', { status: { loadBalancer: {} }, spec: { type: 'NodePort' } });
      await api.patch(`${path(api, 'a')}/status`, 'merge', { status });
    },
  },
  {
    title: 'a dry run gives addresses and ports and keeps none',
    async run(api) {
      await api.post(
        path(api),
        service('a', { type: 'NodePort', clusterIP: '10.96.177.8', ports: [{ port: 80, nodePort: 30_077 }] }),
        { query: { dryRun: 'All' } },
      );
      await create(api, 'b', { type: 'NodePort', clusterIP: '10.96.177.8', ports: [{ port: 80, nodePort: 30_077 }] });
      await release(api, 'b');
    },
  },
  {
    title: 'names of Services are labels',
    async run(api) {
      for (const name of ['0a', 'a.b', 'Upper', 'x'.repeat(64), '-a'])
        await create(api, name, { ports: [{ port: 80 }] });
    },
  },
  {
    title: 'each ClusterIP has an IPAddress that goes with its Service',
    async run(api) {
      const record = '/apis/networking.k8s.io/v1/ipaddresses/10.96.177.9';
      await api.quietly.post(path(api), service('a', { clusterIP: '10.96.177.9', ports: [{ port: 80 }] }));
      await api.get(record);
      await api.quietly.delete(path(api, 'a'));
      await api.get(record);
    },
  },
  {
    title: 'the Endpoints of a Service go with it',
    async run(api) {
      const endpoints = `/api/v1/namespaces/${api.namespace}/endpoints`;
      await api.quietly.post(path(api), service('a', { ports: [{ port: 80 }] }));
      await api.quietly.post(endpoints, { metadata: { name: 'a' }, subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] });
      await api.quietly.delete(path(api, 'a'));
      await api.get(`${endpoints}/a`);
    },
  },
  {
    title: 'a ServiceCIDR adds a range to ask for addresses in',
    async run(api) {
      const added = '/apis/networking.k8s.io/v1/servicecidrs';
      await api.quietly.post(added, { metadata: { name: api.namespace }, spec: { cidrs: ['10.213.7.0/28'] } });
      await api.pass(1500);
      const names: string[] = [];
      for (const [index, clusterIP] of [
        '10.213.7.7',
        '10.213.7.7',
        '10.213.7.0',
        '10.213.7.15',
        '10.214.0.1',
      ].entries()) {
        const { status } = await create(api, `s${index}`, { clusterIP, ports: [{ port: 80 }] });
        if (status === 201) names.push(`s${index}`);
      }
      await release(api, ...names);
      await api.quietly.delete(`${added}/${api.namespace}`);
    },
  },
  {
    title: 'the range of ClusterIPs is an object',
    async run(api) {
      await api.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
      await api.patch(
        '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
        'merge',
        { spec: { cidrs: ['10.98.0.0/16'] } },
        { query: { dryRun: 'All' } },
      );
    },
  },
]);

const path = ({ namespace }: CaseApi, name?: string) =>
  `/api/v1/namespaces/${namespace}/services${name === undefined ? '' : `/${name}`}`;

const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });

const create = (api: CaseApi, name: string, spec: object) => api.post(path(api), service(name, spec));

/**
 * Waits until the server's cache contains the Service as it was answered. An update starts from the
 * cached object and restarts if that is outdated. By then a real server has allocated the port to
 * the first attempt, and rejects it in the second.
 */
async function seen(api: CaseApi, { body }: Answer): Promise<void> {
  const { name, resourceVersion } = body.metadata;
  await api.quietly.get(path(api, name), { query: { resourceVersion } });
}

/**
 * Deletes Services, so that the numbers they asked for are free for the next run, however long the
 * deletion of the Namespace takes.
 */
async function release(api: CaseApi, ...names: readonly string[]): Promise<void> {
  for (const name of names) await api.quietly.delete(path(api, name));
}
