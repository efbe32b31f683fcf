import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes, Events and Leases. */
export const coreKinds = contractArea('core-kinds', [
  {
    title: 'a key of a ConfigMap is a file name, and stands in one of its two maps',
    async run(api) {
      const maps = at(api, 'configmaps');
      for (const key of ['a.b_c-d', 'a b', '..', '.', '..a', 'k'.repeat(254), ''])
        await api.post(maps, { metadata: { name: 'a' }, data: { [key]: 'v' } }, dry);
      await api.post(maps, { metadata: { name: 'a' }, data: { k: 'v' }, binaryData: { k: 'YQ==' } });
      await api.post(maps, { metadata: { name: 'a' }, binaryData: { k: 'not base64!' } });
    },
  },
  {
    title: 'a ConfigMap has at most a mebibyte',
    async run(api) {
      await api.post(at(api, 'configmaps'), { metadata: { name: 'a' }, data: { a: 'x'.repeat(1024 * 1024 + 1) } });
    },
  },
  {
    title: 'an immutable ConfigMap keeps its data and stays immutable',
    async run(api) {
      await api.post(at(api, 'configmaps'), { metadata: { name: 'a' }, data: { k: 'v' }, immutable: true });
      const one = at(api, 'configmaps', 'a');
      await api.patch(one, 'merge', { data: { k: 'w' } });
      await api.patch(one, 'merge', { immutable: false, binaryData: { b: 'YQ==' } });
      await api.patch(one, 'merge', { immutable: null });
      await api.patch(one, 'merge', { metadata: { labels: { a: 'b' } } });
    },
  },
  {
    title: 'stringData of a Secret goes into its data',
    async run(api) {
      await api.post(at(api, 'secrets'), {
        metadata: { name: 'a' },
        data: { k: 'YQ==', l: 'YQ==' },
        stringData: { k: 'ä' },
      });
      await api.patch(at(api, 'secrets', 'a'), 'merge', { stringData: { m: 'b' } });
    },
  },
  {
    title: 'the type of a Secret stays, and asks for keys',
    async run(api) {
      const make = (type: string, data: object = {}) =>
        api.post(at(api, 'secrets'), { metadata: { name: 'a' }, type, stringData: data }, dry);
      await make('kubernetes.io/service-account-token');
      await make('kubernetes.io/dockercfg');
      await make('kubernetes.io/dockercfg', { '.dockercfg': 'x' });
      await make('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': '' });
      await make('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': '{}' });
      await make('kubernetes.io/basic-auth');
      await make('kubernetes.io/basic-auth', { username: '' });
      await make('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' });
      await make('kubernetes.io/tls', { 'tls.crt': '' });
      await make('kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' });
      await api.post(at(api, 'secrets'), { metadata: { name: 'a' } });
      await api.patch(at(api, 'secrets', 'a'), 'merge', { type: 'example.com/own' });
    },
  },
  {
    title: 'an immutable Secret keeps its data',
    async run(api) {
      await api.post(at(api, 'secrets'), { metadata: { name: 'a' }, data: { k: 'YQ==' }, immutable: true });
      await api.patch(at(api, 'secrets', 'a'), 'merge', { data: { k: 'Yg==' } });
      await api.patch(at(api, 'secrets', 'a'), 'merge', { immutable: false });
    },
  },
  {
    title: 'a Secret has at most a mebibyte, and keys as a ConfigMap',
    async run(api) {
      await api.post(at(api, 'secrets'), { metadata: { name: 'a' }, stringData: { a: 'x'.repeat(1024 * 1024 + 1) } });
      await api.post(at(api, 'secrets'), { metadata: { name: 'a' }, stringData: { '..': '' } });
    },
  },
  {
    title: 'a ServiceAccount is warned of what is deprecated about it, once',
    async run(api) {
      const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
      await api.post(at(api, 'serviceaccounts'), {
        metadata: { name: 'a', annotations },
        automountServiceAccountToken: false,
      });
      await api.patch(at(api, 'serviceaccounts', 'a'), 'merge', { imagePullSecrets: [{ name: 's' }] });
    },
  },
  {
    title: 'a Namespace is labelled by its name and held by a finalizer in its spec',
    async run(api) {
      await api.post('/api/v1/namespaces', { metadata: { name: 'a' }, status: { phase: 'Terminating' } }, dry);
      await api.post(
        '/api/v1/namespaces',
        {
          metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'b' } },
          spec: { finalizers: ['example.com/hold'] },
        },
        dry,
      );
      await api.post('/api/v1/namespaces', { metadata: { name: 'a.b' }, spec: { finalizers: ['hold', ''] } }, dry);
    },
  },
  {
    title: 'an update of a Namespace leaves its finalizers and its phase alone',
    async run(api) {
      const one = `/api/v1/namespaces/${api.namespace}`;
      await api.patch(one, 'merge', { spec: { finalizers: [] }, status: { phase: 'Terminating' } });
      await api.patch(one, 'merge', { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } });
      await api.patch(`${one}/status`, 'merge', { status: { phase: 'Terminating' } });
    },
  },
  {
    title: 'the finalizers of a Namespace are written by finalize',
    async run(api) {
      const one = `/api/v1/namespaces/${api.namespace}`;
      const write = (finalizers: readonly string[]) =>
        api.put(`${one}/finalize`, { metadata: { name: api.namespace }, spec: { finalizers } });
      await write(['kubernetes', 'example.com/hold']);
      await write(['kubernetes', 'hold']);
      await write(['kubernetes']);
    },
  },
  {
    title: 'a Namespace has no limits of its own',
    async run(api) {
      for (const plural of ['limitranges', 'resourcequotas']) {
        await api.get(at(api, plural));
        await api.get(at(api, plural, 'none'));
      }
    },
  },
  {
    title: 'the Namespaces of the system may not be deleted',
    async run(api) {
      for (const name of ['default', 'kube-system', 'kube-public'])
        await api.delete(`/api/v1/namespaces/${name}`, { query: { dryRun: 'All' } });
    },
  },
  {
    title: 'a new Node is not ready, and allocates what it has',
    async run(api) {
      const name = `${api.namespace}-n`;
      const status = { capacity: { cpu: '2000m', memory: '4Gi' } };
      await api.post('/api/v1/nodes', { metadata: { name }, spec: { podCIDR: '10.9.0.0/24' }, status });
      await api.patch(`/api/v1/nodes/${name}`, 'merge', {
        spec: { podCIDR: '10.9.1.0/24', podCIDRs: ['10.9.1.0/24'] },
      });
      await api.patch(`/api/v1/nodes/${name}`, 'merge', {
        spec: { providerID: 'a://b', unschedulable: true, taints: null },
      });
      await api.patch(`/api/v1/nodes/${name}`, 'merge', { spec: { providerID: 'a://c' } });
      const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
      await api.patch(`/api/v1/nodes/${name}/status`, 'merge', {
        status: { addresses },
        spec: { unschedulable: null },
      });
      await api.delete(`/api/v1/nodes/${name}`);
    },
  },
  {
    title: 'taints of a Node are told apart by key and effect',
    async run(api) {
      const taints = [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule', value: 'x' },
        { key: 'b c', effect: 'Other', value: 'bad value' },
        { key: 'd' },
      ];
      await api.post('/api/v1/nodes', {
        metadata: { name: `${api.namespace}-n` },
        spec: { taints, podCIDRs: ['10.9.0.0/24', '10.9.1.0/24'] },
      });
    },
  },
  {
    title: 'an Event is about something in its Namespace',
    async run(api) {
      const about = (more: object) =>
        api.post(
          at(api, 'events'),
          { metadata: { name: 'a' }, reason: 'R', message: 'm', type: 'Normal', ...more },
          dry,
        );
      await about({ involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace } });
      await about({ involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' } });
      await about({ involvedObject: { kind: 'Node', name: 'n' } });
    },
  },
  {
    title: 'an Event with a time of its own is judged more strictly',
    async run(api) {
      const about = (more: object) =>
        api.post(
          at(api, 'events'),
          {
            metadata: { name: 'a' },
            involvedObject: { namespace: api.namespace },
            eventTime: '2026-11-21T10:00:00.000000Z',
            ...more,
          },
          dry,
        );
      await about({});
      await about({
        reportingComponent: 'a b',
        reportingInstance: 'x'.repeat(129),
        action: 'x'.repeat(129),
        reason: 'x'.repeat(129),
        message: 'x'.repeat(1025),
      });
      await about({ reportingComponent: 'example.com/c', reportingInstance: 'c-0', action: 'A', reason: 'R' });
    },
  },
  {
    title: 'a Lease has positive seconds, and its election fields are dropped',
    async run(api) {
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
      await api.post(leases, { metadata: { name: 'a' }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } });
      await api.post(leases, {
        metadata: { name: 'a' },
        spec: { holderIdentity: 'h', renewTime: '2026-11-21T10:00:00Z', strategy: 'Other', preferredHolder: 'p' },
      });
      await api.put(`${leases}/a`, { metadata: { name: 'a' }, spec: { holderIdentity: 'i' } });
      await api.put(`${leases}/b`, { metadata: { name: 'b' } });
    },
  },
  {
    title: 'an IPAddress is named by its canonical text and has a parent',
    async run(api) {
      const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
      for (const name of ['10.96.0.010', 'FD00::1', 'bad'])
        await api.post(addresses, { metadata: { name }, spec: {} }, dry);
      await api.post(addresses, { metadata: { name: '192.0.2.77' }, spec: { parentRef: { resource: 'a/b' } } }, dry);
    },
  },
  {
    title: 'a ServiceCIDR has one network of a family',
    async run(api) {
      const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
      for (const cidrs of [
        [],
        ['10.98.0.1/16'],
        ['10.98.0.0/16', '10.99.0.0/16'],
        ['10.98.0.0/16', 'fd00::/112', 'fd01::/112'],
        ['FD00::/112'],
      ]) {
        await api.post(ranges, { metadata: { name: api.namespace }, spec: { cidrs } }, dry);
      }
    },
  },
]);

const dry = { query: { dryRun: 'All' } };

const at = ({ namespace }: CaseApi, plural: string, name?: string) =>
  `/api/v1/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
