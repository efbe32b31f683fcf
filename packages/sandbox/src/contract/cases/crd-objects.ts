import { contractArea } from '../contract-case.ts';
import { definitions, redefine, schemaOf, widget, widgets, widgetsPath, withDefinition } from './crd-fixtures.ts';
import type { CaseApi, Json } from '../case-api.ts';

/** Objects of a custom kind: pruning, defaults, validation and columns. */
export const crdObjects = contractArea('crd-objects', [
  ...sent(
    'what the schema does not know is dropped',
    { a: { type: 'object', properties: { b: { type: 'string' } } } },
    [
      { spec: { a: { b: 'x', c: 'y' }, d: 1 }, other: {} },
      { spec: { a: {} }, status: { free: true } },
    ],
  ),
  ...sent(
    'what the schema preserves stays, and its known parts are pruned',
    {
      a: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { b: { type: 'object', properties: { c: { type: 'string' } } } },
      },
    },
    [{ spec: { a: { free: { deep: [1] }, b: { c: 'x', d: 'y' } } } }],
  ),
  ...sent(
    'defaults are filled in, nulls that are no values go',
    {
      a: { type: 'string', default: 'x' },
      b: { type: 'object', default: {}, properties: { c: { type: 'integer', default: 7 } } },
      n: { type: 'string', nullable: true },
      l: { type: 'array', items: { type: 'object', properties: { p: { type: 'string', default: 'TCP' } } } },
    },
    [{ spec: {} }, { spec: { a: null, b: { c: 1 }, n: null, l: [{}, { p: 'UDP' }] } }, {}],
  ),
  ...sent(
    'values are validated, each violation named',
    {
      a: { type: 'string', maxLength: 2, pattern: '^[a-z]*$', enum: ['a', 'b', 'ccc'] },
      n: { type: 'integer', minimum: 1, maximum: 5 },
      l: { type: 'array', maxItems: 1, items: { type: 'string' } },
      o: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      f: { type: 'string', format: 'date-time' },
    },
    [
      { spec: { a: 'ABC' } },
      { spec: { n: 9 } },
      { spec: { l: ['a', 'b'] } },
      { spec: { o: {} } },
      { spec: { f: 'x' } },
      { spec: { a: 1 } },
      { spec: { n: 'x' } },
      { spec: { l: {} } },
      { spec: { o: [] } },
    ],
  ),
  ...sent(
    'one of several schemas must hold',
    {
      a: {
        type: 'object',
        properties: { b: { type: 'string' }, c: { type: 'string' } },
        oneOf: [{ required: ['b'] }, { required: ['c'] }],
      },
    },
    [{ spec: { a: { b: 'x', c: 'y' } } }, { spec: { a: {} } }, { spec: { a: { b: 'x' } } }],
  ),
  ...sent(
    'items of sets and maps are unique',
    {
      s: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      m: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } },
      },
    },
    [{ spec: { s: ['a', 'a'] } }, { spec: { m: [{ k: 'a' }, { k: 'a', v: 'x' }] } }],
  ),
  ...sent('an int-or-string is either', { a: { 'x-kubernetes-int-or-string': true } }, [
    { spec: { a: 1 } },
    { spec: { a: '10%' } },
    { spec: { a: true } },
    { spec: { a: 1.5 } },
  ]),
  ...sent('metadata is held to the rules of all objects', {}, [
    { metadata: { name: 'A_b' } },
    { metadata: { name: 'a', labels: { 'a b': 'c d' } } },
    { metadata: { name: 'a', finalizers: ['hold', 'example.com', 'example.com/x'] } },
    { metadata: { name: 'a', unknown: true } },
    { metadata: { generateName: 'a-' } },
  ]),
  {
    title: 'the kind and apiVersion of the body must be those of the path',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.post(widgetsPath(api), { ...widget(api, 'a'), kind: 'Gadget' });
        await api.post(widgetsPath(api), { ...widget(api, 'a'), apiVersion: 'example.com/v1' });
      });
    },
  },
  {
    title: 'an object without a kind is refused',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.post(widgetsPath(api), { metadata: { name: 'a' } });
        await api.post(widgetsPath(api), { kind: 'Widget', metadata: { name: 'a' } });
      });
    },
  },
  {
    title: 'the generation counts changes outside of metadata',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.post(widgetsPath(api), {
          ...widget(api, 'a', { spec: { n: 1 } }),
          metadata: { name: 'a', generation: 9 },
        });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 2 } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { status: { n: 2 } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { status: { n: 2 } });
      });
    },
  },
  {
    title: 'with a status subresource the status is written through it alone',
    async run(api) {
      const definition = widgets(api, {}, { subresources: { status: {} } });
      await withDefinition(api, definition, async () => {
        await api.post(widgetsPath(api), widget(api, 'a', { spec: { n: 1 }, status: { n: 1 } }));
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { status: { n: 2 } });
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', {
          metadata: { labels: { a: 'b' } },
          spec: { n: 2 },
          status: { n: 2 },
        });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { n: 3 }, status: null });
        await api.get(`${widgetsPath(api)}/a/status`);
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: null });
      });
    },
  },
  {
    title: 'a write of the status is validated by the schema of the status',
    async run(api) {
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
            status: { type: 'object', properties: { n: { type: 'integer' } } },
          },
        },
      };
      await withDefinition(api, widgets(api, {}, { schema, subresources: { status: {} } }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { a: 'x' } }));
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: { n: 'x' } });
        await api.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: { n: 1, unknown: true } });
      });
    },
  },
  {
    title: 'without subresources there is no status to write',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
        await api.get(`${widgetsPath(api)}/a/status`);
        await api.get(`${widgetsPath(api)}/a/scale`);
        await api.put(`${widgetsPath(api)}/a/status`, widget(api, 'a'));
      });
    },
  },
  {
    title: 'the scale subresource shows and sets the replicas',
    async run(api) {
      const scale = {
        specReplicasPath: '.spec.size',
        statusReplicasPath: '.status.size',
        labelSelectorPath: '.status.selector',
      };
      await withDefinition(api, widgets(api, {}, { subresources: { status: {}, scale } }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { size: 2 } }));
        await api.quietly.patch(`${widgetsPath(api)}/a/status`, 'merge', { status: { size: 1, selector: 'a=b' } });
        const { body } = await api.get(`${widgetsPath(api)}/a/scale`);
        await api.patch(`${widgetsPath(api)}/a/scale`, 'merge', { spec: { replicas: 5 } });
        await api.get(`${widgetsPath(api)}/a`);
        await api.put(`${widgetsPath(api)}/a/scale`, body);
        await api.put(`${widgetsPath(api)}/a/scale`, {
          ...body,
          metadata: { name: 'a', namespace: api.namespace },
          spec: { replicas: 3 },
        });
        await api.patch(`${widgetsPath(api)}/a/scale`, 'merge', { spec: { replicas: -1 } });
      });
    },
  },
  {
    title: 'an object without replicas has no scale',
    async run(api) {
      const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
      await withDefinition(api, widgets(api, {}, { subresources: { scale } }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
        await api.get(`${widgetsPath(api)}/a/scale`);
        await api.patch(`${widgetsPath(api)}/a/scale`, 'merge', { spec: { replicas: 2 } });
        await api.get(`${widgetsPath(api)}/none/scale`);
        await api.post(widgetsPath(api), widget(api, 'b', { spec: { size: -1 } }));
        await api.post(widgetsPath(api), widget(api, 'b', { spec: { size: 'many' } }));
      });
    },
  },
  {
    title: 'columns are read by their paths',
    async run(api) {
      const additionalPrinterColumns = [
        { name: 'Text', type: 'string', jsonPath: '.spec.text', description: 'A text.' },
        { name: 'Count', type: 'integer', format: 'int32', jsonPath: '.spec.count', priority: 1 },
        { name: 'Share', type: 'number', jsonPath: '.spec.share' },
        { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
        { name: 'Since', type: 'date', jsonPath: '.spec.since' },
        { name: 'First', type: 'string', jsonPath: '.spec.list[0].name' },
        { name: 'Ready', type: 'string', jsonPath: '.spec.list[?(@.type=="Ready")].status' },
        { name: 'All', type: 'string', jsonPath: '.spec.list[*].name' },
        { name: 'Label', type: 'string', jsonPath: '.metadata.labels.example\\.com/a' },
        { name: 'Object', type: 'string', jsonPath: '.spec.object' },
        { name: 'Names', type: 'string', jsonPath: '.spec.names' },
        { name: 'Odd', type: 'string', jsonPath: '.spec.on' },
      ];
      const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } });
      await withDefinition(api, widgets(api, {}, { additionalPrinterColumns }), async () => {
        const list = [
          { name: 'x', type: 'Up', status: 'No' },
          { name: 'y', type: 'Ready', status: 'Yes' },
        ];
        const spec = {
          text: 't',
          count: 3,
          share: 2,
          on: true,
          since: 'never',
          list,
          object: { b: [1, 'x'], a: 1.5 },
          names: ['p', 'q'],
        };
        await api.quietly.post(widgetsPath(api), {
          ...widget(api, 'a', { spec }),
          metadata: { name: 'a', labels: { 'example.com/a': 'b' } },
        });
        await api.quietly.post(
          widgetsPath(api),
          widget(api, 'b', { spec: { text: 5, count: 'x', share: 'x', on: 'x', list: [] } }),
        );
        await api.get(widgetsPath(api), accept('Table'));
        await api.get(`${widgetsPath(api)}/a`, accept('Table'));
        await api.get(widgetsPath(api), accept('PartialObjectMetadataList'));
      });
    },
  },
  {
    title: 'without columns there is the age',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.get(widgetsPath(api), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
      });
    },
  },
  {
    title: 'a deprecated version warns on every request',
    async run(api) {
      await withDefinition(api, widgets(api, {}, { deprecated: true }), async () => {
        await api.get(widgetsPath(api));
        await api.post(widgetsPath(api), widget(api, 'a'));
        await redefine(api, widgets(api), {
          versions: widgets(api, {}, { deprecated: true, deprecationWarning: 'use "v2"' }).spec.versions,
        });
        await api.get(`${widgetsPath(api)}/a`);
        await api.get(`${widgetsPath(api)}/none`);
      });
    },
  },
  {
    title: 'finalizers without a domain are warned of',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.post(widgetsPath(api), { ...widget(api, 'a'), metadata: { name: 'a', finalizers: ['hold', 'a.b'] } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { finalizers: ['hold', 'new'] } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { finalizers: null } });
      });
    },
  },
  {
    title: 'lists select by the fields that the version names',
    async run(api) {
      const schema = schemaOf({ a: { type: 'string' }, n: { type: 'integer' }, b: { type: 'boolean' } });
      const selectableFields = [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.n' }, { jsonPath: '.spec.b' }];
      await withDefinition(api, widgets(api, {}, { schema, selectableFields }), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { a: 'x', n: 1, b: true } }));
        await api.quietly.post(widgetsPath(api), widget(api, 'b', { spec: { a: 'y' } }));
        await api.get(widgetsPath(api), { query: { fieldSelector: 'spec.a=x' } });
        await api.get(widgetsPath(api), { query: { fieldSelector: 'spec.n=1,spec.b=true' } });
        await api.get(widgetsPath(api), { query: { fieldSelector: 'spec.n=' } });
        await api.get(widgetsPath(api), { query: { fieldSelector: 'spec.other=x' } });
      });
    },
  },
  {
    title: 'an update needs a resourceVersion, and creates nothing',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.put(`${widgetsPath(api)}/a`, widget(api, 'a'));
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
        await api.put(`${widgetsPath(api)}/a`, widget(api, 'a'));
        await api.put(`${widgetsPath(api)}/a`, { ...widget(api, 'a'), metadata: { name: 'a', resourceVersion: '1' } });
      });
    },
  },
  {
    title: 'kinds of the cluster live outside of Namespaces',
    async run(api) {
      const path = `/apis/${api.namespace}.example.com/v1/widgets`;
      await withDefinition(api, widgets(api, { scope: 'Cluster' }), async () => {
        await api.post(path, widget(api, 'a'));
        await api.get(widgetsPath(api));
        await api.post(path, { ...widget(api, 'b'), metadata: { name: 'b', namespace: api.namespace } });
        await api.patch(`${path}/b`, 'merge', { metadata: { namespace: api.namespace, labels: { a: 'b' } } });
        await api.delete(`${path}/a`);
      });
    },
  },
  {
    title: 'a changed schema judges what comes, and defaults what is there',
    async run(api) {
      const definition = widgets(api, {}, { schema: schemaOf({ a: { type: 'string' } }) });
      const next = schemaOf({ a: { type: 'string' }, b: { type: 'string', default: 'new' } });
      await withDefinition(api, definition, async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { a: 'x' } }));
        await redefine(api, definition, { versions: widgets(api, {}, { schema: next }).spec.versions });
        await api.get(`${widgetsPath(api)}/a`);
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
      });
    },
  },
  {
    title: 'a version that is no longer served is not there',
    async run(api) {
      const definition = widgets(api);
      await withDefinition(api, definition, async () => {
        await redefine(api, definition, { versions: widgets(api, {}, { served: false }).spec.versions });
        await api.get(widgetsPath(api));
        await api.get(`${definitions}/${definition.metadata.name}`);
      });
    },
  },
  {
    title: 'what was valid once may stay as it is',
    async run(api) {
      const definition = widgets(
        api,
        {},
        { schema: schemaOf({ a: { type: 'string' }, b: { type: 'string' }, l: list({}) }) },
      );
      const next = schemaOf(
        { a: { type: 'string', maxLength: 2 }, b: { type: 'string' }, l: list({ maxLength: 1 }) },
        { required: ['c'], maxProperties: 9 },
      );
      await withDefinition(api, definition, async () => {
        const spec = { a: 'long', b: 'x', l: [{ k: 'a', v: 'long' }, { k: 'b' }] };
        await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec }));
        await redefine(api, definition, { versions: widgets(api, {}, { schema: next }).spec.versions });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { b: 'y' } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', { spec: { a: 'longer' } });
        await api.patch(`${widgetsPath(api)}/a`, 'merge', {
          spec: {
            l: [
              { k: 'b', v: 'w' },
              { k: 'a', v: 'long' },
            ],
          },
        });
        // The real server reports errors of two fields in any order.
        await api.post(widgetsPath(api), widget(api, 'b', { spec: { a: 'long' } }));
      });
    },
  },
]);

function list(value: Json): Json {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string', ...value } } },
  };
}

/** A case of one schema and the objects that are sent to it, under one name each. */
function sent(title: string, properties: Json, objects: readonly Json[]) {
  return [
    {
      title,
      async run(api: CaseApi) {
        await withDefinition(api, widgets(api, {}, { schema: schemaOf(properties) }), async () => {
          for (const [index, object] of objects.entries()) {
            await api.post(widgetsPath(api), { ...widget(api, `w${index}`), ...object });
          }
          for (const { metadata } of (await api.quietly.get(widgetsPath(api))).body.items) {
            if (metadata.finalizers !== undefined) {
              await api.quietly.patch(`${widgetsPath(api)}/${metadata.name}`, 'merge', {
                metadata: { finalizers: null },
              });
            }
          }
        });
      },
    },
  ];
}
