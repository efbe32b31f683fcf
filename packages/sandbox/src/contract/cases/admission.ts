import type { CaseApi, Json, WebhookPlace, WebhookRespond } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Admission webhooks: when they are called, with which review, and the effect of their answers. */
export const admission = contractArea('admission', [
  {
    title: 'a mutating webhook changes what is created',
    run: (api) =>
      hooked(api, { kind: 'mutating' }, add('/metadata/labels', { a: 'b' }), async ({ post }) => {
        await post('a');
      }),
  },
  {
    title: 'a webhook is told who does what to which object',
    run: (api) =>
      hooked(api, { kind: 'validating', operations: ['*'] }, allow, async ({ post, told }) => {
        await post('a', { data: { k: 'v' } });
        await api.patch(`${maps(api)}/a`, 'merge', { data: { k: 'w' } });
        await api.delete(`${maps(api)}/a`);
        for (const { request } of told) {
          // The administrator has another name on each server.
          const { userInfo, ...rest } = withoutManaged(request);
          api.note(`told of ${request.operation}`, { ...rest, groups: userInfo.groups });
        }
      }),
  },
  {
    title: 'a mutating webhook is told of a name that is yet to be made, and of a field manager that is named',
    run: (api) =>
      hooked(api, { kind: 'mutating', operations: ['CREATE', 'UPDATE'] }, allow, async ({ told }) => {
        await api.post(
          maps(api),
          { metadata: { generateName: 'g-' } },
          { query: { fieldManager: 'me', dryRun: 'All' } },
        );
        await api.quietly.put(`${maps(api)}/a`, { metadata: { name: 'a' } }).catch(() => {});
        await api.quietly.post(maps(api), { metadata: { name: 'a' } });
        await api.quietly.put(`${maps(api)}/a`, { metadata: { name: 'a' }, data: { k: 'v' } });
        await api.quietly.patch(
          `${maps(api)}/a`,
          'apply',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { l: 'w' } },
          { query: { fieldManager: 'me' } },
        );
        for (const { request } of told) {
          const { name = null, operation, options, object, dryRun } = request;
          api.note(operation, {
            named: name !== null,
            options,
            dryRun,
            metadata: Object.keys(object.metadata).toSorted(),
          });
        }
      }),
  },
  {
    title: 'patches that do not fit are told in the words of their library',
    async run(api) {
      for (const patch of [
        { op: 'replace', path: '/none', value: 1 },
        { op: 'add', path: '/none/deep', value: 1 },
        { op: 'remove', path: '/data/x' },
      ]) {
        const respond = (review: Json) => ({ ...verdict(review), patch: base64([patch]), patchType: 'JSONPatch' });
        await hooked(
          api,
          { kind: 'mutating' },
          respond,
          async ({ post }) => void (await post('a', { data: { k: 'v' } })),
        );
      }
    },
  },
  {
    title: 'a denial stands where failures are passed over',
    run: (api) =>
      hooked(api, { kind: 'validating', failurePolicy: 'Ignore' }, deny, async ({ post }) => {
        await post('b');
      }),
  },
  {
    title: 'configurations themselves are never asked about',
    run: (api) =>
      hooked(api, { kind: 'validating', operations: ['*'], resources: ['*'] }, deny, async () => {
        const metadata = { name: `${api.namespace}-other` };
        const { status } = await api.quietly.post(collection('mutating'), { metadata });
        api.note('created', status);
        await api.quietly.delete(`${collection('mutating')}/${metadata.name}`);
      }),
  },
  {
    title: 'a denial is told in the words of the webhook',
    async run(api) {
      const statuses = [
        undefined,
        {},
        { message: 'not today' },
        { reason: 'Busy' },
        { message: 'taken', reason: 'AlreadyExists', code: 409 },
        { message: 'odd', code: 200 },
        { message: 'teapot', code: 418 },
        { status: 'Success', message: 'well', details: { causes: [{ field: 'x', message: 'y' }] } },
      ];
      let next = 0;
      const deny = (review: Json) => ({ ...verdict(review, false), status: statuses[next++] });
      await hooked(api, { kind: 'validating' }, deny, async ({ post }) => {
        for (const _ of statuses) await post('a');
      });
    },
  },
  {
    title: 'warnings of webhooks reach the client',
    run: (api) =>
      hooked(
        api,
        { kind: 'validating' },
        (review) => ({ ...verdict(review), warnings: ['beware', 'of "that"'] }),
        async ({ post }) => {
          await post('a');
        },
      ),
  },
  {
    title: 'a webhook that is not there fails the request, or is passed over',
    async run(api) {
      await configured(api, { kind: 'validating' }, dead, async ({ post }) => void (await post('a')));
      await configured(api, { kind: 'mutating' }, dead, async ({ post }) => void (await post('a')));
      await configured(
        api,
        { kind: 'validating', failurePolicy: 'Ignore' },
        dead,
        async ({ post }) => void (await post('b')),
      );
    },
  },
  {
    title: 'a webhook behind a Service that is not there, or has another port',
    async run(api) {
      const spec = { selector: { a: 'b' }, ports: [{ port: 443 }] };
      await api.quietly.post(`/api/v1/namespaces/${api.namespace}/services`, { metadata: { name: 's' }, spec });
      for (const service of [{ name: 'none' }, { name: 's', port: 81 }]) {
        const clientConfig = { service: { namespace: api.namespace, ...service } };
        await configured(api, { kind: 'validating', clientConfig }, dead, async ({ post }) => void (await post('a')));
      }
    },
  },
  ...Object.entries({
    'of another uid': (review: Json) => ({ ...verdict(review), uid: 'other' }),
    'without a response': () => undefined,
    'with a patch and no type': (review: Json) => ({ ...verdict(review), patch: base64([]) }),
    'with a type and no patch': (review: Json) => ({ ...verdict(review), patchType: 'JSONPatch' }),
    'with a patch of another type': (review: Json) => ({
      ...verdict(review),
      patch: base64([{ op: 'remove', path: '/data' }]),
      patchType: 'Merge',
    }),
    'with a patch that does not fit': (review: Json) => ({
      ...verdict(review),
      patch: base64([{ op: 'remove', path: '/none' }]),
      patchType: 'JSONPatch',
    }),
    'with an empty patch': (review: Json) => ({ ...verdict(review), patch: base64([]), patchType: 'JSONPatch' }),
    'with a patch that makes it invalid': (review: Json) => ({
      ...verdict(review),
      patch: base64([{ op: 'add', path: '/metadata/labels', value: { a: 'b c' } }]),
      patchType: 'JSONPatch',
    }),
  }).map(([what, respond]) => ({
    title: `an answer ${what} is judged`,
    async run(api: CaseApi) {
      await hooked(
        api,
        { kind: 'mutating' },
        respond,
        async ({ post }) => void (await post('a', { data: { k: 'v' } })),
      );
      await hooked(
        api,
        { kind: 'mutating', failurePolicy: 'Ignore' },
        respond,
        async ({ post }) => void (await post('b', { data: { k: 'v' } })),
      );
    },
  })),
  {
    title: 'a validating webhook may not patch',
    run: (api) =>
      hooked(api, { kind: 'validating' }, add('/data', {}), async ({ post }) => {
        await post('a');
      }),
  },
  {
    title: 'answers that are no reviews fail the request',
    async run(api) {
      const answers = [
        { status: 500, body: 'oops' },
        { status: 404, body: '' },
        { status: 403, body: '{}' },
        { status: 200, body: 'no json' },
        { status: 200, body: {} },
        { status: 200, body: { apiVersion: 'admission.k8s.io/v1', kind: 'Other' } },
        { status: 200, body: { apiVersion: 'admission.k8s.io/v9', kind: 'AdmissionReview' } },
      ];
      let next = 0;
      const { url, caPem } = await webhookForCase(api, () => answers[next++] ?? { status: 500, body: '' });
      await configured(api, { kind: 'validating' }, { url, caPem }, async ({ post }) => {
        for (const _ of answers) await post('a');
      });
    },
  },
  {
    title: 'what a webhook says as text with an error is repeated to the client',
    async run(api) {
      const text = { contentType: 'text/plain; charset=utf-8', body: ' a bug at seven\n' };
      const statuses = [500, 502, 503, 403, 404, 405, 409, 415, 418, 422, 429];
      let next = 0;
      const { url, caPem } = await webhookForCase(api, () => ({ ...text, status: statuses[next++] ?? 500 }));
      await configured(api, { kind: 'validating' }, { url, caPem }, async ({ post }) => {
        for (const _ of statuses) await post('a');
      });
    },
  },
  {
    title: 'a dry run asks only webhooks without side effects',
    async run(api) {
      const dry = { query: { dryRun: 'All' } };
      for (const sideEffects of ['None', 'NoneOnDryRun']) {
        await hooked(api, { kind: 'mutating', sideEffects }, allow, async ({ told }) => {
          await api.post(maps(api), { metadata: { name: 'a' } }, dry);
          api.note(
            'told',
            told.map(({ request }) => [request.dryRun, request.options]),
          );
        });
      }
    },
  },
  {
    title: 'selectors of objects and Namespaces choose what is asked about',
    async run(api) {
      const objectSelector = { matchLabels: { ask: 'me' } };
      await hooked(api, { kind: 'validating', operations: ['*'], objectSelector }, allow, async ({ post, told }) => {
        await post('a');
        await post('b', { metadata: { name: 'b', labels: { ask: 'me' } } });
        await api.quietly.patch(`${maps(api)}/b`, 'merge', { metadata: { labels: null } });
        await api.quietly.patch(`${maps(api)}/b`, 'merge', { data: { k: 'v' } });
        api.note(
          'told',
          told.map(({ request }) => [request.operation, request.name]),
        );
      });
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'another-one' } };
      await hooked(api, { kind: 'validating', namespaceSelector }, deny, async ({ post }) => void (await post('c')));
    },
  },
  {
    title: 'rules choose by operation, resource, subresource and scope',
    async run(api) {
      const told = async (options: HookOptions) =>
        hooked(api, options, allow, async ({ told: reviews, post }) => {
          await post('a');
          await api.quietly.patch(`${maps(api)}/a`, 'merge', { data: { n: String(reviews.length) } });
          await api.quietly.delete(`${maps(api)}/a`);
          const counted = reviews.map(({ request }) => [
            request.operation,
            request.resource.resource,
            request.subResource,
          ]);
          api.note(JSON.stringify([options.operations, options.resources, options.scope]), counted);
        });
      await told({ kind: 'validating', operations: ['UPDATE'] });
      await told({ kind: 'validating', operations: ['DELETE'] });
      await told({ kind: 'validating', operations: ['CREATE', 'DELETE'], resources: ['*'] });
      await told({ kind: 'validating', operations: ['*'], resources: ['*/*'] });
      await told({ kind: 'validating', operations: ['*'], resources: ['configmaps/status'] });
      await told({ kind: 'validating', operations: ['*'], scope: 'Cluster' });
      await told({ kind: 'validating', operations: ['*'], scope: 'Namespaced' });
    },
  },
  {
    title: 'a denied deletion leaves the object',
    run: (api) =>
      hooked(api, { kind: 'validating', operations: ['DELETE'] }, deny, async ({ post }) => {
        await post('a');
        await api.delete(`${maps(api)}/a`);
        await api.get(`${maps(api)}/a`);
      }),
  },
  {
    title: 'mutating webhooks come in the order of their configurations, and one may be asked again',
    async run(api) {
      const seen: string[] = [];
      const first = (review: Json) => {
        seen.push(`first sees ${Object.keys(review.request.object.data ?? {}).join()}`);
        return verdict(review);
      };
      const second = (review: Json) => {
        seen.push(`second sees ${Object.keys(review.request.object.data ?? {}).join()}`);
        return add('/data', { ...review.request.object.data, second: '2' })(review);
      };
      for (const reinvocationPolicy of ['Never', 'IfNeeded']) {
        await hooked(api, { kind: 'mutating', name: 'a', reinvocationPolicy }, first, () =>
          hooked(api, { kind: 'mutating', name: 'b', reinvocationPolicy }, second, async ({ post }) => {
            await post(`m-${reinvocationPolicy.toLowerCase()}`, { data: { k: 'v' } });
          }),
        );
        api.note(reinvocationPolicy, seen.splice(0));
      }
    },
  },
  ...(['mutating', 'validating'] as const).map((kind) => ({
    title: `${kind} configurations are filled in and checked`,
    async run(api: CaseApi) {
      const post = (webhooks: unknown) =>
        api.post(
          collection(kind),
          { metadata: { name: `${api.namespace}-c` }, webhooks },
          { query: { dryRun: 'All' } },
        );
      const good = {
        name: 'a.b.c',
        clientConfig: { url: 'https://x/y' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      };
      const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
      await post([{ ...good, rules: [rule] }]);
      await post([{ ...good, clientConfig: { service: { name: 'n', namespace: 's' } } }, good]);
      await post([{}]);
      await post([
        { ...good, name: 'a' },
        { ...good, name: 'A.b.c' },
      ]);
      await post([{ ...good, clientConfig: { url: 'http://u@/x?y#z' } }]);
      await post([{ ...good, clientConfig: { service: { name: '', namespace: '', port: 0, path: 'a//B' } } }]);
      await post([
        {
          ...good,
          sideEffects: 'Some',
          failurePolicy: 'Try',
          matchPolicy: 'Near',
          timeoutSeconds: 31,
          admissionReviewVersions: ['v2', 'v2'],
        },
      ]);
      await post([
        {
          ...good,
          rules: [
            {},
            { ...rule, operations: ['*', 'READ'], apiGroups: ['*', 'a'], apiVersions: ['*', ''], scope: 'Here' },
          ],
        },
      ]);
      await post([
        {
          ...good,
          rules: [
            { ...rule, resources: ['pods/*', 'pods/status', '*/scale', 'a/scale', '', '*', 'pods'] },
            { ...rule, resources: ['*/*', 'pods'] },
          ],
        },
      ]);
      await post([
        {
          ...good,
          objectSelector: { matchLabels: { 'a b': 'c' } },
          namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
        },
      ]);
      await post([
        {
          ...good,
          matchConditions: [
            { name: '', expression: '' },
            { name: 'a b', expression: 'true' },
            { name: 'x', expression: 'true' },
            { name: 'x', expression: 'true' },
          ],
        },
      ]);
    },
  })),
]);

