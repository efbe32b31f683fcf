import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { add, allow, hooked } from './admission.ts';
import {
  anything,
  definitions,
  nextSecond,
  redefine,
  schemaOf,
  widget,
  widgets,
  widgetsPath,
  withDefinition,
} from './crd-fixtures.ts';

/** Kinds of several versions: the stored version, and conversion between versions. */
export const crdVersions = contractArea('crd-versions', [
  {
    title: 'without conversion the versions differ by their name alone',
    async run(api) {
      await withDefinition(api, twoVersions(api), async () => {
        await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        await api.get(`${widgetsPath(api, 'v2')}/a`);
        await api.post(widgetsPath(api, 'v2'), widget(api, 'b', { spec: { n: 2 } }, 'v2'));
        await api.get(widgetsPath(api, 'v1'));
        await api.patch(`${widgetsPath(api, 'v2')}/a`, 'merge', { spec: { n: 3 } });
        await api.post(widgetsPath(api, 'v2'), widget(api, 'a', {}, 'v2'));
      });
    },
  },
  {
    title: 'a watch tells objects in the version that it asked for',
    async run(api) {
      await withDefinition(api, twoVersions(api), async () => {
        const { body } = await api.quietly.get(widgetsPath(api, 'v2'));
        const { resourceVersion } = body.metadata;
        const watch = await api.watch(widgetsPath(api, 'v2'), { query: { resourceVersion } });
        await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        await api.quietly.delete(`${widgetsPath(api, 'v1')}/a`);
        await watch.until(2);
        await watch.close();
      });
    },
  },
  {
    title: 'each version prunes and defaults by its own schema',
    async run(api) {
      const one = schemaOf({ a: { type: 'string' }, only: { type: 'string' } });
      const two = schemaOf({ a: { type: 'string' }, b: { type: 'string', default: 'two' } });
      await withDefinition(api, twoVersions(api, { schema: one }, { schema: two }), async () => {
        await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { a: 'x', only: 'y' } }, 'v1'));
        await api.get(`${widgetsPath(api, 'v2')}/a`);
        await api.get(widgetsPath(api, 'v2'));
        await api.patch(`${widgetsPath(api, 'v2')}/a`, 'merge', { spec: { a: 'z' } });
        await api.get(`${widgetsPath(api, 'v1')}/a`);
      });
    },
  },
  {
    title: 'a new storage version is remembered, and the old one may not go while objects are in it',
    async run(api) {
      const definition = twoVersions(api);
      const path = `${definitions}/${definition.metadata.name}`;
      const [one, two] = definition.spec.versions;
      await withDefinition(api, definition, async () => {
        await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        await nextSecond(api);
        await api.patch(path, 'merge', {
          spec: {
            versions: [
              { ...one, storage: false },
              { ...two, storage: true },
            ],
          },
        });
        await api.patch(path, 'merge', { spec: { versions: [{ ...two, storage: true }] } });
        await api.patch(`${path}/status`, 'merge', { status: { storedVersions: ['v2'] } });
        // Without the dry run, an object would become unreadable and its definition impossible to
        // delete.
        const query = { dryRun: 'All' };
        await api.patch(path, 'merge', { spec: { versions: [{ ...two, storage: true }] } }, { query });
      });
    },
  },
  {
    title: 'an object is rewritten into the new storage version by the next write, even one that changes nothing',
    async run(api) {
      const definition = twoVersions(api);
      const [one, two] = definition.spec.versions;
      await withDefinition(api, definition, async () => {
        await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        await redefine(api, definition, {
          versions: [
            { ...one, storage: false },
            { ...two, storage: true },
          ],
        });
        await api.get(`${widgetsPath(api, 'v1')}/a`);
        await api.patch(`${widgetsPath(api, 'v1')}/a`, 'merge', {});
        await api.patch(`${widgetsPath(api, 'v1')}/a`, 'merge', {});
      });
    },
  },
  {
    title: 'versions may have columns, subresources and warnings of their own',
    async run(api) {
      const additionalPrinterColumns = [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }];
      const second = { subresources: { status: {} }, additionalPrinterColumns };
      await withDefinition(api, twoVersions(api, { deprecated: true }, second), async () => {
        const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
        await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 }, status: { s: 1 } }, 'v1'));
        await api.get(`${widgetsPath(api, 'v1')}/a/status`);
        await api.get(`${widgetsPath(api, 'v2')}/a/status`);
        await api.get(widgetsPath(api, 'v2'), table);
        await api.patch(`${widgetsPath(api, 'v2')}/a`, 'merge', { status: { s: 2 } });
      });
    },
  },
  {
    title: 'two versions of one name are refused',
    async run(api) {
      const definition = twoVersions(api, {}, { name: 'v1' });
      const { body } = await api.post(definitions, definition, { query: { dryRun: 'All' } });
      await api.get(`${definitions}/${body.details?.name ?? ''}`);
    },
  },
  ...converted('a webhook converts what is stored', 'honest', async (api) => {
    await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
    await api.get(`${widgetsPath(api, 'v2')}/a`);
    await api.get(widgetsPath(api, 'v2'));
    await api.post(widgetsPath(api, 'v2'), widget(api, 'b', { spec: { count: 2 } }, 'v2'));
    await api.get(`${widgetsPath(api, 'v1')}/b`);
    await api.patch(`${widgetsPath(api, 'v2')}/a`, 'merge', { spec: { count: 5 } });
    await api.get(`${widgetsPath(api, 'v1')}/a`);
    await api.delete(`${widgetsPath(api, 'v2')}/b`);
  }),
  ...converted('a watch tells what a webhook converted, in order', 'honest', async (api) => {
    const { body } = await api.quietly.get(widgetsPath(api, 'v2'));
    const watch = await api.watch(widgetsPath(api, 'v2'), {
      query: { resourceVersion: body.metadata.resourceVersion },
    });
    await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
    await api.quietly.patch(`${widgetsPath(api, 'v1')}/a`, 'merge', { spec: { n: 2 } });
    await watch.until(2);
    await watch.close();
  }),
  ...(
    [
      ['refuses', 'refuse'],
      ['returns too few objects', 'too-few'],
      ['returns another version', 'wrong-version'],
      ['returns another kind', 'wrong-kind'],
      ['renames the object', 'rename'],
      ['answers for another request', 'wrong-uid'],
      ['answers with another status code', 'broken'],
      ['answers nothing that can be read', 'garbage'],
      ['returns no metadata', 'no-metadata'],
      ['says neither success nor why', 'silent'],
    ] as const
  ).flatMap(([what, behaviour]) =>
    converted(`a webhook that ${what} fails the request`, behaviour, async (api) => {
      await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
      await api.get(`${widgetsPath(api, 'v2')}/a`);
      await api.post(widgetsPath(api, 'v2'), widget(api, 'b', { spec: { count: 2 } }, 'v2'));
    }),
  ),
  ...converted('a webhook may change labels and annotations, and no other metadata', 'relabel', async (api) => {
    await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
    await api.get(`${widgetsPath(api, 'v2')}/a`);
  }),
  ...converted('an admission webhook for another version sees objects converted, and patches that', 'honest', (api) =>
    asked(api, 'mutating', async () => {
      await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
      await api.patch(`${widgetsPath(api, 'v1')}/a`, 'merge', { spec: { n: 2 } });
      await api.get(`${widgetsPath(api, 'v2')}/a`);
      await api.delete(`${widgetsPath(api, 'v1')}/a`);
    }),
  ),
  ...converted('a validating webhook for another version sees objects converted', 'honest', (api) =>
    asked(api, 'validating', async () => {
      await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
      await api.patch(`${widgetsPath(api, 'v1')}/a`, 'merge', { spec: { n: 2 } });
      await api.delete(`${widgetsPath(api, 'v1')}/a`);
    }),
  ),
  ...converted('where conversion fails, an admission webhook for another version is not asked', 'refuse', (api) =>
    asked(api, 'validating', async () => {
      await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
    }),
  ),
  {
    title: 'an admission webhook for another version sees it by its name where nothing converts',
    run: (api) =>
      withDefinition(api, twoVersions(api), () =>
        asked(api, 'mutating', async () => {
          await api.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        }),
      ),
  },
  {
    title: 'a webhook that nobody answers for fails the request',
    async run(api) {
      const clientConfig = { url: 'https://127.0.0.1:1/convert' };
      const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
      await withDefinition(api, { ...twoVersions(api), spec: { ...twoVersions(api).spec, conversion } }, async () => {
        await api.quietly.post(widgetsPath(api, 'v1'), widget(api, 'a', { spec: { n: 1 } }, 'v1'));
        await api.get(`${widgetsPath(api, 'v1')}/a`);
        await api.get(`${widgetsPath(api, 'v2')}/a`);
      });
    },
  },
]);

