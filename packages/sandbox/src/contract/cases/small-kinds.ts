import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const apiservices = '/apis/apiregistration.k8s.io/v1/apiservices';
const coordination = '/apis/coordination.k8s.io/v1';
const networking = '/apis/networking.k8s.io/v1';

/**
 * Leases, Events, APIServices, ServiceCIDRs, Nodes: their use by clients beyond reading and
 * writing.
 */
export const smallKinds = contractArea('small-kinds', [
  {
    title: 'a Lease is taken, renewed, and given up',
    async run(api) {
      const time = (second: number) => `2026-01-01T00:00:0${second}.000000Z`;
      const spec = {
        holderIdentity: 'one',
        leaseDurationSeconds: 15,
        acquireTime: time(0),
        renewTime: time(0),
        leaseTransitions: 0,
      };
      const { body } = await api.post(leases(api), { metadata: { name: 'l' }, spec });
      await api.put(`${leases(api)}/l`, { ...body, spec: { ...spec, renewTime: time(2) } });
      await api.put(`${leases(api)}/l`, { ...body, spec: { ...spec, holderIdentity: 'two' } });
      await api.patch(`${leases(api)}/l`, 'merge', { spec: { holderIdentity: '', renewTime: null } });
    },
  },
  {
    title: 'the times of a Lease have microseconds',
    async run(api) {
      for (const renewTime of [
        '2026-01-01T00:00:00Z',
        '2026-01-01T00:00:00.1Z',
        '2026-01-01T01:00:00.123456789+01:00',
        'now',
        '',
        5,
      ]) {
        await api.post(leases(api), { metadata: { name: 'l' }, spec: { renewTime } }, { query: { dryRun: 'All' } });
      }
    },
  },
  {
    title: 'a Lease that is not there is made by nobody’s PUT but its own',
    async run(api) {
      await api.put(`${leases(api)}/l`, { metadata: { name: 'l' }, spec: { holderIdentity: 'one' } });
      await api.put(`${leases(api)}/l`, { metadata: { name: 'l' }, spec: { holderIdentity: 'two' } });
      await api.put(`${leases(api)}/m`, { metadata: { name: 'm', resourceVersion: '5' }, spec: {} });
    },
  },
  {
    title: 'numbers of a Lease are positive, and a holder is not empty',
    async run(api) {
      const post = (spec: object) =>
        api.post(leases(api), { metadata: { name: 'l' }, spec }, { query: { dryRun: 'All' } });
      await post({ leaseDurationSeconds: 0 });
      await post({ leaseTransitions: -1, holderIdentity: '' });
      await post({ leaseDurationSeconds: 2 ** 31 });
      await post({ strategy: 'x', preferredHolder: 'y' });
    },
  },
  {
    title: 'a Lease is watched by its name',
    async run(api) {
      const watch = await api.watch(leases(api), { query: { fieldSelector: 'metadata.name=l' } });
      await api.quietly.post(leases(api), { metadata: { name: 'other' } });
      await api.quietly.post(leases(api), { metadata: { name: 'l' } });
      await api.quietly.patch(`${leases(api)}/l`, 'merge', { spec: { holderIdentity: 'me' } });
      await watch.until(2);
      await watch.close();
    },
  },
  {
    title: 'Events are selected by what they are about, their reason, type and source',
    async run(api) {
      const event = (name: string, more: object) => ({
        metadata: { name },
        involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace, uid: 'u' },
        ...more,
      });
      await api.quietly.post(
        events(api),
        event('a', { reason: 'Started', type: 'Normal', source: { component: 'kubelet' } }),
      );
      await api.quietly.post(
        events(api),
        event('b', { reason: 'Failed', type: 'Warning', reportingComponent: 'kubelet' }),
      );
      for (const fieldSelector of [
        'involvedObject.name=p,involvedObject.kind=Pod,involvedObject.uid=u',
        'reason=Failed',
        'type!=Normal',
        'source=kubelet',
        'reportingComponent=kubelet',
        'involvedObject.fieldPath=',
        'message=x',
      ]) {
        const { status, body } = await api.unnoted.get(events(api), { query: { fieldSelector, limit: '1' } });
        api.note(fieldSelector, { status, count: body.items?.length });
      }
    },
  },
  {
    title: 'an Event is counted up by a patch',
    async run(api) {
      const involvedObject = { kind: 'Pod', name: 'p', namespace: api.namespace };
      await api.post(events(api), {
        metadata: { name: 'a' },
        involvedObject,
        reason: 'R',
        message: 'm',
        count: 1,
        type: 'Normal',
      });
      await api.patch(`${events(api)}/a`, 'strategic-merge', { count: 2, lastTimestamp: '2026-01-01T00:00:00Z' });
      await api.patch(`${events(api)}/a`, 'merge', { involvedObject: { name: 'other' } });
    },
  },
  {
    title: 'APIServices are those of the served groups, or none: a list of their kind',
    async run(api) {
      const { status, headers, body } = await api.unnoted.get(apiservices);
      const { items: _, metadata: __, ...rest } = body;
      api.note('list', { status, type: headers['content-type'], ...rest });
      await api.get(`${apiservices}/v1.nothing.example.com`);
      await api.get(apiservices, { query: { labelSelector: 'nobody=has' } });
      await api.get(apiservices, { query: { limit: 'x' } });
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      await api.get(apiservices, { query: { labelSelector: 'nobody=has' }, headers: { accept } });
    },
  },
  {
    title: 'a watch of APIServices is open, and tells nothing',
    async run(api) {
      const watch = await api.watch(apiservices, { query: { timeoutSeconds: '1', labelSelector: 'nobody=has' } });
      await watch.ended();
      await watch.close();
    },
  },
  {
    title: 'a ServiceCIDR is made, changed and deleted',
    async run(api) {
      const name = `${api.namespace}-c`;
      await api.post(`${networking}/servicecidrs`, { metadata: { name }, spec: { cidrs: ['10.200.0.0/24'] } });
      await api.patch(`${networking}/servicecidrs/${name}`, 'merge', { spec: { cidrs: ['10.201.0.0/24'] } });
      await api.patch(`${networking}/servicecidrs/${name}`, 'merge', { metadata: { labels: { a: 'b' } } });
      await api.patch(`${networking}/servicecidrs/${name}/status`, 'merge', {
        status: {
          conditions: [
            { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
          ],
        },
      });
      await api.delete(`${networking}/servicecidrs/${name}`);
    },
  },
  {
    title: 'networks of a ServiceCIDR are canonical, of two families at most',
    async run(api) {
      for (const cidrs of [
        [],
        ['10.0.0.1/24'],
        ['x'],
        ['10.0.0.0/24', '10.1.0.0/24'],
        ['10.0.0.0/24', 'fd00::/64'],
        ['10.0.0.0/24', 'fd00::/64', 'fd01::/64'],
      ]) {
        await api.post(
          `${networking}/servicecidrs`,
          { metadata: { name: 'c' }, spec: { cidrs } },
          { query: { dryRun: 'All' } },
        );
      }
    },
  },
  {
    title: 'a Node is cordoned, and its Pod ranges stay',
    async run(api) {
      const name = `${api.namespace}-n`;
      await api.quietly.post('/api/v1/nodes', {
        metadata: { name },
        spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] },
      });
      const change = async (spec: object) => {
        const { status, body } = await api.unnoted.patch(`/api/v1/nodes/${name}`, 'strategic-merge', { spec });
        api.note(JSON.stringify(spec), status < 400 ? body.spec : body);
      };
      await change({ unschedulable: true });
      await change({ podCIDR: '10.8.0.0/24' });
      await change({ providerID: 'a' });
      await change({ providerID: 'b' });
      await change({ unschedulable: null });
      await api.quietly.delete(`/api/v1/nodes/${name}`);
    },
  },
  {
    title: 'a ServiceAccount names Secrets, and lets them go',
    async run(api) {
      const path = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
      await api.post(path, {
        metadata: { name: 'a' },
        imagePullSecrets: [{ name: 'p' }],
        automountServiceAccountToken: false,
      });
      await api.patch(`${path}/a`, 'strategic-merge', { imagePullSecrets: [{ name: 'q' }], secrets: [{ name: 's' }] });
      await api.patch(`${path}/a`, 'strategic-merge', { imagePullSecrets: [{ $patch: 'delete', name: 'p' }] });
      await api.delete(`${path}/a`);
    },
  },
]);

const leases = ({ namespace }: CaseApi) => `${coordination}/namespaces/${namespace}/leases`;
const events = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/events`;
