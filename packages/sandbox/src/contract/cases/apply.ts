import type { Answer, CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Server-side apply, and the ownership of fields that every write leaves. */
export const apply = contractArea('apply', [
  {
    title: 'apply creates what is not there, and changes it afterwards',
    async run(api) {
      await applied(api, 'me', { data: { k: 'v' } });
      await applied(api, 'me', { data: { k: 'w' } });
      await applied(api, 'me', { data: { k: 'w' } });
    },
  },
  {
    title: 'what a manager no longer applies goes, where nobody else owns it',
    async run(api) {
      await applied(api, 'me', { data: { a: '1', b: '1' } });
      await applied(api, 'you', { data: { b: '1' } });
      await applied(api, 'me', { metadata: { labels: { l: '1' } } });
    },
  },
  {
    title: 'changing what another manager owns is a conflict, unless it is forced',
    async run(api) {
      await applied(api, 'me', { metadata: { labels: { l: '1' } }, data: { a: '1', b: '1' } });
      await applied(api, 'you', { metadata: { labels: { l: '2' } }, data: { a: '2' } });
      await applied(api, 'you', { metadata: { labels: { l: '2' } }, data: { a: '2' } }, { force: 'true' });
    },
  },
  {
    title: 'two managers may own one field while they agree',
    async run(api) {
      await applied(api, 'me', { data: { a: '1' } });
      await applied(api, 'you', { data: { a: '1' } });
      await applied(api, 'you', { data: { a: '2' } });
    },
  },
  {
    title: 'an update takes the fields that it changes, and a conflict names it',
    async run(api) {
      await applied(api, 'me', { data: { a: '1' } });
      await api.patch(`${maps(api)}/a`, 'merge', { data: { a: '2' } }, { query: { fieldManager: 'editor' } });
      await applied(api, 'me', { data: { a: '3' } });
      await applied(api, 'me', { data: { a: '3' } }, { force: 'true' });
    },
  },
  {
    title: 'a field that an update removes is nobody’s',
    async run(api) {
      await applied(api, 'me', { data: { a: '1', b: '1' } });
      await api.patch(`${maps(api)}/a`, 'merge', { data: { a: null } }, { query: { fieldManager: 'editor' } });
    },
  },
  {
    title: 'a manager needs a name',
    async run(api) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
      await api.patch(`${maps(api)}/a`, 'apply', body);
      await api.patch(`${maps(api)}/a`, 'apply', body, { query: { fieldManager: '' } });
    },
  },
  {
    title: 'an apply configuration says what it is, and has no managedFields',
    async run(api) {
      const ask = (body: unknown) => api.patch(`${maps(api)}/a`, 'apply', body, { query: { fieldManager: 'me' } });
      await ask({ metadata: { name: 'a' } });
      await ask({ apiVersion: 'v1', metadata: { name: 'a' } });
      await ask({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } });
      await ask({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });
      await ask({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields: [{ manager: 'x' }] } });
      await ask({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, unknown: 1 });
      await ask('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n');
    },
  },
  {
    title: 'items of a list are owned by their keys',
    async run(api) {
      const port = (name: string, number: number) => ({ name, port: number });
      await service(api, 'me', [port('http', 80)]);
      await service(api, 'you', [port('https', 443)]);
      await service(api, 'me', [{ ...port('http', 80), targetPort: 8080 }]);
      await service(api, 'you', [port('web', 80)]);
      await service(api, 'me', []);
    },
  },
  {
    title: 'items of a list must be told apart by their keys',
    run: async (api) =>
      void (await service(api, 'me', [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ])),
  },
  {
    title: 'finalizers are owned one by one',
    async run(api) {
      await applied(api, 'me', { metadata: { finalizers: ['example.com/a'] } });
      await applied(api, 'you', { metadata: { finalizers: ['example.com/b'] } });
      await applied(api, 'me', { metadata: {} });
      await api.quietly.patch(`${maps(api)}/a`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'the status has owners of its own',
    async run(api) {
      await service(api, 'me', [{ name: 'http', port: 80 }]);
      const body = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        status: { conditions: [condition('Ready', 'True')] },
      };
      const query = { fieldManager: 'status-writer' };
      await api.patch(`${services(api)}/s/status`, 'apply', body, { query });
      await api.patch(
        `${services(api)}/s/status`,
        'merge',
        { status: { conditions: [condition('Ready', 'False')] } },
        { query },
      );
    },
  },
  {
    title: 'a dry run of an apply tells what would be',
    async run(api) {
      await applied(api, 'me', { data: { k: 'v' } }, { dryRun: 'All' });
      await api.get(`${maps(api)}/a`);
      await applied(api, 'me', { data: { k: 'v' } });
      await applied(api, 'me', { data: { k: 'w' } }, { dryRun: 'All' });
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'managedFields can be cleared, and then begin anew',
    async run(api) {
      await applied(api, 'me', { data: { k: 'v' } });
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { managedFields: [{}] } });
      await applied(api, 'you', { data: { k: 'w' } });
    },
  },
  {
    title: 'an apply that names a resourceVersion is bound to it',
    async run(api) {
      await applied(api, 'me', { data: { k: 'v' } });
      await applied(api, 'me', { metadata: { resourceVersion: '1' }, data: { k: 'w' } });
    },
  },
  {
    title: 'an apply with a uid creates nothing',
    run: async (api) =>
      void (await applied(api, 'me', { metadata: { uid: '11111111-1111-1111-1111-111111111111' }, data: { k: 'v' } })),
  },
]);

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;
const services = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/services`;

/** Applies a part of ConfigMap `a`. */
function applied(
  api: CaseApi,
  fieldManager: string,
  { metadata, ...rest }: { readonly metadata?: object; readonly [field: string]: unknown },
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, ...rest };
  return api.patch(`${maps(api)}/a`, 'apply', body, { query: { fieldManager, ...query } });
}

/** Applies ports of Service `s`. */
function service(api: CaseApi, fieldManager: string, ports: readonly object[]): Promise<Answer> {
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports } };
  return api.patch(`${services(api)}/s`, 'apply', body, { query: { fieldManager } });
}

function condition(type: string, status: string): object {
  return { type, status, reason: 'Because', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
}
