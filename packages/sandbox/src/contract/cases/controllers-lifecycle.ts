import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * Objects that every Namespace has, deletion of Namespaces, and garbage collection by owner
 * references.
 */
export const controllersLifecycle = contractArea(
  'controllers-lifecycle',
  [
    {
      title: 'a Namespace has a default ServiceAccount',
      needsControllers: true,
      run: async (api) => void (await api.eventually(`${ns(api)}/serviceaccounts`, some)),
    },
    {
      title: 'a default ServiceAccount that is deleted comes back',
      needsControllers: true,
      async run(api) {
        const { body } = await api.eventually(`${ns(api)}/serviceaccounts`, some);
        const { uid } = body.items[0].metadata;
        await api.quietly.delete(`${ns(api)}/serviceaccounts/default`);
        await api.eventually(`${ns(api)}/serviceaccounts`, ({ items }) =>
          items.some(({ metadata }: Json) => metadata.uid !== uid),
        );
      },
    },
    {
      title: 'a changed root CA ConfigMap is put right, and keeps what else stands in its metadata',
      needsControllers: true,
      async run(api) {
        const path = `${ns(api)}/configmaps/kube-root-ca.crt`;
        const body = await quietlyUntil(api, path, () => true);
        const ca = body.data['ca.crt'];
        await api.quietly.patch(path, 'merge', {
          metadata: { labels: { mine: 'yes' } },
          data: { 'ca.crt': 'wrong', more: 'x' },
        });
        const put = await quietlyUntil(api, path, (map) => map.data?.['ca.crt'] === ca);
        check(put.metadata.labels.mine === 'yes' && put.data.more === undefined, 'the ConfigMap is not put right');
      },
    },
    {
      title: 'a token Secret of an account that is not there is deleted',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(`${ns(api)}/secrets`, tokenSecret('nobody'));
        await api.eventually(`${ns(api)}/secrets`, none);
      },
    },
    {
      title: 'a token Secret goes with its account',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(`${ns(api)}/serviceaccounts`, { metadata: { name: 'acct' } });
        await api.quietly.post(`${ns(api)}/secrets`, tokenSecret('acct'));
        const filled = await quietlyUntil(
          api,
          `${ns(api)}/secrets/token`,
          (secret) => secret.data?.token !== undefined,
        );
        check(Object.keys(filled.data).toSorted().join() === 'ca.crt,namespace,token', 'the Secret is not filled');
        await api.quietly.delete(`${ns(api)}/serviceaccounts/acct`);
        await api.eventually(`${ns(api)}/secrets`, none);
      },
    },
    {
      title: 'a Namespace that goes tells which content and which finalizers hold it',
      needsControllers: true,
      async run(api) {
        const held = { metadata: { name: 'held', finalizers: ['example.com/a', 'example.com/b'] } };
        await inOther(api, async (path, content) => {
          await api.quietly.post(`${content}/configmaps`, held);
          await api.quietly.post(`${content}/secrets`, { metadata: { name: 'held', finalizers: ['example.com/a'] } });
          await api.quietly.post(`${content}/secrets`, { metadata: { name: 'free' } });
          await api.quietly.delete(path);
          await api.eventually(path, ({ status }) => status.conditions?.[3]?.status === 'True');
          for (const plural of ['configmaps', 'secrets']) {
            await api.quietly.patch(`${content}/${plural}/held`, 'merge', { metadata: { finalizers: null } });
          }
        });
      },
    },
    {
      title: 'a Namespace with finalizers of its own is emptied, and goes when these are taken away',
      needsControllers: true,
      async run(api) {
        await inOther(api, async (path, content) => {
          const finalizers = ['example.com/a', 'example.com/b'];
          await api.quietly.patch(path, 'merge', { metadata: { finalizers } });
          await api.quietly.post(`${content}/configmaps`, { metadata: { name: 'free' } });
          await api.quietly.delete(path);
          await api.eventually(path, ({ spec }) => spec.finalizers === undefined);
          await api.quietly.delete(path);
          await api.eventually(`${content}/configmaps`, none);
          await api.patch(path, 'merge', { metadata: { finalizers: ['example.com/b'] } });
          await api.patch(path, 'merge', { metadata: { finalizers: null } });
          await api.get(path);
        });
      },
    },
    {
      title: 'dependents stay while one owner is left, and lose the reference to the others',
      needsControllers: true,
      async run(api) {
        const [first, second] = [await owner(api, 'first'), await owner(api, 'second')];
        await api.quietly.post(maps(api), { metadata: { name: 'owned', ownerReferences: [first, second] } });
        await api.quietly.delete(`${maps(api)}/first`);
        await api.eventually(`${maps(api)}/owned`, ({ metadata }) => metadata.ownerReferences?.length === 1);
      },
    },
    {
      title: 'dependents of dependents go too',
      needsControllers: true,
      async run(api) {
        const first = await owner(api, 'first');
        const second = await owner(api, 'second', [first]);
        await owner(api, 'third', [second]);
        await api.quietly.delete(`${maps(api)}/first`);
        await gone(api, 'third');
      },
    },
    {
      title: 'an owner made anew under the old name owns nothing',
      needsControllers: true,
      async run(api) {
        const first = await owner(api, 'first');
        await api.quietly.delete(`${maps(api)}/first`);
        await owner(api, 'first');
        await owner(api, 'owned', [first]);
        await gone(api, 'owned');
      },
    },
    {
      title: 'an owner in another Namespace counts as none',
      needsControllers: true,
      async run(api) {
        const first = await owner(api, 'first');
        await inOther(api, async (_path, content) => {
          await api.quietly.post(`${content}/secrets`, { metadata: { name: 'owned', ownerReferences: [first] } });
          await api.eventually(`${content}/secrets`, none);
        });
      },
    },
    {
      title: 'foreground deletion does not wait for dependents that do not block',
      needsControllers: true,
      async run(api) {
        const first = await owner(api, 'first');
        const metadata = { name: 'owned', ownerReferences: [first], finalizers: ['example.com/hold'] };
        await api.quietly.post(maps(api), { metadata });
        await api.quietly.delete(`${maps(api)}/first`, { query: { propagationPolicy: 'Foreground' } });
        await gone(api, 'first');
        await api.quietly.patch(`${maps(api)}/owned`, 'merge', { metadata: { finalizers: null } });
        await gone(api, 'owned');
      },
    },
    {
      title: 'an orphan finalizer holds dependents back from nothing but losing the reference',
      needsControllers: true,
      async run(api) {
        const [first, second] = [await owner(api, 'first'), await owner(api, 'second')];
        await api.quietly.post(maps(api), { metadata: { name: 'owned', ownerReferences: [first, second] } });
        await api.quietly.delete(`${maps(api)}/first`, { query: { propagationPolicy: 'Orphan' } });
        await api.eventually(`${maps(api)}/owned`, ({ metadata }) => metadata.ownerReferences?.length === 1);
        await gone(api, 'first');
      },
    },
    {
      title: 'the condition of a Deployment that changes comes last, and what has rolled out stays so',
      needsControllers: true,
      async run(api) {
        const deployments = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
        const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
        const spec = { replicas: 0, selector: { matchLabels: { app: 'a' } }, template };
        await api.quietly.post(deployments, { metadata: { name: 'a' }, spec });
        for (const replicas of [0, 1]) {
          await api.quietly.patch(`${deployments}/a`, 'merge', { spec: { replicas } });
          const { status } = await quietlyUntil(
            api,
            `${deployments}/a`,
            (one) => one.status.observedGeneration === replicas + 1 && (one.status.replicas ?? 0) === replicas,
          );
          api.note(
            `${replicas} replicas`,
            status.conditions.map((one: Json) => [one.type, one.status, one.reason]),
          );
        }
      },
    },
    {
      title: 'an aggregated ClusterRole has the rules of those that it selects',
      needsControllers: true,
      async run(api) {
        const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
        const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
        const labels = { part: api.namespace };
        const selector = { clusterRoleSelectors: [{ matchLabels: labels }] };
        await api.quietly.post(roles, { metadata: { name: `${api.namespace}-b`, labels }, rules: [rule('pods')] });
        await api.quietly.post(roles, {
          metadata: { name: `${api.namespace}-a`, labels },
          rules: [rule('nodes'), rule('pods')],
        });
        await api.quietly.post(roles, {
          metadata: { name: `${api.namespace}-all` },
          aggregationRule: selector,
          rules: [rule('lost')],
        });
        await quietlyUntil(api, `${roles}/${api.namespace}-all`, ({ rules }) => rules?.length === 2);
        const { rules } = await quietlyUntil(api, `${roles}/${api.namespace}-all`, () => true);
        check(
          rules[0].resources[0] === 'nodes' && rules[1].resources[0] === 'pods',
          `the rules are ${JSON.stringify(rules)}`,
        );
        for (const one of ['a', 'b', 'all']) await api.delete(`${roles}/${api.namespace}-${one}`);
      },
    },
  ],
  { needsServerAlone: true },
);