/** Widgets stored in v1 and served in v2 too. */
function twoVersions(api: CaseApi, first: Json = {}, second: Json = {}): Json {
  return widgets(api, {
    versions: [
      { name: 'v1', served: true, storage: true, schema: anything, ...first },
      { name: 'v2', served: true, storage: false, schema: anything, ...second },
    ],
  });
}

/**
 * Runs the work with an admission webhook whose rule names v2 alone, and notes its reviews. A
 * mutating one writes `spec.count`.
 */
async function asked(api: CaseApi, kind: 'mutating' | 'validating', work: () => Promise<void>): Promise<void> {
  const options = {
    kind,
    apiGroups: [widgetsPath(api, 'v2').split('/')[2] ?? ''],
    apiVersions: ['v2'],
    resources: ['widgets'],
    operations: ['*'],
  };
  await hooked(api, options, kind === 'mutating' ? orAllow(add('/spec/count', 7)) : allow, async ({ told }) => {
    await work();
    const seen = (object: Json) => object && [object.apiVersion, object.spec];
    api.note(
      'seen',
      told.map(({ request }) => [
        request.operation,
        request.kind.version,
        request.requestKind.version,
        seen(request.object),
        seen(request.oldObject),
      ]),
    );
  });
}

/** A deletion has nothing to patch. */
function orAllow(respond: (review: Json) => Json): (review: Json) => Json {
  return (review) => (review.request.object === null ? allow(review) : respond(review));
}

