import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { add, deny, hooked, maps } from './admission.ts';

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/validatingadmissionpolicies`;
const bindings = `${root}/validatingadmissionpolicybindings`;

/** ValidatingAdmissionPolicies: what they see, and how they reject. */
export const admissionPolicies = contractArea('admission-policies', [
  {
    title: 'the message of a rejection is the one that is evaluated, the given one, or the expression',
    run: (api) =>
      policed(
        api,
        [
          {},
          { message: ' not today ' },
          { message: 'plain', messageExpression: "'data of ' + object.metadata.name" },
          { message: 'plain', messageExpression: "'a\\nb'" },
          { message: 'plain', messageExpression: "' '" },
          { message: 'plain', messageExpression: 'string(object.none)' },
          { messageExpression: 'string(object.data.k)' },
          { expression: '  false  ' },
        ].map((validation) => ({ validations: [{ expression: 'has(object.none)', ...validation }] })),
        (post) => post('a', { k: 'v' }),
      ),
  },
  {
    title: 'the reason of a validation gives the code',
    run: (api) =>
      policed(
        api,
        ['Forbidden', 'Invalid', 'RequestEntityTooLarge'].map((reason) => ({
          validations: [{ expression: 'false', reason }],
        })),
        (post) => post('a'),
      ),
  },
  {
    title: 'of several validations the first that does not hold is reported, and all have to hold',
    run: (api) =>
      policed(
        api,
        [
          {
            validations: ['true', "object.metadata.name != 'a'", 'has(object.data)'].map((expression, at) => ({
              expression,
              message: `number ${at}`,
            })),
          },
        ],
        async (post) => {
          await post('a');
          await post('b');
          await post('c', { k: 'v' });
        },
      ),
  },
  {
    title: 'an expression that fails rejects the request, or is passed over',
    run: (api) =>
      policed(
        api,
        ['Fail', 'Ignore'].map((failurePolicy) => ({
          failurePolicy,
          validations: [
            { expression: "object.data.none == 'x'", message: 'm', reason: 'Forbidden' },
            { expression: "object.metadata.name != 'b'", message: 'named b' },
          ],
        })),
        async (post) => {
          await post('a');
          await post('b');
        },
      ),
  },
  {
    title: 'an expression costs no more than it may, and a question to the authorizer costs much',
    run: (api) =>
      policed(
        api,
        [
          "[1, 2].all(i, authorizer.path('/x').check('get').allowed())",
          "[1, 2, 3].all(i, authorizer.path('/x').check('get').allowed())",
        ].map((expression) => ({ validations: [{ expression }] })),
        (post) => post('a'),
      ),
  },
  {
    title: 'a binding warns, audits or denies',
    run: (api) =>
      policed(
        api,
        [['Warn'], ['Audit'], ['Deny', 'Audit'], ['Warn', 'Audit']].map((validationActions) => ({
          validations: [
            { expression: 'has(object.data)', message: 'no data' },
            { expression: 'object.data.none == 1' },
          ],
          binding: { validationActions },
        })),
        (post) => post('a'),
      ),
  },
  {
    title: 'an audit annotation that fails rejects the request, or is passed over',
    run: (api) =>
      policed(
        api,
        [
          { failurePolicy: 'Fail', valueExpression: "'x' + object.metadata.name" },
          { failurePolicy: 'Fail', valueExpression: 'string(object.none)' },
          { failurePolicy: 'Ignore', valueExpression: 'string(object.none)' },
        ].map(({ failurePolicy, valueExpression }) => ({
          failurePolicy,
          validations: [],
          auditAnnotations: [{ key: 'k', valueExpression }],
          binding: { validationActions: ['Audit'] },
        })),
        (post) => post('a'),
      ),
  },
  {
    title: 'conditions decide whether a policy is evaluated',
    run: (api) =>
      policed(
        api,
        ['Fail', 'Ignore'].flatMap((failurePolicy) =>
          [
            ['true', "request.operation == 'DELETE'"],
            ["object.none == 'x'"],
            ["object.none == 'x'", "object.other == 'y'"],
            ["object.none == 'x'", 'false'],
            ["object.metadata.name == 'a'", "request.userInfo.username != ''"],
            ['namespaceObject == null'],
          ].map((conditions) => ({
            failurePolicy,
            matchConditions: conditions.map((expression, at) => ({ name: `c${at}`, expression })),
            validations: [{ expression: 'false', message: 'evaluated' }],
          })),
        ),
        (post) => post('a'),
      ),
  },
  {
    title: 'variables are evaluated when they are read, and see those before them',
    run: (api) =>
      policed(
        api,
        [
          ['variables.size == 2', "'has %d: %s'.format([variables.size, variables.names[0]])"],
          ["variables.data.?k.orValue('') == 'none'", "'k is ' + variables.data.k"],
          ['variables.size > 0 || variables.broken', "'none'"],
          ['variables.size > 5 || variables.broken == 1', "'none'"],
          ['has(variables.size) && variables.names.exists(name, name == "x")', "variables.names.join(',')"],
        ].map(([expression, messageExpression]) => ({
          variables: [
            { name: 'data', expression: "has(object.data) ? object.data : {'k': 'none'}" },
            { name: 'size', expression: 'variables.data.size()' },
            { name: 'names', expression: 'variables.data.map(key, key)' },
            { name: 'broken', expression: 'object.none.deep' },
          ],
          validations: [{ expression, messageExpression }],
        })),
        async (post) => {
          await post('a', { k: 'v' });
          await post('b');
        },
      ),
  },
  {
    title: 'parameters are found by name and by selector, and their absence has an effect of its own',
    async run(api) {
      const param = (name: string, max: string) =>
        api.quietly.post(maps(api), { metadata: { name, labels: { group: 'x' } }, data: { max } });
      await param('p-one', '1');
      await param('p-two', '2');
      await policed(
        api,
        [
          { name: 'p-one', parameterNotFoundAction: 'Deny' },
          { name: 'p-one', namespace: api.namespace, parameterNotFoundAction: 'Deny' },
          { name: 'p-none', parameterNotFoundAction: 'Deny' },
          { name: 'p-none', parameterNotFoundAction: 'Allow' },
          { name: 'p-one', namespace: 'default', parameterNotFoundAction: 'Deny' },
          { selector: { matchLabels: { group: 'x' } }, parameterNotFoundAction: 'Deny' },
          { selector: { matchLabels: { group: 'y' } }, parameterNotFoundAction: 'Deny' },
          undefined,
        ].map((paramRef) => ({
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          validations: [
            {
              expression: 'object.?data.orValue({}).size() <= int(params.data.max)',
              messageExpression: "'more than ' + params.data.max",
            },
          ],
          binding: { paramRef },
        })),
        async (post) => {
          await post('a', { k: 'v' });
          await post('b', { k: 'v', l: 'w' });
        },
      );
    },
  },
  {
    title: 'parameters that cannot be read reject the request, or are passed over',
    run: (api) =>
      policed(
        api,
        ['Fail', 'Ignore'].flatMap((failurePolicy) =>
          [
            { paramKind: { apiVersion: 'none.example.com/v1', kind: 'None' } },
            { paramKind: { apiVersion: 'v1', kind: 'None' } },
            { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, namespace: 'default' },
          ].map(({ paramKind, ...more }) => ({
            failurePolicy,
            paramKind,
            validations: [{ expression: 'params == null', message: 'with params' }],
            binding: { paramRef: { name: 'a', parameterNotFoundAction: 'Allow', ...more } },
          })),
        ),
        (post) => post('a'),
      ),
  },
  {
    title: 'rules, exclusions, names and selectors choose the requests, and a binding narrows them down',
    run: (api) => {
      const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
      return policed(
        api,
        [
          [{ resourceRules: [{ ...rule, resources: ['secrets'] }] }],
          [{ resourceRules: [{ ...rule, operations: ['UPDATE'] }] }],
          [{ resourceRules: [{ ...rule, scope: 'Cluster' }] }],
          [{ resourceRules: [{ ...rule, resourceNames: ['b'] }] }],
          [{ resourceRules: [rule], excludeResourceRules: [{ ...rule, resourceNames: ['b'] }] }],
          [{ resourceRules: [rule] }, { resourceRules: [{ ...rule, resourceNames: ['b'] }] }],
          [{ resourceRules: [rule] }, { objectSelector: { matchLabels: { ask: 'b' } } }],
          [{ resourceRules: [rule] }, { excludeResourceRules: [rule] }],
          [{ resourceRules: [rule] }, { namespaceSelector: { matchLabels: { none: 'such' } } }],
        ].map(([matchConstraints, matchResources]) => ({
          matchConstraints,
          validations: [{ expression: 'false', message: 'evaluated' }],
          ...(matchResources !== undefined && { binding: { matchResources } }),
        })),
        async (post) => {
          await post('a');
          await post('b');
        },
      );
    },
  },
  {
    title: 'a policy sees the request: operation, names, options and sender',
    async run(api) {
      const messageExpression = [
        'request.operation',
        'request.kind.kind',
        'request.resource.resource',
        "(has(request.name) ? request.name : '-')",
        'string(request.dryRun)',
        "(has(request.subResource) ? request.subResource : '-')",
        "request.options.?fieldManager.orValue('-')",
        "(object == null ? 'no object' : string(object.metadata.name))",
        "(oldObject == null ? 'no old object' : string(oldObject.metadata.name))",
        'request.userInfo.username',
        "request.userInfo.groups.join('+')",
        "request.userInfo.?extra[?'example.com/node'][?0].orValue('-')",
      ].join(" + ' ' + ");
      await api.quietly.post(maps(api), { metadata: { name: 'a', labels: { is: 'a' } } });
      const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
      await api.quietly.post(accounts, { metadata: { name: 's' } });
      const as = {
        headers: {
          'impersonate-user': 'jane',
          'impersonate-group': 'system:masters',
          'impersonate-extra-example.com%2fnode': 'n1',
        },
      };
      await policed(
        api,
        [
          {
            matchConstraints: rulesFor(['configmaps', 'serviceaccounts/token'], ['*']),
            validations: [{ expression: 'false', messageExpression }],
          },
        ],
        async () => {
          await api.post(maps(api), { metadata: { name: 'b' } }, { ...dry, ...as });
          await api.put(`${maps(api)}/a`, { metadata: { name: 'a' }, data: { k: 'v' } }, as);
          await api.patch(`${maps(api)}/a`, 'merge', { data: { k: 'v' } }, as);
          const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
          await api.patch(`${maps(api)}/c`, 'apply', applied, { query: { fieldManager: 'me' }, ...as });
          await api.delete(`${maps(api)}/a`, as);
          await api.delete(maps(api), { query: { labelSelector: 'is=a' }, ...as });
          await api.post(`${accounts}/s/token`, { spec: { audiences: ['x'] } }, as);
        },
      );
    },
  },
  {
    title: 'a policy sees the Namespace of the request',
    async run(api) {
      const labels = { tier: 'gold' };
      await api.quietly.patch(`/api/v1/namespaces/${api.namespace}`, 'merge', { metadata: { labels } });
      await policed(
        api,
        [
          "namespaceObject.metadata.labels['tier'] != 'gold'",
          'namespaceObject.metadata.name != request.namespace',
          'has(namespaceObject.metadata.deletionTimestamp)',
          "namespaceObject.status.phase != 'Active' || namespaceObject.spec.finalizers.size() == 0",
          "namespaceObject.metadata.creationTimestamp < timestamp('2000-01-01T00:00:00Z')",
          "namespaceObject.metadata.annotations['none'] == ''",
        ].map((expression) => ({ validations: [{ expression }] })),
        (post) => post('a'),
      );
    },
  },
  {
    title: 'a policy asks the authorizer about the sender and about ServiceAccounts',
    async run(api) {
      const within = `/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}`;
      await api.quietly.post(`${within}/roles`, {
        metadata: { name: 'r' },
        rules: [{ apiGroups: [''], resources: ['configmaps', 'pods/log'], verbs: ['create', 'get'] }],
      });
      await api.quietly.post(`${within}/rolebindings`, {
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' },
          { kind: 'ServiceAccount', name: 'robot', namespace: api.namespace },
        ],
      });
      const pods = `group('').resource('pods').namespace('${api.namespace}')`;
      const robot = `serviceAccount('${api.namespace}', 'robot')`;
      await policed(
        api,
        [
          "requestResource.check('create')",
          "requestResource.check('delete')",
          `${pods}.check('get')`,
          `${pods}.subresource('log').check('get')`,
          `${pods}.subresource('log').name('x').check('get')`,
          "group('').resource('configmaps').check('get')",
          `group('').resource('configmaps').namespace('${api.namespace}').name('x').check('get')`,
          `${robot}.group('').resource('configmaps').namespace('${api.namespace}').check('get')`,
          `${robot}.${pods}.check('get')`,
          `${robot}.path('/healthz').check('get')`,
          "path('/metrics').check('get')",
        ].map((check) => ({
          variables: [{ name: 'told', expression: `authorizer.${check}` }],
          validations: [
            { expression: '!variables.told.errored() && variables.told.error() == ""', message: 'failed' },
            { expression: '!variables.told.allowed() || variables.told.reason() == ""', message: 'for a reason' },
            { expression: '!variables.told.allowed()', message: 'allowed' },
            // A message is evaluated without the authorizer.
            { expression: 'false', messageExpression: 'string(variables.told.allowed())', message: 'not allowed' },
          ],
        })),
        async (post) => {
          await post('a');
          await post('b', undefined, { 'impersonate-user': 'jane' });
        },
      );
    },
  },
  {
    title: 'a policy sees an object in the version that its rules name',
    run: (api) =>
      policed(
        api,
        ['Equivalent', 'Exact'].map((matchPolicy) => ({
          matchConstraints: {
            matchPolicy,
            resourceRules: [
              {
                apiGroups: ['autoscaling'],
                apiVersions: ['v1'],
                operations: ['CREATE'],
                resources: ['horizontalpodautoscalers'],
              },
            ],
          },
          validations: [
            {
              expression: 'false',
              messageExpression:
                "string(object.apiVersion) + ' ' + request.kind.version + ' ' + request.requestKind.version + ' ' + request.resource.version",
            },
          ],
        })),
        (_, labels) =>
          api.post(
            `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`,
            {
              metadata: { name: 'a', labels },
              spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 },
            },
            dry,
          ),
      ),
  },
  {
    title: 'a policy is evaluated after mutating webhooks and before validating ones',
    run: (api) =>
      policed(
        api,
        [{ validations: [{ expression: "object.?data[?'by'].orValue('') != 'webhook'", message: 'changed' }] }],
        () =>
          hooked(api, { kind: 'mutating', name: 'm' }, add('/data', { by: 'webhook' }), () =>
            hooked(api, { kind: 'validating', name: 'v' }, deny, async ({ post, told }) => {
              await post('a');
              api.note('asked', told.length);
            }),
          ),
      ),
  },
  {
    title: 'policies and bindings themselves are never asked about',
    async run(api) {
      const all = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] };
      const name = `${api.namespace}-other`;
      const labels = { case: api.namespace };
      const spec = { matchConstraints: { resourceRules: [all] }, validations: [{ expression: 'true' }] };
      const mutations = [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data"}]' } },
      ];
      const kinds: Readonly<Record<string, object>> = {
        [policies]: { spec },
        [bindings]: { spec: { policyName: name, validationActions: ['Deny'] } },
        [`${root}/mutatingadmissionpolicies`]: {
          spec: { matchConstraints: { resourceRules: [all] }, reinvocationPolicy: 'Never', mutations },
        },
        [`${root}/mutatingadmissionpolicybindings`]: { spec: { policyName: name } },
        [`${root}/validatingwebhookconfigurations`]: {},
        '/apis/rbac.authorization.k8s.io/v1/clusterroles': {},
        '/api/v1/namespaces': {},
        '/apis/authentication.k8s.io/v1/tokenreviews': { spec: { token: 'x' } },
      };
      await policed(
        api,
        [
          {
            matchConstraints: { resourceRules: [all], objectSelector: { matchLabels: labels }, namespaceSelector: {} },
            validations: [{ expression: 'false', message: 'evaluated' }],
          },
        ],
        async () => {
          for (const [path, body] of Object.entries(kinds)) {
            const { status, body: answer } = await api.unnoted.post(path, { metadata: { name, labels }, ...body }, dry);
            api.note(path, [status, answer.message ?? '']);
          }
        },
      );
    },
  },
  {
    title: 'a binding without its policy does nothing',
    run: (api) =>
      policed(api, [{ validations: [{ expression: 'false' }], binding: { policyName: 'none' } }], (post) => post('a')),
  },
  {
    title: 'a policy is checked when it is written',
    async run(api) {
      const [rule] = rulesFor(['configmaps'], ['CREATE']).resourceRules;
      for (const spec of [
        {},
        { matchConstraints: {}, validations: [] },
        { validations: [{ expression: '' }, { expression: ' ' }] },
        { validations: [{ expression: 'object.' }, { expression: 'params.x' }, { expression: '1' }] },
        { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'params.x == 1' }] },
        { paramKind: { apiVersion: 'a/b/c', kind: '' }, validations: [{ expression: 'true' }] },
        {
          validations: [
            { expression: 'true', messageExpression: '1' },
            { expression: 'true', messageExpression: ' ' },
            { expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' },
          ],
        },
        {
          validations: [
            { expression: 'true', message: ' ' },
            { expression: 'true', message: 'a\nb' },
          ],
        },
        { validations: [{ expression: 'true', reason: 'Unauthorized' }] },
        {
          variables: [
            { name: 'a', expression: 'variables.b' },
            { name: 'b', expression: '1' },
            { name: 'b', expression: 'variables.a' },
            { name: '1', expression: '' },
          ],
          validations: [{ expression: 'variables.none' }, { expression: 'variables.b == "x"' }],
        },
        {
          matchConditions: [
            { name: 'a b', expression: 'variables.a' },
            { name: 'c', expression: 'params.x' },
          ],
          validations: [{ expression: 'true' }],
        },
        {
          matchConstraints: { resourceRules: [{ ...rule, operations: ['READ'] }] },
          validations: [{ expression: 'true' }],
        },
        { failurePolicy: 'Try', validations: [{ expression: 'true' }] },
      ])
        await api.post(
          policies,
          { metadata: { name: `${api.namespace}-c` }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } },
          dry,
        );
    },
  },
  {
    title: 'a binding is checked when it is written',
    async run(api) {
      const policyName = 'none.example.com';
      const paramRef = { name: 'a', parameterNotFoundAction: 'Allow' };
      for (const spec of [
        {},
        { policyName, validationActions: [] },
        { policyName, validationActions: ['Deny', 'Warn'] },
        { policyName, validationActions: ['Deny', 'Deny', 'Try'] },
        { policyName: 'a b', validationActions: ['Deny'] },
        { policyName, validationActions: ['Deny'], paramRef },
        { policyName, validationActions: ['Deny'], paramRef: { ...paramRef, selector: {} } },
        { policyName, validationActions: ['Deny'], paramRef: {} },
        { policyName, validationActions: ['Deny'], paramRef: { ...paramRef, parameterNotFoundAction: 'Try' } },
        { policyName, validationActions: ['Deny'], matchResources: { resourceRules: [{}] } },
      ])
        await api.post(bindings, { metadata: { name: `${api.namespace}-c` }, spec }, dry);
    },
  },
]);

const dry = { query: { dryRun: 'All' } };

function rulesFor(resources: readonly string[], operations: readonly string[]) {
  return { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations, resources }] };
}

interface Policed {
  readonly matchConstraints?: object | undefined;
  readonly binding?: object;
  readonly [field: string]: unknown;
}

/**
 * Sends the same requests to policies in force: by default about new ConfigMaps, always of the
 * Namespace of the case, and denied by a binding. Of several policies, each is about the objects
 * with its labels; `post` creates a ConfigMap with them.
 */
async function policed(
  api: CaseApi,
  specs: readonly Policed[],
  run: (
    post: (name: string, data?: object, headers?: Readonly<Record<string, string>>) => Promise<unknown>,
    labels: object,
  ) => Promise<unknown>,
): Promise<void> {
  const inNamespace = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': api.namespace } } };
  const made: string[] = [];
  const put = async (suffix: string, spec: object, bound: object) => {
    const name = `${api.namespace}-${suffix}`;
    await api.quietly.post(policies, { metadata: { name }, spec });
    const binding = { policyName: name, validationActions: ['Deny'], ...bound };
    await api.quietly.post(bindings, { metadata: { name }, spec: binding });
    made.push(`${bindings}/${name}`, `${policies}/${name}`);
  };
  const labelsOf = (at: number) => (specs.length === 1 ? {} : { policy: `p${at}` });
  for (const [at, { binding = {}, matchConstraints, ...spec }] of specs.entries()) {
    const own = { ...inNamespace, objectSelector: { matchLabels: labelsOf(at) } };
    const matching = { ...own, ...(matchConstraints ?? rulesFor(['configmaps'], ['CREATE'])) };
    await put(`p${at}`, { ...spec, matchConstraints: matching }, binding);
  }
  // The server reads both kinds in order: when it evaluates a later policy, it evaluates these.
  await put(
    'probe',
    {
      matchConstraints: { ...inNamespace, ...rulesFor(['secrets'], ['CREATE']) },
      validations: [{ expression: 'false' }],
    },
    {},
  );
  const secrets = `/api/v1/namespaces/${api.namespace}/secrets`;
  await api.settled(async () => (await api.unnoted.post(secrets, { metadata: { name: 'probe' } }, dry)).status === 422);
  for (const at of specs.keys()) {
    const labels = labelsOf(at);
    await run(
      (name, data, headers = {}) =>
        api.post(
          maps(api),
          { metadata: { name, labels: { ...labels, ask: name } }, ...(data !== undefined && { data }) },
          { ...dry, headers },
        ),
      labels,
    );
  }
  for (const path of made) await api.quietly.delete(path);
}