const ns = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}`;
const maps = (api: CaseApi) => `${ns(api)}/secrets`;
const some = ({ items }: Json) => items.length > 0;
const none = ({ items }: Json) => items.length === 0;

function tokenSecret(account: string): object {
  const annotations = { 'kubernetes.io/service-account.name': account };
  return { metadata: { name: 'token', annotations }, type: 'kubernetes.io/service-account-token' };
}

/** Makes a Secret and returns the reference to it. */
async function owner(api: CaseApi, name: string, ownerReferences: readonly object[] = []): Promise<object> {
  const { body } = await api.quietly.post(maps(api), { metadata: { name, ownerReferences } });
  return { apiVersion: 'v1', kind: 'Secret', name, uid: body.metadata.uid };
}

function gone(api: CaseApi, name: string): Promise<unknown> {
  return api.eventually(maps(api), none, { query: { fieldSelector: `metadata.name=${name}` } });
}

/** A second Namespace, which the case deletes, or the end of it. */
async function inOther(api: CaseApi, run: (path: string, content: string) => Promise<void>): Promise<void> {
  const name = `${api.namespace}-2`;
  await api.quietly.post('/api/v1/namespaces', { metadata: { name } });
  const path = `/api/v1/namespaces/${name}`;
  await run(path, path);
  // It may be deleted by then.
  await api.quietly.delete(path).catch(() => {});
}

/** Reads until the condition holds, without noting values that differ between clusters. */
async function quietlyUntil(api: CaseApi, path: string, isSo: (body: Json) => boolean): Promise<Json> {
  return (await api.quietly.eventually(path, isSo)).body;
}

function check(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