/** A case whose versions are converted by a webhook with this behaviour. */
function converted(title: string, behaviour: string, work: (api: CaseApi) => Promise<void>) {
  return [
    {
      title,
      async run(api: CaseApi) {
        const { url, caPem } = await api.webhook(
          (review) => conversions[behaviour]?.(review) ?? { status: 404, body: '' },
        );
        const clientConfig = { url, caBundle: Buffer.from(caPem).toString('base64') };
        const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
        const definition = twoVersions(api);
        await withDefinition(api, { ...definition, spec: { ...definition.spec, conversion } }, () => work(api));
      },
    },
  ];
}

/** The answers of a webhook to a ConversionReview. `spec.n` of v1 is `spec.count` of v2. */
const conversions: Readonly<Record<string, (review: Json) => { readonly status: number; readonly body: Json }>> = {
  honest: (review) => answered(review, review.request.objects.map(convert(review))),
  refuse: (review) => ({
    status: 200,
    body: {
      ...reviewed(review),
      response: { uid: review.request.uid, result: { status: 'Failure', message: 'not today' } },
    },
  }),
  silent: (review) => ({
    status: 200,
    body: { ...reviewed(review), response: { uid: review.request.uid, result: {} } },
  }),
  'too-few': (review) => answered(review, []),
  'wrong-version': (review) =>
    answered(
      review,
      review.request.objects.map((one: Json) => ({ ...one, apiVersion: 'other.example.com/v9' })),
    ),
  'wrong-kind': (review) =>
    answered(
      review,
      review.request.objects.map((one: Json) => ({ ...convert(review)(one), kind: 'Gadget' })),
    ),
  rename: (review) =>
    answered(
      review,
      review.request.objects.map((one: Json) => ({
        ...convert(review)(one),
        metadata: { ...one.metadata, name: 'other' },
      })),
    ),
  'no-metadata': (review) =>
    answered(
      review,
      review.request.objects.map((one: Json) => ({ apiVersion: review.request.desiredAPIVersion, kind: one.kind })),
    ),
  relabel: (review) =>
    answered(
      review,
      review.request.objects.map((one: Json) => ({
        ...convert(review)(one),
        metadata: { ...one.metadata, labels: { converted: 'yes' }, generation: 99 },
      })),
    ),
  'wrong-uid': (review) => ({
    status: 200,
    body: { ...reviewed(review), response: { uid: 'other', result: { status: 'Success' }, convertedObjects: [] } },
  }),
  broken: () => ({ status: 500, body: 'out of order' }),
  garbage: () => ({ status: 200, body: 'garbage' }),
};

function reviewed({ apiVersion, kind }: Json): Json {
  return { apiVersion, kind };
}

function answered(review: Json, convertedObjects: readonly Json[]) {
  const response = { uid: review.request.uid, result: { status: 'Success' }, convertedObjects };
  return { status: 200, body: { ...reviewed(review), response } };
}

function convert({ request }: Json): (object: Json) => Json {
  return ({ spec: { n, count, ...rest } = {}, ...object }) => ({
    ...object,
    apiVersion: request.desiredAPIVersion,
    spec: request.desiredAPIVersion.endsWith('v2') ? { ...rest, count: n } : { ...rest, n: count },
  });
}
