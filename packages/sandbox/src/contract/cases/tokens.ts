import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';

/** Tokens of ServiceAccounts: requested, reviewed, used. */
export const tokens = contractArea('tokens', [
  {
    title: 'a token is requested for an hour where nothing else is said',
    async run(api) {
      await account(api, 'sa');
      await api.post(`${accounts(api)}/sa/token`, { spec: {} });
      await api.post(`${accounts(api)}/sa/token`, { spec: { expirationSeconds: 7200, audiences: ['a', 'b'] } });
    },
  },
  {
    title: 'what is null in the request of a token is not said',
    async run(api) {
      await account(api, 'sa');
      const spec = { audiences: null, expirationSeconds: null, boundObjectRef: null };
      await api.post(`${accounts(api)}/sa/token`, { spec });
    },
  },
  {
    title: 'a token lives for ten minutes at least',
    async run(api) {
      await account(api, 'sa');
      await api.post(`${accounts(api)}/sa/token`, { spec: { expirationSeconds: 599 } });
      await api.post(`${accounts(api)}/sa/token`, { spec: { expirationSeconds: 4_294_967_297 } });
    },
  },
  {
    title: 'a token needs its ServiceAccount',
    run: async (api) => void (await api.post(`${accounts(api)}/none/token`, { spec: {} })),
  },
  {
    title: 'the holder of a token is its ServiceAccount',
    async run(api) {
      await account(api, 'sa');
      const holder = api.withToken(await tokenOf(api, 'sa'));
      await holder.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
      await holder.get(`/api/v1/namespaces/${api.namespace}/secrets`);
    },
  },
  {
    title: 'a token that is none is refused',
    async run(api) {
      const { get } = api.withToken('nonsense');
      await get('/api');
      await get('/version');
      await get(`/api/v1/namespaces/${api.namespace}/secrets`);
    },
  },
  {
    title: 'a review says whose token it is',
    async run(api) {
      await account(api, 'sa');
      const token = await tokenOf(api, 'sa');
      await api.post(reviews, { spec: { token } });
      await api.post(reviews, {
        spec: { token, audiences: ['https://kubernetes.default.svc.cluster.local', 'other'] },
      });
      await api.post(reviews, { spec: { token, audiences: ['other'] } });
      await api.post(reviews, { spec: { token: 'nonsense' } });
      await api.post(reviews, { spec: {} });
    },
  },
  {
    title: 'a token for another audience does not open the API server',
    async run(api) {
      await account(api, 'sa');
      const token = await tokenOf(api, 'sa', { audiences: ['vault'] });
      await api.withToken(token).get('/api');
      await api.post(reviews, { spec: { token, audiences: ['vault'] } });
    },
  },
  {
    title: 'a token dies with its ServiceAccount, and is not that of the next one with the name',
    async run(api) {
      await account(api, 'sa');
      const token = await tokenOf(api, 'sa');
      await api.quietly.delete(`${accounts(api)}/sa`);
      await api.post(reviews, { spec: { token } });
      await account(api, 'sa');
      await api.post(reviews, { spec: { token } });
    },
  },
  {
    title: 'a token can be bound to a Secret that is there',
    async run(api) {
      await account(api, 'sa');
      const secrets = `/api/v1/namespaces/${api.namespace}/secrets`;
      await api.quietly.post(secrets, { metadata: { name: 's' } });
      const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 's' };
      const token = await tokenOf(api, 'sa', { boundObjectRef });
      await api.post(reviews, { spec: { token } });
      // The case does not review a revoked token: the real server caches verdicts for some seconds.
      await api.quietly.delete(`${secrets}/s`);
      await api.post(`${accounts(api)}/sa/token`, { spec: { boundObjectRef } });
      await api.post(`${accounts(api)}/sa/token`, {
        spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 's' } },
      });
    },
  },
]);

const accounts = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/serviceaccounts`;

function account(api: CaseApi, name: string): Promise<unknown> {
  return api.quietly.post(accounts(api), { metadata: { name } });
}

async function tokenOf(api: CaseApi, name: string, spec: Json = {}): Promise<string> {
  const { body } = await api.quietly.post(`${accounts(api)}/${name}/token`, { spec });
  return body.status.token;
}
