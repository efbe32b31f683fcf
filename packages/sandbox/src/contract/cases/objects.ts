import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Create, read and replace one object: which fields the server sets, keeps and rejects. */
export const objects = contractArea('objects', [
  {
    title: 'a created object comes back with the metadata that the server gives it',
    async run(api) {
      await api.post(maps(api), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } });
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'apiVersion and kind may be left out, and must be right where they stand',
    async run(api) {
      await api.post(maps(api), { metadata: { name: 'a' } });
      await api.post(maps(api), { apiVersion: 'v1', metadata: { name: 'b' } });
      await api.post(maps(api), { kind: 'ConfigMap', metadata: { name: 'c' } });
      await api.post(maps(api), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'd' } });
      await api.post(maps(api), { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'e' } });
      await api.post(maps(api), { kind: 'ConfigMap', apiVersion: 'apps/v1', metadata: { name: 'f' } });
      await api.post(maps(api), { kind: 'Nothing', apiVersion: 'example.org/v1', metadata: { name: 'g' } });
    },
  },
  {
    title: 'a name is taken once',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.post(maps(api), { metadata: { name: 'a' } });
    },
  },
  {
    title: 'a name that is not there is 404',
    async run(api) {
      const path = `${maps(api)}/none`;
      await api.get(path);
      await api.delete(path);
      await api.put(path, { metadata: { name: 'none' } });
      await api.patch(path, 'merge', { data: { a: 'b' } });
    },
  },
  {
    title: 'kinds that a replacement may create take any resourceVersion then, and no uid',
    async run(api) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
      await api.put(`${path}/a`, { metadata: { name: 'a', resourceVersion: '5' }, spec: {} });
      await api.put(`${path}/b`, { metadata: { name: 'b', uid: '0b8f0a4e-0000-4000-8000-000000000000' }, spec: {} });
      await api.put(`/api/v1/namespaces/${api.namespace}/services/c`, {
        metadata: { name: 'c', resourceVersion: '5' },
        spec: { ports: [{ port: 80 }] },
      });
    },
  },
  {
    title: 'a name is needed, and must be a DNS subdomain',
    async run(api) {
      for (const metadata of [
        {},
        { name: '' },
        { name: 'A' },
        { name: 'a_b' },
        { name: '-a' },
        { name: 'a..b' },
        { name: 'x'.repeat(254) },
        { name: 'ü' },
      ]) {
        await api.post(maps(api), { metadata });
      }
    },
  },
  {
    title: 'a name can be generated from its beginning',
    async run(api) {
      await api.post(maps(api), { metadata: { generateName: 'made-' } });
      await api.post(maps(api), { metadata: { generateName: 'made-', name: 'given' } });
      await api.post(maps(api), { metadata: { generateName: 'long-'.repeat(20) } });
    },
  },
  {
    title: 'what only the server may say is not taken from a client',
    async run(api) {
      const metadata = {
        name: 'a',
        uid: '11111111-1111-1111-1111-111111111111',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
        generation: 7,
        selfLink: '/somewhere',
      };
      await api.post(maps(api), { metadata });
    },
  },
  {
    title: 'a new object has no resourceVersion',
    run: async (api) => void (await api.post(maps(api), { metadata: { name: 'a', resourceVersion: '5' } })),
  },
  {
    title: 'the Namespace of the path is that of the object',
    async run(api) {
      await api.post(maps(api), { metadata: { name: 'a', namespace: 'other' } });
      await api.post(maps(api), { metadata: { name: 'a', namespace: api.namespace } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', namespace: 'other' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'b' } });
      await api.put(`${maps(api)}/a`, { metadata: {} });
    },
  },
  {
    title: 'a Namespace must be there',
    async run(api) {
      await api.post('/api/v1/namespaces/nowhere-at-all/configmaps', { metadata: { name: 'a' } });
      await api.get('/api/v1/namespaces/nowhere-at-all/configmaps/a');
      await api.delete('/api/v1/namespaces/nowhere-at-all/configmaps/a');
    },
  },
  {
    title: 'labels and annotations have rules for their names and values',
    async run(api) {
      const ask = (metadata: object) => api.post(maps(api), { metadata: { name: 'a', ...metadata } });
      await ask({ labels: { 'a b': 'c' } });
      await ask({ labels: { a: 'b c' } });
      await ask({ labels: { ['x'.repeat(64)]: '' } });
      await ask({ labels: { 'example.com/': 'x' } });
      await ask({ labels: { '/x': 'y' } });
      await ask({ labels: { a: 'x'.repeat(64) } });
      await ask({ annotations: { 'A B': 'x' } });
      await ask({ annotations: { 'Example.com/x': 'any text at all' } });
      await ask({ annotations: { big: 'x'.repeat(262_145) } });
    },
  },
  {
    title: 'owner references and finalizers have rules',
    async run(api) {
      const ask = (metadata: object) => api.post(maps(api), { metadata: { name: 'a', ...metadata } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '1', controller: true };
      await ask({ ownerReferences: [{}] });
      await ask({
        ownerReferences: [
          { ...owner, uid: '' },
          { ...owner, name: '' },
        ],
      });
      await ask({ ownerReferences: [owner, { ...owner, uid: '2' }] });
      await ask({ ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'Event' }] });
      await ask({ finalizers: ['nodomain'] });
      await ask({ finalizers: ['example.com/ok', 'bad name/x', ''] });
    },
  },
  {
    title: 'empty maps and lists of the metadata are not kept',
    async run(api) {
      await api.post(maps(api), {
        metadata: { name: 'a', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
        data: {},
      });
    },
  },
  {
    title: 'an update replaces everything but what the server keeps',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', labels: { l: '1' } }, data: { k: 'v' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', annotations: { n: '2' } }, data: { other: 'w' } });
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'an update with an old resourceVersion is a conflict',
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      const { resourceVersion } = body.metadata;
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', resourceVersion }, data: { k: '1' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', resourceVersion }, data: { k: '2' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', resourceVersion: 'x' }, data: { k: '2' } });
    },
  },
  {
    title: 'the resourceVersion of an update is a number of 64 bits, and 0 is none',
    async run(api) {
      const { metadata } = (await api.quietly.post(maps(api), { metadata: { name: 'a' } })).body;
      const same = `0${metadata.resourceVersion}`;
      for (const resourceVersion of ['0', '00', '-1', '18446744073709551616', same])
        await api.patch(`${maps(api)}/a`, 'merge', { metadata: { resourceVersion } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', resourceVersion: '0' }, data: { k: 'v' } });
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
      await api.quietly.post(leases, { metadata: { name: 'a' } });
      await api.put(`${leases}/a`, { metadata: { name: 'a', resourceVersion: '0' } });
      await api.put(`${leases}/a`, { metadata: { name: 'a', resourceVersion: '18446744073709551616' } });
    },
  },
  {
    title: 'metadata is judged with every write, as often as the kind looks at it',
    async run(api) {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '1', controller: true };
      const mistakes = [
        { finalizers: ['nodomain', 'bad name/x'] },
        { finalizers: ['orphan', 'foregroundDeletion'] },
        { ownerReferences: [{ ...owner, kind: 'Event' }] },
        { ownerReferences: [owner, { ...owner, uid: '2' }] },
        { labels: { 'a b': 'c' }, finalizers: ['nodomain'], deletionGracePeriodSeconds: 5 },
      ];
      const of = (group: string, plural: string) => `/${group}/namespaces/${api.namespace}/${plural}`;
      const kinds: Readonly<Record<string, object>> = {
        [maps(api)]: {},
        [of('api/v1', 'services')]: { spec: { ports: [{ port: 80 }] } },
        [of('api/v1', 'events')]: { involvedObject: { namespace: api.namespace } },
        [of('apis/rbac.authorization.k8s.io/v1', 'roles')]: {},
        [of('apis/discovery.k8s.io/v1', 'endpointslices')]: { addressType: 'IPv4', endpoints: [] },
        [of('apis/coordination.k8s.io/v1', 'leases')]: {},
      };
      for (const [path, rest] of Object.entries(kinds)) {
        await api.quietly.post(path, { metadata: { name: 'a' }, ...rest });
        for (const mistake of mistakes) await api.patch(`${path}/a`, 'merge', { metadata: mistake });
      }
      await api.post(maps(api), {
        metadata: { name: 'b', generation: -1, finalizers: ['orphan', 'foregroundDeletion'] },
      });
    },
  },
  {
    title: 'an update of another uid is a conflict',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      const uid = '11111111-1111-1111-1111-111111111111';
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a', uid }, data: { k: '1' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { uid } });
    },
  },
  {
    title: 'an update that changes nothing keeps the resourceVersion',
    async run(api) {
      const { body } = await api.post(maps(api), { metadata: { name: 'a' }, data: { k: 'v' } });
      await api.put(`${maps(api)}/a`, body);
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a' }, data: { k: 'v' } });
      await api.patch(`${maps(api)}/a`, 'merge', { data: { k: 'v' } });
    },
  },
  {
    title: 'what identifies an object cannot be changed',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { deletionGracePeriodSeconds: 3 } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { name: 'b' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { namespace: 'b' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { generation: 9 } });
    },
  },
  {
    title: 'a dry run creates, changes and patches nothing',
    async run(api) {
      const query = { dryRun: 'All' };
      await api.post(maps(api), { metadata: { name: 'a' }, data: { k: 'v' } }, { query });
      await api.get(`${maps(api)}/a`);
      await api.quietly.post(maps(api), { metadata: { name: 'a' }, data: { k: 'v' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a' }, data: { k: 'w' } }, { query });
      await api.patch(`${maps(api)}/a`, 'merge', { data: { k: 'x' } }, { query });
      await api.post(maps(api), { metadata: { name: 'a' } }, { query });
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'options of a write that say nothing known are refused',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.post(maps(api), { metadata: { name: 'b' } }, { query: { dryRun: 'Some' } });
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a' } }, { query: { dryRun: 'Some' } });
      await api.patch(`${maps(api)}/a`, 'merge', {}, { query: { dryRun: 'Some' } });
      await api.post(maps(api), { metadata: { name: 'b' } }, { query: { fieldValidation: 'Sometimes' } });
      await api.post(maps(api), { metadata: { name: 'b' } }, { query: { fieldManager: 'x'.repeat(129) } });
      await api.post(maps(api), { metadata: { name: 'b' } }, { query: { fieldManager: 'a\nb' } });
      await api.patch(`${maps(api)}/a`, 'merge', {}, { query: { force: 'true' } });
    },
  },
  {
    title: 'unknown fields are warned of, refused or ignored, as the request wants',
    async run(api) {
      const body = { metadata: { name: 'a', colour: 'red' }, data: { k: 'v' }, size: 5 };
      await api.post(maps(api), body, { query: { dryRun: 'All' } });
      await api.post(maps(api), body, { query: { dryRun: 'All', fieldValidation: 'Warn' } });
      await api.post(maps(api), body, { query: { dryRun: 'All', fieldValidation: 'Strict' } });
      await api.post(maps(api), body, { query: { dryRun: 'All', fieldValidation: 'Ignore' } });
    },
  },
  {
    title: 'fields that are given twice are warned of, refused or ignored, as the request wants; the last one counts',
    async run(api) {
      const body =
        '{"metadata":{"name":"a","name":"b","labels":{"l":"1","l":"2"}},"data":{"k":"v","k":"w"},"data":{"z":"y"}}';
      await api.post(maps(api), body, { query: { dryRun: 'All' } });
      await api.post(maps(api), body, { query: { dryRun: 'All', fieldValidation: 'Strict' } });
      await api.post(maps(api), body, { query: { dryRun: 'All', fieldValidation: 'Ignore' } });
    },
  },
  {
    title: 'unknown fields of an update and of a patch are found as well',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      const query = { fieldValidation: 'Strict' };
      await api.put(`${maps(api)}/a`, { metadata: { name: 'a' }, size: 5 }, { query });
      await api.patch(`${maps(api)}/a`, 'merge', { size: 5 }, { query });
      await api.patch(`${maps(api)}/a`, 'strategic-merge', { size: 5 }, { query });
      await api.patch(`${maps(api)}/a`, 'json', [{ op: 'add', path: '/size', value: 5 }], { query });
      await api.patch(`${maps(api)}/a`, 'merge', { size: 5 });
    },
  },
  {
    title: 'values of a wrong type are refused',
    async run(api) {
      await api.post(maps(api), { metadata: { name: 'a' }, data: { k: 5 } });
      await api.post(maps(api), { metadata: { name: 'a' }, data: 'text' });
      await api.post(maps(api), { metadata: { name: 5 } });
      await api.post(maps(api), { metadata: 'text' });
      await api.post(maps(api), { metadata: { name: 'a', labels: ['x'] } });
      await api.post(maps(api), { metadata: { name: 'a' }, immutable: 'yes' });
      await api.post(maps(api), { metadata: { name: 'a', creationTimestamp: 'yesterday' } });
      await api.post(maps(api), { metadata: { name: 'a' }, binaryData: { k: 'no base64!' } });
    },
  },
  {
    title: 'nulls are as good as nothing',
    run: async (api) =>
      void (await api.post(maps(api), { metadata: { name: 'a', labels: null, annotations: { x: null } }, data: null })),
  },
  {
    title: 'a body must be there and be an object',
    async run(api) {
      for (const body of ['', 'null', '[]', '5', '"text"', '{}', '{', '{"metadata":', '{"metadata":{"name":"a"}} x']) {
        await api.post(maps(api), body);
      }
    },
  },
  {
    title: 'a body may be YAML',
    async run(api) {
      const headers = { 'content-type': 'application/yaml' };
      await api.post(maps(api), 'metadata:\n  name: a\ndata:\n  k: "5"\n', { headers });
      await api.post(maps(api), 'metadata:\n  name: b\ndata:\n  k: 5\n', { headers });
    },
  },
  {
    title: 'a body of another type is refused',
    async run(api) {
      await api.post(maps(api), 'x=y', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      await api.post(maps(api), '<a/>', { headers: { 'content-type': 'text/xml' } });
      await api.put(`${maps(api)}/a`, 'x', { headers: { 'content-type': 'text/plain' } });
      await api.quietly.post(maps(api), { metadata: { name: 'a' } });
      await api.patch(`${maps(api)}/a`, 'merge', {}, { headers: { 'content-type': 'application/json' } });
      await api.patch(`${maps(api)}/a`, 'merge', {}, { headers: { 'content-type': 'text/plain' } });
    },
  },
  {
    title: 'keys that mean something to JavaScript are keys like others',
    async run(api) {
      const body =
        '{"metadata":{"name":"a","labels":{"constructor":"1"},"annotations":{"__proto__":"x","toString":"y"}},"data":{"__proto__":"p","hasOwnProperty":"q"}}';
      await api.post(maps(api), body);
      await api.get(`${maps(api)}/a`);
      await api.post(maps(api), '{"metadata":{"name":"b"},"__proto__":{"polluted":true}}');
    },
  },
  {
    title: 'methods that a resource does not have are refused',
    async run(api) {
      await api.request({ method: 'POST', path: `${maps(api)}/a`, body: '{}' });
      await api.request({ method: 'PUT', path: maps(api), body: '{}' });
      await api.request({ method: 'PATCH', path: maps(api), body: '{}' });
      await api.delete('/api/v1/namespaces');
      await api.put('/api/v1/configmaps', {});
    },
  },
  {
    title: 'paths that lead nowhere are not found',
    async run(api) {
      await api.get('/api/v1/nothings');
      await api.get(`/api/v1/namespaces/${api.namespace}/nothings`);
      await api.get(`${maps(api)}/a/nothing`);
      await api.get(`${maps(api)}/a/status`);
      await api.get('/api/v2/pods');
      await api.get('/apis/example.org/v1/things');
      await api.get('/apis/apps/v1/nothings');
      await api.get('/apis/apps/v9/deployments');
      await api.get(`/api/v1/namespaces/${api.namespace}/nodes`);
      await api.get('/nothing');
    },
  },
  {
    title: 'an object may be 1.5 MiB large, its etcd entry not more',
    run: async (api) =>
      void (await api.post(maps(api), { metadata: { name: 'a' }, data: { k: 'x'.repeat(1_100_000) } })),
  },
]);

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;
