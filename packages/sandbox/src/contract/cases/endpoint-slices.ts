import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** EndpointSlices, and the Endpoints that they replaced. */
export const endpointSlices = contractArea('endpoint-slices', [
  {
    title: 'ports have names and protocols, and an empty list is null',
    async run(api) {
      await create(api, 'a', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'] }],
        ports: [{ port: 80 }, { name: 'all' }],
      });
      await create(api, 'b', { addressType: 'IPv4', endpoints: [], ports: [] });
      await create(api, 'c', { addressType: 'IPv4' });
      await api.get(slices(api, 'b'));
    },
  },
  {
    title: 'the type of addresses is needed, known, and stays',
    async run(api) {
      await create(api, 'a', { endpoints: [] });
      await create(api, 'a', { addressType: 'IP', endpoints: [{ addresses: ['whatever'] }] });
      await create(api, 'a', { addressType: 'IPv4', endpoints: [] });
      await api.patch(slices(api, 'a'), 'merge', { addressType: 'IPv6' });
    },
  },
  {
    title: 'addresses are of their family, canonical where new, and somebody can have them',
    async run(api) {
      const v4 = ['10.1.2.3', 'fd00::1', '010.1.2.3', '0.0.0.0', '127.0.0.1', '169.254.1.1', '224.0.0.9', 'bad'];
      const v6 = ['fd00::1', 'FD00::1', '10.1.2.3', '::ffff:10.1.2.3', '::', '::1', 'fe80::1', 'ff02::1'];
      for (const address of v4)
        await create(api, 'a', { addressType: 'IPv4', endpoints: [{ addresses: [address] }] }, true);
      for (const address of v6)
        await create(api, 'a', { addressType: 'IPv6', endpoints: [{ addresses: [address] }] }, true);
    },
  },
  {
    title: 'names as addresses are deprecated and have two parts',
    async run(api) {
      for (const address of ['example.com', 'example.com.', 'localhost', 'Bad_Name', '']) {
        await create(api, 'a', { addressType: 'FQDN', endpoints: [{ addresses: [address] }] }, true);
      }
    },
  },
  {
    title: 'an endpoint has addresses, at most a hundred',
    async run(api) {
      await create(api, 'a', { addressType: 'IPv4', endpoints: [{ addresses: [] }, {}] });
      const addresses = Array.from({ length: 101 }, (_, index) => `10.1.2.${index + 1}`);
      await create(api, 'a', { addressType: 'IPv4', endpoints: [{ addresses }] });
    },
  },
  {
    title: 'ports have names of their own, protocols of the list, and application protocols',
    async run(api) {
      const ports = [
        { name: 'a' },
        { name: 'a' },
        { name: 'Bad' },
        { name: 'b', protocol: 'ICMP', appProtocol: 'bad/' },
        {},
      ];
      await create(api, 'a', { addressType: 'IPv4', endpoints: [], ports });
    },
  },
  {
    title: 'hints, hosts and nodes have their forms',
    async run(api) {
      const hints = {
        forZones: [{ name: 'a' }, { name: 'a' }, { name: 'Bad Zone' }],
        forNodes: [{ name: 'n' }, { name: 'Bad Node' }],
      };
      await create(api, 'a', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'], hostname: 'Bad_Host', nodeName: 'Bad Node', hints }],
      });
      await create(api, 'a', {
        addressType: 'IPv4',
        endpoints: [
          {
            addresses: ['10.1.2.3'],
            hostname: 'web-0',
            nodeName: 'n',
            zone: 'z',
            hints: { forZones: [{ name: 'z' }] },
          },
        ],
      });
    },
  },
  {
    title: 'what older versions called topology is dropped',
    async run(api) {
      await create(api, 'a', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'], deprecatedTopology: { 'example.com/a': 'b' } }],
      });
    },
  },
  {
    title: 'the generation counts changes of content and labels, not of annotations',
    async run(api) {
      await create(api, 'a', { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }] });
      await api.patch(slices(api, 'a'), 'merge', { metadata: { annotations: { a: 'b' } } });
      await api.patch(slices(api, 'a'), 'merge', { metadata: { labels: { a: 'b' } } });
      await api.patch(slices(api, 'a'), 'merge', { endpoints: [{ addresses: ['10.1.2.4'] }] });
      await api.patch(slices(api, 'a'), 'merge', { endpoints: [{ addresses: ['10.1.2.4'] }] });
    },
  },
  {
    title: 'PUT makes no EndpointSlice',
    async run(api) {
      await api.put(slices(api, 'a'), { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [] });
    },
  },
  {
    title: 'Endpoints are deprecated, and every answer says so',
    async run(api) {
      await api.post(endpoints(api), {
        metadata: { name: 'a' },
        subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
      });
      await api.get(endpoints(api, 'a'));
      await api.put(endpoints(api, 'b'), { metadata: { name: 'b' } });
      await api.delete(endpoints(api, 'b'));
    },
  },
  {
    title: 'a subset of Endpoints has addresses, and ports with names where there are many',
    async run(api) {
      const subsets = [
        { ports: [{ port: 80 }] },
        {
          addresses: [{ ip: 'bad' }, { ip: '127.0.0.1', hostname: 'Bad_Host', nodeName: 'Bad Node' }],
          ports: [{ port: 80 }, { port: 0, name: 'x', protocol: 'ICMP' }],
        },
      ];
      await api.post(endpoints(api), { metadata: { name: 'a' }, subsets });
    },
  },
]);

const slices = ({ namespace }: CaseApi, name?: string) =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices${name === undefined ? '' : `/${name}`}`;

const endpoints = ({ namespace }: CaseApi, name?: string) =>
  `/api/v1/namespaces/${namespace}/endpoints${name === undefined ? '' : `/${name}`}`;

const create = (api: CaseApi, name: string, slice: object, dry = false) =>
  api.post(slices(api), { metadata: { name }, ...slice }, dry ? { query: { dryRun: 'All' } } : {});
