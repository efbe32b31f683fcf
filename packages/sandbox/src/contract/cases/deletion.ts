import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Deletion: its answers, finalizers and preconditions. */
export const deletion = contractArea('deletion', [
  {
    title: 'deleting answers with a Status that names what went',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.delete(`${maps(api)}/a`);
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'a finalizer keeps the object, marked, until it is taken away',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', finalizers: ['example.com/hold', 'example.com/b'] } });
      await api.delete(`${maps(api)}/a`);
      await api.delete(`${maps(api)}/a`);
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: ['example.com/hold'] } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } });
      await api.patch(`${maps(api)}/a`, 'merge', { data: { still: 'written' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: [] } });
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'in a Namespace that goes, nothing is created, bound or evicted, and no token is given',
    async run(api) {
      const going = `${api.namespace}-going`;
      const path = `/api/v1/namespaces/${going}`;
      await api.quietly.post('/api/v1/namespaces', { metadata: { name: going } });
      await api.quietly.post(`${path}/serviceaccounts`, { metadata: { name: 'sa' } });
      const spec = {
        serviceAccountName: 'sa',
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'i' }],
      };
      await api.quietly.post(`${path}/pods`, { metadata: { name: 'a' }, spec });
      await api.quietly.delete(path);
      await api.post(`${path}/configmaps`, { metadata: { name: 'a' } });
      await api.post(`${path}/pods/a/binding`, { metadata: { name: 'a' }, target: { name: 'n' } });
      await api.post(`${path}/pods/a/eviction`, { metadata: { name: 'a' } });
      await api.post(`${path}/pods/missing/binding`, { metadata: { name: 'missing' }, target: { name: 'n' } });
      await api.post(`${path}/serviceaccounts/sa/token`, { spec: {} });
      await api.patch(`${path}/pods/a`, 'merge', { metadata: { labels: { still: 'written' } } });
    },
  },
  {
    title: 'preconditions on uid and resourceVersion are held to',
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      const { uid, resourceVersion } = body.metadata;
      const ask = (preconditions: object) => api.delete(`${maps(api)}/a`, { body: { preconditions } });
      await ask({ uid: '11111111-1111-1111-1111-111111111111' });
      await ask({ resourceVersion: '1' });
      await ask({ uid, resourceVersion });
    },
  },
  {
    title: 'orphaning marks the object with a finalizer',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
      await api.delete(`${maps(api)}/a`, { query: { propagationPolicy: 'Orphan' } });
      await api.quietly.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'orphaning adds a finalizer for the garbage collector',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
      await api.delete(`${maps(api)}/a`, { query: { propagationPolicy: 'Orphan' } });
      await api.eventually(`${maps(api)}/a`, (body) => body.metadata.finalizers.length === 1);
      await api.quietly.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'foreground deletion adds a finalizer for the garbage collector, background takes it away',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', finalizers: ['example.com/hold', 'orphan'] } });
      await api.delete(`${maps(api)}/a`, { query: { propagationPolicy: 'Background' } });
      await api.quietly.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'options that contradict each other or say nothing known are refused',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.delete(`${maps(api)}/a`, { query: { propagationPolicy: 'Sideways' } });
      await api.delete(`${maps(api)}/a`, { body: { propagationPolicy: 'Background', orphanDependents: true } });
      await api.delete(`${maps(api)}/a`, { query: { dryRun: 'Some' } });
      await api.delete(`${maps(api)}/a`, { query: { gracePeriodSeconds: 'x' } });
      await api.delete(`${maps(api)}/a`, { body: { dryRun: ['All', 'Some'] } });
    },
  },
  {
    title: 'a dry run deletes nothing',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.quietly.post(maps(api), { metadata: { name: 'b', finalizers: ['example.com/hold'] } });
      await api.delete(`${maps(api)}/a`, { query: { dryRun: 'All' } });
      await api.delete(`${maps(api)}/b`, { query: { dryRun: 'All' } });
      await api.get(`${maps(api)}/a`);
      await api.get(`${maps(api)}/b`);
      await api.quietly.patch(`${maps(api)}/b`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'a collection is deleted by selector',
    async run(api) {
      const secrets = `/api/v1/namespaces/${api.namespace}/secrets`;
      for (const name of ['a', 'b', 'c']) {
        await api.quietly.post(secrets, { metadata: { name, labels: { half: name === 'c' ? 'no' : 'yes' } } });
      }
      await api.delete(secrets, { query: { labelSelector: 'half=yes' } });
      await api.get(secrets);
      await api.delete(secrets, { query: { dryRun: 'All' } });
      await api.delete(secrets);
      await api.get(secrets);
      await api.delete(secrets);
    },
  },
  {
    title: 'a collection is deleted page by page where a limit is named, and by the options of a list',
    async run(api) {
      const secrets = `/api/v1/namespaces/${api.namespace}/secrets`;
      for (const name of ['a', 'b', 'c', 'd']) {
        await api.quietly.post(secrets, { metadata: { name, labels: { here: name === 'b' ? 'no' : 'yes' } } });
      }
      const first = await api.delete(secrets, { query: { labelSelector: 'here=yes', limit: '1' } });
      await api.get(secrets);
      const { continue: token } = first.body.metadata;
      await api.delete(secrets, { query: { labelSelector: 'here=yes', limit: '1', continue: token } });
      for (const query of [
        { limit: 'x' },
        { continue: 'abc' },
        { resourceVersion: 'x' },
        { sendInitialEvents: 'true' },
      ])
        await api.delete(secrets, { query });
      await api.get(secrets);
      await api.delete(secrets, { query: { limit: '1' } });
    },
  },
  {
    title: 'some kinds answer a deletion with the object',
    async run(api) {
      const services = `/api/v1/namespaces/${api.namespace}/services`;
      await api.quietly.post(services, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
      await api.delete(`${services}/a`);
      const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
      await api.quietly.post(accounts, { metadata: { name: 'a' } });
      await api.delete(`${accounts}/a`);
    },
  },
  {
    title: 'an owned object goes when its owner goes, in the background',
    needsControllers: true,
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { name: 'owner' } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: body.metadata.uid };
      await api.quietly.post(maps(api), { metadata: { name: 'owned', ownerReferences: [owner] } });
      await api.delete(`${maps(api)}/owner`, { query: { propagationPolicy: 'Background' } });
      await isGone(api, 'owned');
    },
  },
  {
    title: 'foreground deletion waits for what blocks it',
    needsControllers: true,
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { name: 'owner' } });
      const owner = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'owner',
        uid: body.metadata.uid,
        blockOwnerDeletion: true,
      };
      const metadata = { name: 'owned', ownerReferences: [owner], finalizers: ['example.com/hold'] };
      await api.quietly.post(maps(api), { metadata });
      await api.delete(`${maps(api)}/owner`, { query: { propagationPolicy: 'Foreground' } });
      await api.eventually(`${maps(api)}/owned`, (object) => object.metadata.deletionTimestamp !== undefined);
      await api.get(`${maps(api)}/owner`);
      await api.quietly.patch(`${maps(api)}/owned`, 'merge', { metadata: { finalizers: null } });
      await isGone(api, 'owned');
      await isGone(api, 'owner');
    },
  },
  {
    title: 'an orphaned object stays, without the reference',
    needsControllers: true,
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { name: 'owner' } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: body.metadata.uid };
      await api.quietly.post(maps(api), { metadata: { name: 'owned', ownerReferences: [owner] } });
      await api.delete(`${maps(api)}/owner`, { query: { propagationPolicy: 'Orphan' } });
      await api.eventually(`${maps(api)}/owned`, (object) => object.metadata.ownerReferences === undefined);
      await isGone(api, 'owner');
    },
  },
  {
    title: 'an object whose owner was never there is collected',
    needsControllers: true,
    async run(api) {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '11111111-1111-1111-1111-111111111111' };
      await api.quietly.post(maps(api), { metadata: { name: 'owned', ownerReferences: [owner] } });
      await isGone(api, 'owned');
    },
  },
]);

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;

function isGone(api: CaseApi, name: string): Promise<unknown> {
  return api.eventually(maps(api), ({ items }) => items.length === 0, {
    query: { fieldSelector: `metadata.name=${name}` },
  });
}
