import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { add, allow, deny, hooked, maps, verdict } from './admission.ts';

/**
 * Calls of admission webhooks: timeouts, reinvocation, order, and objects that they must not
 * change.
 */
export const admissionCalls = contractArea('admission-calls', [
  {
    title: 'a webhook that says nothing is given up after its time, and the request refused',
    run: (api) =>
      hooked(api, { kind: 'validating', timeoutSeconds: 1 }, silent, async ({ post, told }) => {
        await post('a');
        api.note('asked', told.length);
        await api.get(`${maps(api)}/a`);
      }),
  },
  {
    title: 'a webhook that says nothing is passed over where failures are',
    run: (api) =>
      hooked(api, { kind: 'mutating', timeoutSeconds: 1, failurePolicy: 'Ignore' }, silent, async ({ post }) => {
        await post('a');
      }),
  },
  {
    title: 'a mutating webhook that says nothing refuses the request where failures are not passed over',
    run: (api) =>
      hooked(api, { kind: 'mutating', timeoutSeconds: 2 }, silent, async ({ post }) => {
        await post('a');
        await api.post(maps(api), { metadata: { name: 'b' } }, { query: { dryRun: 'All' } });
      }),
  },
  {
    title: 'the time of a webhook is 1 to 30 seconds, 10 where nothing is said',
    async run(api) {
      for (const timeoutSeconds of [0, 1, 30, 31, undefined, null]) await configuration(api, { timeoutSeconds });
    },
  },
  {
    title: 'a webhook whose own change is the last one is not asked again',
    async run(api) {
      const seen: string[] = [];
      const note = (who: string, respond: (review: Json) => Json) => (review: Json) => {
        seen.push(`${who} sees ${Object.keys(review.request.object.data ?? {}).join()}`);
        return respond(review);
      };
      const first = note('first', allow);
      const second = note('second', (review) => add('/data', { ...review.request.object.data, second: '2' })(review));
      await hooked(api, { kind: 'mutating', name: 'a', reinvocationPolicy: 'Never' }, first, () =>
        hooked(api, { kind: 'mutating', name: 'b', reinvocationPolicy: 'IfNeeded' }, second, async ({ post }) => {
          await post('m', { data: { k: 'v' } });
          api.note('asked', seen.splice(0));
        }),
      );
    },
  },
  {
    title: 'a webhook is asked again once, even where its second answer changes something again',
    async run(api) {
      let count = 0;
      const counter = (review: Json) =>
        add('/data', { ...review.request.object.data, [`at${count}`]: String(count++) })(review);
      await hooked(api, { kind: 'mutating', name: 'a', reinvocationPolicy: 'IfNeeded' }, counter, () =>
        hooked(api, { kind: 'mutating', name: 'b', reinvocationPolicy: 'IfNeeded' }, counter, async ({ post }) => {
          await post('m', { data: { k: 'v' } });
          api.note('answers', count);
        }),
      );
    },
  },
  {
    title: 'what the server fills in after mutation is seen by a validating webhook',
    async run(api) {
      const seen: Json[] = [];
      const look = (review: Json) => {
        seen.push(review.request.object.data ?? null);
        return verdict(review);
      };
      await hooked(api, { kind: 'mutating', name: 'm' }, add('/data', { added: 'yes' }), () =>
        hooked(api, { kind: 'validating', name: 'v' }, look, async ({ post }) => {
          await post('a');
          api.note('seen', seen);
        }),
      );
    },
  },
  {
    title: 'all validating webhooks are asked, and the first denial in their order is told',
    async run(api) {
      const saying = (message: string) => (review: Json) => ({ ...verdict(review, false), status: { message } });
      await hooked(api, { kind: 'validating', name: 'a' }, allow, () =>
        hooked(api, { kind: 'validating', name: 'b' }, saying('no says b'), async ({ post }) => {
          await post('a');
        }),
      );
    },
  },
  {
    title: 'a webhook with side effects refuses a dry run, one without is told that it is one',
    async run(api) {
      for (const sideEffects of ['None', 'NoneOnDryRun']) {
        await hooked(api, { kind: 'validating', sideEffects }, allow, async ({ told }) => {
          await api.post(maps(api), { metadata: { name: 'a' } }, { query: { dryRun: 'All' } });
          await api.quietly.post(maps(api), { metadata: { name: 'b' } });
          await api.delete(`${maps(api)}/b`);
          // Controllers make a ConfigMap of their own.
          const own = told.filter(({ request }) => ['a', 'b'].includes(request.name));
          api.note(
            sideEffects,
            own.map(({ request }) => [request.operation, request.dryRun, request.options]),
          );
        });
      }
      for (const sideEffects of ['Some', 'Unknown', undefined]) await configuration(api, { sideEffects });
    },
  },
  {
    title: 'a denial of a dry run, of a patch and of an apply is told as any',
    run: (api) =>
      hooked(api, { kind: 'validating', operations: ['CREATE', 'UPDATE'] }, deny, async () => {
        const at = `${maps(api)}/a`;
        await api.post(maps(api), { metadata: { name: 'a' } }, { query: { dryRun: 'All' } });
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
        await api.patch(at, 'apply', body, { query: { fieldManager: 'me' } });
        await api.patch(at, 'merge', { data: { k: 'v' } });
      }),
  },
  {
    title: 'a denial can have a code and a reason of its own',
    async run(api) {
      const statuses = [
        { code: 400 },
        { code: 403, reason: 'Forbidden', message: 'because' },
        { code: 418, reason: 'Teapot', message: '', details: { causes: [{ message: 'c', field: 'f' }] } },
        { code: 200, message: 'fine' },
        undefined,
      ];
      for (const status of statuses) {
        await hooked(
          api,
          { kind: 'validating' },
          (review) => ({ ...verdict(review, false), ...(status && { status }) }),
          async ({ post }) => {
            await post('a');
          },
        );
      }
    },
  },
  {
    title: 'a collection that is deleted asks for each of its objects',
    run: (api) =>
      hooked(api, { kind: 'validating', operations: ['DELETE'] }, deny, async ({ post, told }) => {
        await post('a');
        await post('b');
        await api.delete(maps(api), { query: { labelSelector: 'none=such' } });
        await api.delete(maps(api), { query: { fieldSelector: 'metadata.name=a' } });
        api.note(
          'asked about',
          told.map(({ request }) => [request.name, request.oldObject?.metadata.name]),
        );
      }),
  },
]);

const silent = () => 'never' as const;

/** Posts a configuration with one webhook, without writing it. */
function configuration(api: CaseApi, more: object): Promise<unknown> {
  const webhook = {
    name: 'a.b.c',
    clientConfig: { url: 'https://x/y' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
  const body = { metadata: { name: `${api.namespace}-c` }, webhooks: [webhook] };
  return api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', body, {
    query: { dryRun: 'All' },
  });
}