export interface HookOptions {
  readonly kind: 'mutating' | 'validating';
  readonly name?: string;
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly objectSelector?: object;
  readonly namespaceSelector?: object;
  readonly reinvocationPolicy?: string;
  readonly timeoutSeconds?: number;
  readonly matchPolicy?: string;
  readonly matchConditions?: readonly object[];
  readonly clientConfig?: object;
}

export interface Hooked {
  post(name: string, more?: object): Promise<unknown>;
  /** The reviews that were sent. */
  readonly told: readonly Json[];
}

export const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;
const collection = (kind: string) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;

export const verdict = (review: Json, allowed = true): Json => ({ uid: review.request.uid, allowed });
export const allow = (review: Json) => verdict(review);
export const deny = (review: Json) => ({ ...verdict(review, false), status: { message: 'no' } });
const base64 = (patch: unknown) => Buffer.from(JSON.stringify(patch)).toString('base64');
export const add = (path: string, value: unknown) => (review: Json) => ({
  ...verdict(review),
  patch: base64([{ op: 'add', path, value }]),
  patchType: 'JSONPatch',
});

/** A port without a listener. */
const dead = { url: 'https://127.0.0.1:1/review', caPem: '' };

/** Runs a case with a webhook in force that answers so about ConfigMaps of the case's Namespace. */
export async function hooked(
  api: CaseApi,
  options: HookOptions,
  /** The response, or `never`. */
  respond: (review: Json) => Json,
  run: (hooked: Hooked) => Promise<void>,
): Promise<void> {
  const told: Json[] = [];
  const place = await webhookForCase(api, (review) => {
    told.push(review);
    const response = respond(review);
    if (response === 'never') return response;
    return admitted(response);
  });
  await configured(api, options, place, ({ post }) => run({ post, told }));
}

