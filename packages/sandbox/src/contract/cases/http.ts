import type { ApiRequest } from '@isthmus/kube';
import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Requests as HTTP: methods, paths, queries and bodies that no client sends on purpose. */
export const http = contractArea('http', [
  {
    title: 'HEAD is refused on collections and on objects, there or not',
    async run(api) {
      await method(api, 'HEAD', configMaps(api));
      await method(api, 'HEAD', `${configMaps(api)}/none`);
      await method(api, 'HEAD', `/api/v1/namespaces/${api.namespace}`);
    },
  },
  {
    title: 'OPTIONS is refused on collections and on objects',
    async run(api) {
      await method(api, 'OPTIONS', configMaps(api));
      await method(api, 'OPTIONS', `${configMaps(api)}/none`);
    },
  },
  {
    title: 'a method that HTTP knows and Kubernetes does not is refused',
    async run(api) {
      for (const one of ['TRACE', 'PROPFIND', 'LOCK', 'MERGE']) await method(api, one, configMaps(api));
    },
  },
  {
    title: 'whatever the method, what is not there is 404',
    async run(api) {
      for (const one of ['HEAD', 'OPTIONS', 'TRACE']) {
        await method(api, one, '/api/v1/nothings');
        await method(api, one, '/apis/apps/v1/nothings');
        await method(api, one, '/apis/nothing.example.com/v1/nothings');
        await method(api, one, '/nothing');
      }
    },
  },
  {
    title: 'POST to an object is refused, as are PUT and PATCH to a collection',
    async run(api) {
      await api.post(`${configMaps(api)}/a`, { metadata: { name: 'a' } });
      await api.put(configMaps(api), { metadata: { name: 'a' } });
      await api.patch(configMaps(api), 'merge', {});
    },
  },
  {
    title: 'PATCH and POST on a status subresource that only reads and replaces',
    async run(api) {
      await api.post(`/api/v1/namespaces/${api.namespace}/status`, {});
      await api.delete(`/api/v1/namespaces/${api.namespace}/status`);
      await api.get(`/api/v1/namespaces/${api.namespace}/finalize`);
      await api.delete(`/api/v1/namespaces/${api.namespace}/finalize`);
    },
  },
  {
    title: 'a subresource that the kind has not is 404',
    async run(api) {
      await fill(api);
      await api.get(`${configMaps(api)}/a/status`);
      await api.put(`${configMaps(api)}/a/scale`, {});
      await api.get(`${configMaps(api)}/a/status/more`);
    },
  },
  {
    title: 'a path may end in slashes',
    async run(api) {
      await fill(api);
      await api.get(`${configMaps(api)}/a/`);
      await api.get(`${configMaps(api)}/a//`);
      await api.get(`${configMaps(api)}/`, { query: { fieldSelector: 'metadata.name=a' } });
    },
  },
  {
    title: 'a write may go to a path that ends in a slash',
    async run(api) {
      await api.post(`${configMaps(api)}/`, { metadata: { name: 'a' } });
      await api.patch(`${configMaps(api)}/a/`, 'merge', { data: { k: 'v' } });
      await api.delete(`${configMaps(api)}/a/`);
    },
  },
  {
    title: 'double slashes are not one slash',
    async run(api) {
      await api.get(`/api/v1//namespaces/${api.namespace}`);
      await api.get(`//api/v1/namespaces/${api.namespace}`);
      await api.get(`/api//v1/namespaces/${api.namespace}`);
      await api.get(`/api/v1/namespaces//configmaps`, { query: { fieldSelector: `metadata.name=${api.namespace}` } });
      await api.get(`/api/v1/namespaces/${api.namespace}//configmaps`);
      await api.get('/apis/apps/v1//deployments');
      await api.post(`/api/v1//namespaces`, { metadata: { name: `${api.namespace}-x` } });
    },
  },
  {
    title: 'dots in a path climb nowhere',
    async run(api) {
      await api.get(`/api/v1/../v1/namespaces/${api.namespace}`);
      await api.get(`/api/./v1/namespaces/${api.namespace}`);
      await api.get(`/api/v1/namespaces/${api.namespace}/../../../../version`);
      await api.get(`/api/v1/%2e%2e/v1/namespaces/${api.namespace}`);
      await api.get('/apis/apps/../apps/v1/deployments');
    },
  },
  {
    title: 'a name of dots is refused',
    async run(api) {
      await api.get(`${configMaps(api)}/%2e%2e`);
      await api.get(`${configMaps(api)}/.`);
      await api.delete(`${configMaps(api)}/..`);
      await api.get('/api/v1/namespaces/..');
    },
  },
  {
    title: 'a name with a percent sign is refused',
    async run(api) {
      await api.get(`${configMaps(api)}/a%25b`);
      await api.put(`${configMaps(api)}/a%25b`, { metadata: { name: 'a%b' } });
      await api.patch(`${configMaps(api)}/a%2541`, 'merge', {});
    },
  },
  {
    title: 'an escaped slash is a slash',
    async run(api) {
      await fill(api);
      await api.get(`/api/v1/namespaces%2f${api.namespace}`);
      await api.get(`${configMaps(api)}%2Fa`);
      await api.get(`${configMaps(api)}/a%2fb`);
    },
  },
  {
    title: 'an escaped letter is the letter',
    async run(api) {
      await fill(api);
      await api.get(`${configMaps(api)}/%61`);
      await api.get(`/api/v1/namespaces/${api.namespace}/%63onfigmaps/a`);
    },
  },
  {
    title: 'a name that could never be is only not found',
    async run(api) {
      await api.get(`${configMaps(api)}/a%20b`);
      await api.get(`${configMaps(api)}/%C3%A9`);
      await api.get(`${configMaps(api)}/UPPER`);
      await api.get(`${configMaps(api)}/__proto__`);
      await api.delete(`${configMaps(api)}/constructor`);
      await api.get(`${configMaps(api)}/${'x'.repeat(300)}`);
    },
  },
  {
    title: 'a plus sign in a path is a plus sign',
    run: async (api) => void (await api.get(`${configMaps(api)}/a+b`)),
  },
  {
    title: 'words of JavaScript are names of no resource',
    async run(api) {
      await api.get('/api/v1/__proto__');
      await api.get('/api/v1/constructor');
      await api.get('/apis/__proto__/v1/x');
      await api.get('/apis/apps/toString/x');
      await api.get(`/api/v1/namespaces/${api.namespace}/hasOwnProperty`);
    },
  },
  {
    title: 'unknown query parameters are passed over',
    async run(api) {
      await fill(api);
      await api.get(`${configMaps(api)}/a`, { query: { pretty: 'false', nonsense: '1', __proto__x: '2' } });
      await api.get(`${configMaps(api)}/a`, { query: { watchh: 'true' } });
    },
  },
  {
    title: 'a body of more than 3 MiB is too large for every write',
    async run(api) {
      const body = { metadata: { name: 'a' }, data: { k: 'x'.repeat(3 * 1024 * 1024) } };
      await api.post(configMaps(api), body);
      await api.put(`${configMaps(api)}/a`, body);
      await api.patch(`${configMaps(api)}/a`, 'merge', body);
      await api.patch(`${configMaps(api)}/a`, 'apply', body, { query: { fieldManager: 'm' } });
      await api.delete(`${configMaps(api)}/a`, {
        body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x'.repeat(3 * 1024 * 1024) } },
      });
    },
  },
  {
    title: 'a body of just 3 MiB is read',
    async run(api) {
      const frame = '{"metadata":{"name":"A"}}';
      await api.post(configMaps(api), frame + ' '.repeat(3 * 1024 * 1024 - frame.length));
      await api.post(configMaps(api), frame + ' '.repeat(3 * 1024 * 1024 - frame.length + 1));
    },
  },
  {
    title: 'the limit counts bytes, not characters',
    async run(api) {
      await api.post(configMaps(api), { metadata: { name: 'a' }, data: { k: 'é'.repeat(1_600_000) } });
    },
  },
  {
    title: 'whether there is such a path is said before the body is looked at',
    async run(api) {
      const body = 'x'.repeat(3 * 1024 * 1024 + 1);
      await api.put(configMaps(api), body);
      await api.post('/api/v1/nothings', body);
    },
  },
  {
    title: 'an empty body is no object',
    async run(api) {
      await api.post(configMaps(api), '');
      await api.put(`${configMaps(api)}/a`, '');
    },
  },
  {
    title: 'a body that is no JSON is refused',
    async run(api) {
      for (const body of ['{', 'null', '[]', '"text"', '1', 'true', '{"metadata":'])
        await api.post(configMaps(api), body);
    },
  },
  {
    title: 'a content type that nobody speaks is refused',
    async run(api) {
      for (const type of [
        'text/plain',
        'application/xml',
        'nonsense',
        'application/json; charset=utf-8',
        'application/merge-patch+json',
      ]) {
        await api.post(
          configMaps(api),
          { metadata: { name: 'a' } },
          { headers: { 'content-type': type }, query: { dryRun: 'All' } },
        );
      }
    },
  },
  {
    title: 'a patch of a content type that is none is refused',
    async run(api) {
      await fill(api);
      for (const type of ['application/json', 'text/plain', 'application/merge-patch+json; charset=utf-8']) {
        await api.request({
          method: 'PATCH',
          path: `${configMaps(api)}/a`,
          headers: { 'content-type': type },
          body: '{}',
        });
      }
    },
  },
  {
    title: 'a GET may have a body that nobody reads',
    async run(api) {
      await fill(api);
      await api.request({
        method: 'GET',
        path: `${configMaps(api)}/a`,
        headers: { 'content-type': 'text/plain' },
        body: '{',
      });
    },
  },
  {
    title: 'the prefixes of resources are no resources',
    async run(api) {
      await api.post('/api/v1', {});
      await api.delete('/apis/apps/v1');
    },
  },
  {
    title: 'a resource is served in its own group and version alone',
    async run(api) {
      await api.get('/apis/apps/v1/configmaps');
      await api.get('/api/v2/configmaps');
      await api.get('/apis/apps/v9/deployments');
      await api.get('/api/v1/ConfigMaps');
      await api.get('/api/v1/configmap');
    },
  },
  {
    title: 'a path stands where its scope is',
    async run(api) {
      await api.get('/api/v1/configmaps/a');
      await api.post('/api/v1/configmaps', { metadata: { name: 'a' } });
      await api.get(`/api/v1/namespaces/${api.namespace}/nodes`);
      await api.get(`/api/v1/namespaces/${api.namespace}/namespaces`);
      await api.delete('/api/v1/configmaps');
    },
  },
]);

const configMaps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;

/** A ConfigMap `a`. */
async function fill(api: CaseApi): Promise<void> {
  await api.quietly.post(configMaps(api), { metadata: { name: 'a' } });
}

/** A request whose method clients do not have. */
function method(api: CaseApi, name: string, path: string) {
  return api.request({ method: name as ApiRequest['method'], path });
}
