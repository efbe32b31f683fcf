import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Lists: selection, pages, moments. */
export const lists = contractArea('lists', [
  {
    title: 'a list has the objects in the order of their names, without apiVersion and kind',
    async run(api) {
      await fill(api, ['b', 'a', 'c']);
      await api.get(secrets(api));
    },
  },
  {
    title: 'an empty list has an empty array',
    run: async (api) => void (await api.get(secrets(api))),
  },
  {
    title: 'a list in a Namespace that is not there is empty',
    run: async (api) => void (await api.get('/api/v1/namespaces/nowhere-at-all/secrets')),
  },
  {
    title: 'label selectors know equality, sets and existence',
    async run(api) {
      await fill(api, ['a', 'b', 'c', 'd']);
      for (const labelSelector of [
        'n=a',
        'n==a',
        'n!=a,n',
        'n in (a,b)',
        'n notin (a,b),n',
        'n,!m',
        '!n',
        'n in (a',
        'n>5',
        '=',
      ]) {
        await api.get(secrets(api), { query: { labelSelector } });
      }
    },
  },
  {
    title: 'field selectors know name and Namespace, and refuse what the kind does not select by',
    async run(api) {
      await fill(api, ['a', 'b']);
      for (const fieldSelector of [
        'metadata.name=a',
        'metadata.name!=a,metadata.namespace!=kube-system',
        `metadata.namespace=${api.namespace},metadata.name=b`,
        'data.k=v',
        'metadata.name',
      ]) {
        await api.get(secrets(api), { query: { fieldSelector } });
      }
    },
  },
  {
    title: 'a kind that selects by nothing of its own names what there is',
    async run(api) {
      for (const path of [
        `/api/v1/namespaces/${api.namespace}/configmaps`,
        '/apis/apps/v1/deployments',
        '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        '/apis/networking.k8s.io/v1/servicecidrs',
        '/apis/apiregistration.k8s.io/v1/apiservices',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        '/api/v1/limitranges',
        '/api/v1/nodes',
      ]) {
        await api.get(path, { query: { fieldSelector: 'spec.x=1' } });
      }
    },
  },
  {
    title: 'a continue token begins at a place that a path can name',
    async run(api) {
      for (const start of ['', '/../', 'a/../b', '..', 'a//b', 'a/', './a', '.']) {
        const token = { v: 'meta.k8s.io/v1', rv: 1, start };
        const text = Buffer.from(JSON.stringify(token)).toString('base64url');
        await api.get(secrets(api), { query: { continue: text } });
      }
    },
  },
  {
    title: 'a watch takes no continue token where it begins with what there is',
    async run(api) {
      for (const query of [
        { continue: 'abc' },
        { continue: 'abc', resourceVersion: '0' },
        { continue: 'abc', resourceVersionMatch: 'Exact' },
        { continue: 'abc', sendInitialEvents: 'true' },
        { continue: 'abc', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' },
      ]) {
        await api.get(secrets(api), { query: { ...query, watch: 'true' } });
      }
    },
  },
  {
    title: 'a limit cuts the list into pages that continue where the last one ended',
    async run(api) {
      await fill(api, ['a', 'b', 'c', 'd', 'e']);
      let token = '';
      do {
        const { body } = await api.get(secrets(api), {
          query: { limit: '2', labelSelector: 'n', ...(token !== '' && { continue: token }) },
        });
        token = body.metadata.continue ?? '';
      } while (token !== '');
    },
  },
  {
    title: 'the pages of a list show one moment',
    async run(api) {
      await fill(api, ['a', 'b', 'c', 'd']);
      const first = await api.get(secrets(api), { query: { limit: '2' } });
      await api.quietly.delete(`${secrets(api)}/c`);
      await api.quietly.post(secrets(api), { metadata: { name: 'cc' } });
      await api.get(secrets(api), { query: { limit: '2', continue: first.body.metadata.continue } });
      await api.get(secrets(api));
    },
  },
  {
    title: 'remainingItemCount counts what is left, and is left out where a selector is',
    async run(api) {
      await fill(api, ['a', 'b', 'c', 'd']);
      await api.get(secrets(api), { query: { limit: '1' } });
      await api.get(secrets(api), { query: { limit: '1', labelSelector: 'n' } });
      await api.get(secrets(api), { query: { limit: '1', fieldSelector: 'metadata.name!=a' } });
    },
  },
  {
    title: 'a continue token that is none is refused',
    async run(api) {
      await fill(api, ['a']);
      await api.get(secrets(api), { query: { limit: '1', continue: 'nonsense' } });
      await api.get(secrets(api), { query: { limit: '1', continue: 'e30' } });
    },
  },
  {
    title: 'a continue token goes with no resourceVersion',
    async run(api) {
      await fill(api, ['a', 'b']);
      const { body } = await api.quietly.get(secrets(api), { query: { limit: '1' } });
      const token = body.metadata.continue;
      await api.get(secrets(api), { query: { limit: '1', continue: token, resourceVersion: '1' } });
      await api.get(secrets(api), {
        query: { limit: '1', continue: token, resourceVersionMatch: 'Exact', resourceVersion: '1' },
      });
      await api.get(secrets(api), { query: { limit: '1', continue: token, resourceVersion: '0' } });
    },
  },
  {
    title: 'an exact resourceVersion shows the past',
    async run(api) {
      await fill(api, ['a']);
      const { body } = await api.quietly.get(secrets(api));
      const { resourceVersion } = body.metadata;
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await api.get(secrets(api), { query: { resourceVersion, resourceVersionMatch: 'Exact' } });
      await api.get(secrets(api), { query: { resourceVersion, resourceVersionMatch: 'NotOlderThan' } });
      await api.get(secrets(api), { query: { resourceVersion } });
      await api.get(secrets(api), { query: { resourceVersion, limit: '5' } });
      await api.get(secrets(api), { query: { resourceVersion: '0', limit: '1' } });
    },
  },
  {
    title: 'a resourceVersion that is no number is refused',
    async run(api) {
      await api.get(secrets(api), { query: { resourceVersion: 'x' } });
      await api.get(secrets(api), { query: { resourceVersion: '-1' } });
    },
  },
  {
    title: 'a resourceVersion of the future is refused as too large',
    async run(api) {
      await api.get(secrets(api), { query: { resourceVersion: '99999999999' } });
    },
  },
  {
    title: 'resourceVersionMatch is refused where it does not fit',
    async run(api) {
      await api.get(secrets(api), { query: { resourceVersionMatch: 'Exact' } });
      await api.get(secrets(api), { query: { resourceVersionMatch: 'Nearly', resourceVersion: '1' } });
      await api.get(secrets(api), { query: { resourceVersionMatch: 'Exact', resourceVersion: '0' } });
      await api.get(secrets(api), { query: { sendInitialEvents: 'true' } });
    },
  },
  {
    title: 'a limit that is no number is refused, a negative one is none',
    async run(api) {
      await fill(api, ['a', 'b']);
      await api.get(secrets(api), { query: { limit: 'x' } });
      await api.get(secrets(api), { query: { limit: '-1' } });
    },
  },
  {
    title: 'a get takes resourceVersion 0 and any older one',
    async run(api) {
      await fill(api, ['a']);
      await api.get(`${secrets(api)}/a`, { query: { resourceVersion: '0' } });
      await api.get(`${secrets(api)}/a`, { query: { resourceVersion: '1' } });
      await api.get(`${secrets(api)}/a`, { query: { resourceVersion: 'x' } });
    },
  },
]);

const secrets = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/secrets`;

/** Secrets of these names, with the label `n`. */
async function fill(api: CaseApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await api.quietly.post(secrets(api), { metadata: { name, labels: { n: name } } });
  }
}