/**
 * A webhook that admits writes of the cluster itself: only the requests of the case reach
 * `respond`.
 */
function webhookForCase(api: CaseApi, respond: WebhookRespond): Promise<WebhookPlace> {
  return api.webhook((review) => (isOfCluster(review) ? admitted(verdict(review)) : respond(review)));
}

function admitted(response: Json): { readonly status: number; readonly body: Json } {
  return { status: 200, body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } };
}

/**
 * The ConfigMap that kube-controller-manager puts into each new Namespace; on a busy host it comes
 * while a case is under way.
 */
function isOfCluster(review: Json): boolean {
  return review.request?.name === 'kube-root-ca.crt';
}

/** The real server notices a new, changed or deleted webhook configuration with a delay. */
async function configured(
  api: CaseApi,
  { kind, name = 'a', operations = ['CREATE'], resources = ['configmaps'], scope = '*', ...more }: HookOptions,
  { url, caPem }: { readonly url: string; readonly caPem: string },
  run: (hooked: Omit<Hooked, 'told'>) => Promise<void>,
): Promise<void> {
  const configuration = `${api.namespace}-${name}`;
  const inNamespace = { matchLabels: { 'kubernetes.io/metadata.name': api.namespace } };
  const { apiGroups = [''], apiVersions = ['v1'], ...options } = more;
  const rule = { apiGroups, apiVersions };
  await api.quietly.post(collection(kind), {
    metadata: { name: configuration },
    webhooks: [
      {
        name: `${name}.hooks.example.com`,
        clientConfig: { url, ...(caPem !== '' && { caBundle: Buffer.from(caPem).toString('base64') }) },
        rules: [{ ...rule, operations, resources, scope }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 5,
        namespaceSelector: inNamespace,
        ...options,
      },
    ],
  });
  await api.pass(settleMs);
  await run({ post: (object, more = {}) => api.post(maps(api), { metadata: { name: object }, ...more }) });
  await api.quietly.delete(`${collection(kind)}/${configuration}`);
  await api.pass(settleMs);
}

/** The longest delay until the real server sees a new or deleted configuration. */
const settleMs = 1000;

function withoutManaged(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutManaged);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'managedFields')
      .map(([key, item]) => [key, withoutManaged(item)]),
  );
}
