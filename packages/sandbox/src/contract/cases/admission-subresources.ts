import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import type { HookOptions } from './admission.ts';
import { add, allow, deny, hooked } from './admission.ts';
import { widget, widgets, widgetsPath, withDefinition } from './crd-fixtures.ts';

/**
 * The reviews of admission webhooks for writes to subresources, and for objects that are answered
 * and not stored.
 */
export const admissionSubresources = contractArea('admission-subresources', [
  {
    title: 'a write through the Scale of a Deployment is reviewed as its Scale, not as a Deployment',
    async run(api) {
      const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
      await api.quietly.post(path, deployment());
      await scaled(api, { path: `${path}/web`, hook: { apiGroups: ['apps'] }, plural: 'deployments' });
    },
  },
  {
    title: 'a write through the Scale of a custom kind is reviewed as its Scale',
    run: (api) =>
      withDefinition(api, widgets(api, {}, { subresources: { status: {}, scale: scalePaths } }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'web', { spec: { replicas: 1 } }));
        const { group } = widgets(api).spec;
        await scaled(api, { path: `${widgetsPath(api)}/web`, hook: { apiGroups: [group] }, plural: 'widgets' });
      }),
  },
  {
    title: 'a binding, an eviction and a request for a token are reviewed, and may be denied',
    async run(api) {
      const base = `/api/v1/namespaces/${api.namespace}`;
      await api.quietly.post(`${base}/serviceaccounts`, { metadata: { name: 'robot' } });
      await api.quietly.post(`${base}/pods`, pod());
      const requests = [
        [`${base}/pods/a/binding`, { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }, 'pods/binding'],
        [
          `${base}/pods/a/eviction`,
          { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
          'pods/eviction',
        ],
        [`${base}/serviceaccounts/robot/token`, { spec: { audiences: ['x'] } }, 'serviceaccounts/token'],
      ] as const;
      for (const [path, body, resource] of requests) {
        const resources = [resource];
        await hooked(api, { kind: 'validating', resources }, deny, async ({ told }) => {
          await api.post(path, body);
          api.note(`${resource} is reviewed`, told.map(reviewed));
        });
        await hooked(api, { kind: 'validating', resources }, allow, async ({ told }) => {
          await api.unnoted.post(path, body, { query: { dryRun: 'All' } });
          api.note(
            `${resource} in a dry run`,
            told.map(({ request }) => request.dryRun),
          );
        });
      }
    },
  },
  {
    title: 'a question about access is reviewed, and may be denied',
    async run(api) {
      const path = `/apis/authorization.k8s.io/v1/namespaces/${api.namespace}/localsubjectaccessreviews`;
      const body = {
        metadata: { namespace: api.namespace },
        spec: { user: 'bob', resourceAttributes: { namespace: api.namespace, verb: 'get', resource: 'pods' } },
      };
      const hook = { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'] };
      for (const [word, respond] of [
        ['denied', deny],
        ['allowed', allow],
      ] as const)
        await hooked(api, { kind: 'validating', ...hook }, respond, async ({ told }) => {
          await api.post(path, body);
          api.note(word, told.map(reviewed));
        });
      await hooked(api, { kind: 'mutating', ...hook }, add('/spec/user', 'alice'), async () => {
        await api.post(path, body);
      });
    },
  },
]);

const scalePaths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/**
 * Notes which webhooks are called for writes through a Scale, their reviews, and the effect of
 * their answers.
 */
async function scaled(
  api: CaseApi,
  { path, hook, plural }: { readonly path: string; readonly hook: Partial<HookOptions>; readonly plural: string },
): Promise<void> {
  const replicas = (count: number) => ({ spec: { replicas: count } });
  const options = { ...hook, operations: ['*'] };
  await hooked(api, { kind: 'validating', ...options, resources: [plural] }, deny, async ({ told }) => {
    const { status } = await api.unnoted.patch(`${path}/scale`, 'merge', replicas(2));
    api.note(`a webhook of ${plural} is asked`, { status, told: told.length });
  });
  const resources = [`${plural}/scale`];
  await hooked(api, { kind: 'validating', ...options, resources }, deny, async ({ told }) => {
    await api.patch(`${path}/scale`, 'merge', replicas(3));
    await api.quietly.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    api.note(`a webhook of ${plural}/scale is asked`, told.map(reviewed));
  });
  await hooked(api, { kind: 'mutating', ...options, resources }, add('/spec/replicas', 4), async ({ told }) => {
    const { body } = await api.quietly.get(`${path}/scale`);
    const { resourceVersion: _, ...metadata } = body.metadata;
    const answer = await api.unnoted.put(`${path}/scale`, { ...body, metadata, spec: { replicas: 9 } });
    api.note('the mutating webhook is asked', { answer: answer.body.spec, told: told.map(reviewed) });
  });
}

/** The subject and the objects of a review, without the fields that controllers write meanwhile. */
function reviewed({ request }: Json): Json {
  const { operation, kind, resource, subResource, requestKind, requestResource, requestSubResource } = request;
  const { name, object, oldObject } = request;
  const about = { operation, kind, resource, subResource, requestKind, requestResource, requestSubResource, name };
  return { ...about, object: steady(object), oldObject: steady(oldObject) };
}

function steady(object: Json): Json {
  if (object === null) return null;
  const { managedFields: _managedFields, resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  const { status, ...rest } = object;
  return { ...rest, metadata, ...(object.kind !== 'Scale' && { status }) };
}

function deployment(): Json {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: pod().spec };
  return { metadata: { name: 'web' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
}

function pod(): Json {
  return {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', image: 'i' }], schedulerName: 'nobody', serviceAccountName: 'robot' },
  };
}
