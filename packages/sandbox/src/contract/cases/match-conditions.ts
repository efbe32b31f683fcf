import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { hooked } from './admission.ts';

/** Conditions of admission webhooks in CEL (`matchConditions`). */
export const matchConditions = contractArea('match-conditions', [
  ...decided('a condition that holds lets the webhook be asked', [["request.operation == 'CREATE'"]]),
  ...decided('a condition that does not hold keeps the webhook from being asked', [
    ["request.operation == 'DELETE'"],
    ["object.metadata.name != 'a'"],
    ["request.resource.resource == 'secrets' || request.dryRun"],
    ["'system:nodes' in request.userInfo.groups"],
    ['oldObject != null'],
  ]),
  ...decided('all conditions have to hold', [
    ['true', "object.metadata.name == 'a'"],
    ['true', 'false'],
  ]),
  ...decided('a condition sees the whole object', [
    ["object.data.k == 'v' && object.data.size() == 1"],
    ["has(object.data) && !has(object.data.none) && object.data[?'none'].orValue('x') == 'x'"],
    ["object.kind == 'ConfigMap' && request.kind.kind == 'ConfigMap' && request.kind.version == 'v1'"],
    ["request.namespace.startsWith(object.metadata.namespace) && request.name == 'a'"],
  ]),
  ...decided('a condition that fails to evaluate refuses the request', [
    ["object.data.none == 'x'"],
    ['object.data.k > 5'],
    ["object.none.x == 'y'", "object.data.other == 'z'"],
  ]),
  ...decided('a condition that does not hold outdoes one that fails', [["object.data.none == 'x'", 'false']]),
  ...decided(
    'a failing condition of a webhook that may fail keeps it from being asked',
    [["object.data.none == 'x'"]],
    'Ignore',
  ),
  {
    title: 'an expression that does not compile is refused',
    async run(api) {
      for (const expression of [
        '',
        'object.',
        'other == 1',
        '1',
        'request.none',
        'request.operation == 1',
        'request.operation.odd()',
        'object.x',
        'object.metadata.name',
        'true ? object.x : false',
        'request.userInfo.groups',
        '[object.x]',
        '{"a": [1]}',
        'optional.of(1)',
        'object.?x.orValue(true)',
      ]) {
        await api.post(
          '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
          {
            metadata: { name: `${api.namespace}-c` },
            webhooks: [
              {
                name: 'a.hooks.example.com',
                clientConfig: { url: 'https://127.0.0.1:1/' },
                sideEffects: 'None',
                admissionReviewVersions: ['v1'],
                rules: [],
                matchConditions: [{ name: 'c', expression }],
              },
            ],
          },
          { query: { dryRun: 'All' } },
        );
      }
    },
  },
]);

/**
 * A case of a webhook that denies the creation of ConfigMap `a` if it is called: once for each list
 * of conditions.
 */
function decided(title: string, lists: readonly (readonly string[])[], failurePolicy = 'Fail') {
  return [
    {
      title,
      async run(api: CaseApi) {
        for (const [index, expressions] of lists.entries()) {
          const conditions = expressions.map((expression, at) => ({ name: `c${at}`, expression }));
          const deny = ({ request }: Json) => ({ uid: request.uid, allowed: false, status: { message: 'asked' } });
          const options = {
            kind: 'validating' as const,
            name: `h${index}`,
            failurePolicy,
            matchConditions: conditions,
          };
          await hooked(api, options, deny, async ({ post }) => {
            await post('a', { data: { k: 'v' } });
            await api.quietly.delete(`/api/v1/namespaces/${api.namespace}/configmaps/a`).catch(() => {});
          });
        }
      },
    },
  ];
}
