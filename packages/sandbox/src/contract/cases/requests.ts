import type { CaseApi, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Generated names, impersonation, bookmarks, and requests with more than one error. */
export const requests = contractArea('requests', [
  {
    title: 'a generated name has its beginning, cut, and five characters of the alphabet for names',
    async run(api) {
      const { body } = await api.quietly.post(maps(api), { metadata: { generateName: `${'b'.repeat(70)}-` } });
      api.note('length and alphabet', [
        body.metadata.name.length,
        /^b{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(body.metadata.name),
      ]);
    },
  },
  {
    title: 'the beginning of a generated name is judged, and so is the name that is made of it',
    async run(api) {
      const made = async (path: string, body: object) => {
        const { status, body: said } = await api.unnoted.post(path, body, { query: { dryRun: 'All' } });
        api.note('answer', [
          status,
          said.details?.name === undefined
            ? said.message
            : said.message.replaceAll(said.details.name.slice(-5), 'SUFFIX'),
        ]);
      };
      for (const generateName of ['UPPER-', 'a b', '-', '', 'ok.'])
        await made(maps(api), { metadata: { generateName } });
      await made(`/api/v1/namespaces/${api.namespace}/services`, {
        metadata: { generateName: 'a.b-' },
        spec: { ports: [{ port: 80 }] },
      });
      await made('/api/v1/namespaces', { metadata: { generateName: 'a.b-' } });
    },
  },
  {
    title: 'a watch with bookmarks tells one before it ends',
    async run(api) {
      const watch = await api.watch(maps(api), {
        query: { allowWatchBookmarks: 'true', timeoutSeconds: '4', labelSelector: 'mine=yes' },
      });
      await api.quietly.post(maps(api), { metadata: { name: 'other' } });
      await watch.ended();
      const events = await watch.events();
      const last = events.at(-1);
      api.note('the last event', [last?.type, last?.object.kind, Object.keys(last?.object.metadata ?? {})]);
    },
  },
  {
    title:
      'a watch with bookmarks that names a version has one before it ends where the kind has changed since, and else none',
    needsServerAlone: true,
    async run(api) {
      const events = async (seconds: string, change: boolean) => {
        const { body } = await api.quietly.get(maps(api));
        const query = {
          allowWatchBookmarks: 'true',
          timeoutSeconds: seconds,
          resourceVersion: body.metadata.resourceVersion,
        };
        const watch = await api.watch(maps(api), { query });
        if (change) await api.quietly.post(maps(api), { metadata: { name: `m${seconds}` } });
        await watch.ended();
        // How many there are is chance on the real server.
        const told = (await watch.events()).some(({ type }) => type === 'BOOKMARK');
        api.note(`whether ${seconds} s tell a bookmark${change ? ' of a change' : ''}`, told);
      };
      await events('4', true);
      await events('2', true);
      await events('3', false);
    },
  },
  {
    title: 'a watch with bookmarks that names no version has one after what is there',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'a', labels: { mine: 'yes' } } });
      for (const more of [{}, { resourceVersion: '0' }]) {
        // The server sends more of them towards the end of a watch: this one ends late, and is
        // closed before.
        const query = { allowWatchBookmarks: 'true', timeoutSeconds: '60', labelSelector: 'mine=yes', ...more };
        const watch = await api.watch(maps(api), { query });
        await watch.until(2);
        await watch.close();
      }
    },
  },
  {
    title: 'a watch without bookmarks tells none',
    async run(api) {
      const watch = await api.watch(maps(api), { query: { timeoutSeconds: '4', labelSelector: 'mine=yes' } });
      await watch.ended();
      await watch.close();
    },
  },
  {
    title: 'the time of a watch is a number of seconds',
    async run(api) {
      const watch = await api.watch(maps(api), {
        query: { timeoutSeconds: '2', labelSelector: 'mine=yes', resourceVersion: '0' },
      });
      await watch.ended();
      await watch.close();
    },
  },
  {
    title: 'one speaks for a group, with a uid and more, only together with a user',
    async run(api) {
      const who = async (headers: Readonly<Record<string, string>>) =>
        api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { headers });
      await who({
        'impersonate-user': 'jane',
        'impersonate-group': 'ops',
        'impersonate-uid': 'u-1',
        'impersonate-extra-scopes': 'view',
      });
      await who({ 'impersonate-user': 'jane' });
      await who({ 'impersonate-uid': 'u-1' });
      await who({ 'impersonate-extra-scopes': 'view' });
      await who({ 'impersonate-user': `system:serviceaccount:${api.namespace}:sa` });
      await who({ 'impersonate-user': 'system:anonymous' });
    },
  },
  {
    title: 'who may not speak for somebody is told so of the request itself',
    async run(api) {
      const path = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
      await api.quietly.post(path, { metadata: { name: 'sa' } });
      const { body } = await api.quietly.post(`${path}/sa/token`, { spec: {} });
      const sa = api.withToken(body.status.token);
      const jane = { 'impersonate-user': 'jane' };
      const other = { 'impersonate-user': `system:serviceaccount:${api.namespace}:other` };
      await sa.get('/api', { headers: jane });
      await sa.get(maps(api), { headers: { ...jane, 'impersonate-group': 'ops', 'impersonate-uid': 'u' } });
      await sa.get(`${maps(api)}/a`, { headers: other });
      await sa.delete(`${maps(api)}/a`, { headers: { ...jane, 'impersonate-extra-scopes': 'view' } });
      await sa.post(
        '/api/v1/nodes',
        { metadata: { name: 'n' } },
        { headers: { 'impersonate-user': 'system:anonymous' } },
      );
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const name = `${api.namespace}-i`;
      const rules = [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['jane'] }];
      await api.quietly.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
      await api.quietly.post(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', namespace: api.namespace, name: 'sa' }],
      });
      await api.pass(1_000);
      await sa.get('/version', { headers: { ...jane, 'impersonate-group': 'ops' } });
      await sa.get(maps(api), { headers: jane });
      for (const plural of ['clusterrolebindings', 'clusterroles'])
        await api.quietly.delete(`${rbac}/${plural}/${name}`);
    },
  },
  {
    title: 'selectors are read before the options of a list',
    async run(api) {
      const bad = {
        labelSelector: 'a=b=c',
        fieldSelector: 'nothing=x',
        limit: 'x',
        resourceVersion: 'y',
        continue: 'z',
        timeoutSeconds: 'q',
      };
      await api.get(maps(api), { query: bad });
      for (const [first] of Object.entries(bad)) {
        const { [first as keyof typeof bad]: _, ...others } = bad;
        await api.get(maps(api), { query: others });
      }
    },
  },
  {
    title: 'a list and a watch with options that contradict each other say which',
    async run(api) {
      for (const query of [
        { labelSelector: 'a in (', resourceVersion: 'x' },
        { fieldSelector: 'metadata.name', limit: '-1' },
        { fieldSelector: 'status.x=1', resourceVersionMatch: 'Exact' },
      ]) {
        await api.get(maps(api), { query });
      }
    },
  },
  {
    title: 'the root of groups answers every method alike',
    async run(api) {
      for (const path of [
        '/apis',
        '/apis/',
        '/apis/apps',
        '/apis/apps/v1',
        '/api',
        '/api/v1',
        '/',
        '/openapi/v3',
        '/openapi/v3/api/v1',
      ]) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
          const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
          const { status, body, headers: said } = await ask(api, path, { method, headers });
          api.note(`${method} ${path}`, [status, said['content-type'] ?? '', status < 400 ? 'an answer' : body]);
        }
      }
    },
  },
  {
    title: 'YAML with a key given twice is warned of, refused or ignored, as the request wants; the last one counts',
    async run(api) {
      const body = 'metadata:\n  name: a\n  labels: {x: "1", x: "2"}\ndata:\n  k: v\n  k: w\n';
      for (const fieldValidation of ['Ignore', 'Warn', 'Strict', '']) {
        await api.post(maps(api), body, {
          headers: { 'content-type': 'application/yaml' },
          query: { dryRun: 'All', ...(fieldValidation !== '' && { fieldValidation }) },
        });
      }
    },
  },
  {
    title: 'an apply in YAML with a key given twice',
    async run(api) {
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n';
      for (const fieldValidation of ['Ignore', 'Warn', 'Strict']) {
        await api.patch(`${maps(api)}/a`, 'apply', body, {
          query: { fieldManager: 'me', dryRun: 'All', fieldValidation },
        });
      }
    },
  },
  {
    title: 'a body of many levels is read where the server has an end to it',
    async run(api) {
      const deep = (levels: number) =>
        `{"metadata":{"name":"a"},"data":${'{"k":'.repeat(levels)}1${'}'.repeat(levels)}}`;
      for (const levels of [900, 10_001]) {
        const { status, body } = await api.unnoted.post(maps(api), deep(levels), {
          query: { dryRun: 'All', fieldValidation: 'Ignore' },
        });
        api.note(`${levels} levels`, [status, status < 400 ? 'taken' : body.message.slice(0, 200)]);
      }
    },
  },
  {
    title: 'limits and quotas of a Namespace are lists, which nobody fills',
    async run(api) {
      for (const plural of ['limitranges', 'resourcequotas']) {
        await api.get(`/api/v1/namespaces/${api.namespace}/${plural}`, { query: { limit: '500' } });
      }
    },
  },
]);

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;

async function ask(
  api: CaseApi,
  path: string,
  { method, headers }: { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' } & RequestOptions,
) {
  switch (method) {
    case 'POST':
      return api.unnoted.post(path, {}, { headers });
    case 'PUT':
      return api.unnoted.put(path, {}, { headers });
    case 'PATCH':
      return api.unnoted.patch(path, 'merge', {}, { headers });
    case 'DELETE':
      return api.unnoted.delete(path, { headers });
  }
}
