import type { Answer, CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * Server-side apply on kinds with structure, on subresources, and beside clients that do not apply.
 */
export const applyKinds = contractArea('apply-kinds', [
  {
    title: 'containers of a Deployment are owned by name, their ports by number and protocol',
    async run(api) {
      await applied(api, 'me', { containers: [{ name: 'c', image: 'x:1', ports: [{ containerPort: 80 }] }] });
      await applied(api, 'you', { containers: [{ name: 'side', image: 'y:1' }] });
      await applied(api, 'you', { containers: [{ name: 'c', image: 'x:2' }] });
      await applied(
        api,
        'you',
        { containers: [{ name: 'c', image: 'x:2', ports: [{ containerPort: 80, name: 'http' }] }] },
        'true',
      );
      await applied(api, 'me', { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] });
    },
  },
  {
    title: 'what a scale changes is owned by who scaled, and an apply of replicas conflicts with it',
    async run(api) {
      await applied(api, 'me', { replicas: 0 });
      const scaled = await api.quietly.patch(
        `${deployments(api)}/d/scale`,
        'merge',
        { spec: { replicas: 1 } },
        { query: { fieldManager: 'scaler' } },
      );
      api.note('scaled to', scaled.body.spec);
      await owners(api);
      await applied(api, 'me', { replicas: 0 });
      await applied(api, 'me', {});
      await api.quietly.patch(
        `${deployments(api)}/d/scale`,
        'merge',
        { spec: { replicas: 0 } },
        { query: { fieldManager: 'scaler' } },
      );
    },
  },
  {
    title: 'a scale is applied',
    async run(api) {
      await applied(api, 'me', { replicas: 0 });
      const scale = (replicas: number, more: object = {}) => ({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd', ...more },
        spec: { replicas },
      });
      const apply = async (body: object, query: Readonly<Record<string, string>>) => {
        const { status, body: said } = await api.unnoted.patch(`${deployments(api)}/d/scale`, 'apply', body, {
          query: { dryRun: 'All', ...query },
        });
        api.note('answer', status < 400 ? { ...said, metadata: { ...said.metadata, resourceVersion: '' } } : said);
      };
      await apply(scale(3), { fieldManager: 'scaler' });
      await apply(scale(3), { fieldManager: 'scaler', force: 'true' });
      await apply(scale(0), { fieldManager: 'scaler' });
      await apply(scale(3), {});
      await apply({ ...scale(3), kind: 'Deployment', apiVersion: 'apps/v1' }, { fieldManager: 'scaler' });
      await apply(scale(3, { managedFields: [] }), { fieldManager: 'scaler' });
      const query = { fieldManager: 'scaler', force: 'true' };
      await api.quietly.patch(`${deployments(api)}/d/scale`, 'apply', scale(2), { query });
      await owners(api);
      await applied(api, 'me', { replicas: 0 });
      await api.quietly.patch(`${deployments(api)}/d/scale`, 'apply', { ...scale(0), spec: {} }, { query });
      await owners(api);
    },
  },
  {
    title: 'a client that updates takes what it changes, an apply of the old value gets it back by force',
    async run(api) {
      await applied(api, 'me', { containers: [{ name: 'c', image: 'x:1' }] });
      await api.quietly.patch(`${deployments(api)}/d`, 'strategic-merge', template([{ name: 'c', image: 'x:2' }]), {
        query: { fieldManager: 'kubectl-set' },
      });
      await owners(api);
      await applied(api, 'me', { containers: [{ name: 'c', image: 'x:1' }] });
      await applied(api, 'me', { containers: [{ name: 'c', image: 'x:1' }] }, 'true');
      await owners(api);
    },
  },
  {
    title: 'an apply that changes nothing keeps the resourceVersion and the times of its owners',
    async run(api) {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', labels: { x: 'y' } },
        data: { k: 'v' },
      };
      const apply = () =>
        api.patch(`/api/v1/namespaces/${api.namespace}/configmaps/a`, 'apply', body, { query: { fieldManager: 'me' } });
      const first = await apply();
      await api.pass(1_100);
      const second = await apply();
      api.note('the same', [
        first.body.metadata.resourceVersion === second.body.metadata.resourceVersion,
        JSON.stringify(first.body.metadata.managedFields) === JSON.stringify(second.body.metadata.managedFields),
      ]);
    },
  },
  {
    title: 'a ClusterRole binding, a ServiceAccount and a Namespace are applied',
    async run(api) {
      const path = `/api/v1/namespaces/${api.namespace}`;
      const apply = (at: string, body: object) => api.patch(at, 'apply', body, { query: { fieldManager: 'me' } });
      await apply(`${path}/serviceaccounts/a`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'a' },
        imagePullSecrets: [{ name: 'p' }],
      });
      await apply(path, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: api.namespace, labels: { x: 'y' } },
      });
      await apply(`/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}/rolebindings/b`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'b' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: api.namespace }],
      });
    },
  },
  {
    title: 'what is applied is judged: unknown fields, wrong types, invalid values',
    async run(api) {
      await applied(api, 'me', { containers: [{ name: 'c', image: 'x', colour: 'red' }] });
      await applied(api, 'me', { replicas: 'three' });
      await applied(api, 'me', { replicas: -1 });
      await api.patch(
        `${deployments(api)}/d`,
        'apply',
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'e' } },
        { query: { fieldManager: 'me' } },
      );
      await api.patch(
        `${deployments(api)}/d`,
        'apply',
        { apiVersion: 'apps/v2', kind: 'Deployment', metadata: { name: 'd' } },
        { query: { fieldManager: 'me' } },
      );
    },
  },
  {
    title: 'a manager has a name of at most 128 printable characters',
    async run(api) {
      for (const fieldManager of ['', 'm'.repeat(128), 'm'.repeat(129), 'a\tb']) {
        await api.patch(
          `/api/v1/namespaces/${api.namespace}/configmaps/a`,
          'apply',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
          {
            query: { fieldManager, dryRun: 'All' },
          },
        );
      }
    },
  },
]);

const deployments = ({ namespace }: CaseApi) => `/apis/apps/v1/namespaces/${namespace}/deployments`;

const template = (containers: readonly object[]) => ({ spec: { template: { spec: { containers } } } });

/**
 * Applies a Deployment without replicas, so that its controller has nothing to do. Notes the answer
 * without the status.
 */
async function applied(
  api: CaseApi,
  fieldManager: string,
  {
    containers = [{ name: 'c', image: 'x:1' }],
    ...spec
  }: { readonly containers?: readonly object[]; readonly replicas?: unknown },
  force = 'false',
): Promise<Answer> {
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      paused: true,
      ...spec,
      template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
    },
  };
  const answer = await api.unnoted.patch(`${deployments(api)}/d`, 'apply', body, { query: { fieldManager, force } });
  const { status, body: said } = answer;
  api.note(`${fieldManager} applies`, status < 400 ? { status, spec: said.spec, managed: clients(said) } : said);
  return answer;
}

async function owners(api: CaseApi): Promise<void> {
  const { body } = await api.quietly.get(`${deployments(api)}/d`);
  api.note('owners', clients(body));
}

/** The managed fields without those of the controllers, which are added a moment later. */
function clients({ metadata }: Json): readonly Json[] {
  return metadata.managedFields.filter(
    ({ subresource, manager }: Json) => subresource !== 'status' && !manager.startsWith('kube-'),
  );
}
