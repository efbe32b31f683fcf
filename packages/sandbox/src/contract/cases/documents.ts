import type { Answer, CaseApi, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * Documents of the server beside discovery (health, version, OpenAPI v2), and which users may read
 * them.
 */
export const documents = contractArea(
  'documents',
  [
    {
      title: 'each check of health has a path of its own',
      async run(api) {
        for (const path of [
          '/healthz/ping',
          '/livez/log',
          '/readyz/etcd',
          '/livez/etcd',
          '/livez/shutdown',
          '/readyz/nothing',
          '/livez/ping/',
        ]) {
          await api.get(path);
        }
      },
    },
    {
      title: 'a check that is named is told in words where they are asked for',
      run: async (api) => void (await api.get('/livez/ping', { query: { verbose: 'true' } })),
    },
    {
      title: 'health answers every method alike',
      async run(api) {
        for (const method of ['PUT', 'DELETE', 'PATCH'] as const) await api.request({ method, path: '/readyz' });
      },
    },
    {
      title: 'what may be seen without credentials is health and the version',
      async run(api) {
        for (const path of [
          '/healthz',
          '/livez',
          '/readyz',
          '/version',
          '/version/',
          '/api',
          '/apis',
          '/openapi/v2',
          '/openapi/v3',
          '/',
          '/livez/ping',
          '/logs',
        ]) {
          const { status, body } = await api.unnoted.get(path, anonymous);
          api.note(path, status < 400 ? status : [status, body]);
        }
      },
    },
    {
      title: 'what may be seen with any credentials is discovery too',
      async run(api) {
        for (const path of [
          '/version',
          '/api',
          '/api/v1',
          '/apis',
          '/apis/apps',
          '/openapi/v2',
          '/openapi/v3',
          '/openapi/v3/api/v1',
          '/',
          '/metrics',
        ]) {
          const { status, body } = await api.unnoted.get(path, as('bob'));
          api.note(path, status < 400 ? status : [status, body]);
        }
      },
    },
    {
      title: 'the version is JSON, and nothing else',
      async run(api) {
        for (const accept of ['application/yaml', 'text/html']) {
          await api.get('/version', { headers: { accept } });
        }
      },
    },
    {
      title: 'the version is read, and nothing else',
      async run(api) {
        for (const method of ['PUT', 'DELETE', 'PATCH'] as const) await api.request({ method, path: '/version' });
        await api.get('/version/more');
        const { status } = await api.unnoted.get('/version', { query: { pretty: 'true', timeout: '5s' } });
        api.note('with a query', status);
      },
    },
    {
      title: 'the version says which release, build and language it is',
      async run(api) {
        const { body } = await api.unnoted.get('/version');
        api.note('keys', Object.keys(body));
        api.note('release', [body.major, body.minor, body.gitVersion.split('.').slice(0, 2), body.platform]);
      },
    },
    {
      title: 'the v2 document has an ETag, under which it is not sent again',
      async run(api) {
        const first = await api.unnoted.get('/openapi/v2');
        const etag = first.headers['etag'] ?? '';
        api.note('quoted', /^W?\/?"[0-9A-F]+"$/.test(etag));
        const again = await api.unnoted.get('/openapi/v2', { headers: { 'if-none-match': etag } });
        api.note('again', [again.status, again.body]);
        const other = await api.unnoted.get('/openapi/v2', { headers: { 'if-none-match': '"x"' } });
        api.note('another', other.status);
      },
    },
    {
      title: 'the v2 document comes in the form that is asked for, or as JSON',
      async run(api) {
        for (const accept of [
          '*/*',
          'application/json',
          'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
          'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
          'text/html',
          'application/yaml',
        ]) {
          const { status, headers, body } = await api.unnoted.get('/openapi/v2', { headers: { accept } });
          api.note(accept, [status, headers['content-type'] ?? '', status < 400 ? typeof body : body]);
        }
      },
    },
    {
      title: 'the v2 document says which kinds a definition is of, and what may be done at a path',
      async run(api) {
        const { body } = await api.unnoted.get('/openapi/v2');
        api.note('swagger', [body.swagger, body.info, body.security]);
        for (const name of [
          'io.k8s.api.core.v1.ConfigMap',
          'io.k8s.api.coordination.v1.Lease',
          'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
        ]) {
          const { description: _, properties = {}, ...rest } = body.definitions[name];
          const kinds = (rest['x-kubernetes-group-version-kind'] ?? []).length;
          api.note(name, {
            ...rest,
            'x-kubernetes-group-version-kind': kinds > 1 ? 'many' : rest['x-kubernetes-group-version-kind'],
            properties: Object.keys(properties),
          });
        }
        const path = body.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale'];
        api.note('methods', Object.keys(path).toSorted());
        api.note('PATCH', [
          path.patch['x-kubernetes-action'],
          path.patch.consumes,
          path.patch['x-kubernetes-group-version-kind'],
        ]);
      },
    },
    {
      title: 'the v2 document is read, and nothing else',
      async run(api) {
        for (const method of ['POST', 'PUT', 'DELETE'] as const) await method405(api, method);
        await api.get('/openapi/v2/more');
        await api.get('/openapi');
      },
    },
  ],
  { needsServerAlone: true },
);

async function method405(api: CaseApi, method: 'POST' | 'PUT' | 'DELETE'): Promise<void> {
  const { status, body, headers }: Answer =
    method === 'POST'
      ? await api.unnoted.post('/openapi/v2', {})
      : method === 'PUT'
        ? await api.unnoted.put('/openapi/v2', {})
        : await api.unnoted.delete('/openapi/v2');
  api.note(method, [status, headers['content-type'], status < 400 ? typeof body : body]);
}

function as(user: string): RequestOptions {
  return { headers: { 'impersonate-user': user } };
}

const anonymous: RequestOptions = {
  headers: { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:unauthenticated' },
};
