import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import {
  anything,
  definitions,
  established,
  nextSecond,
  schemaOf,
  widget,
  widgets,
  widgetsPath,
  withDefinition,
} from './crd-fixtures.ts';

/**
 * CustomResourceDefinitions themselves: which are rejected, and how they are established and
 * deleted.
 */
export const crdDefinitions = contractArea('crd-definitions', [
  {
    title: 'a new definition has its defaults, no conditions yet, and its stored version',
    async run(api) {
      const definition = widgets(api);
      await api.post(definitions, definition, { query: { dryRun: 'All' } });
    },
  },
  {
    title: 'a definition comes into force in steps that a watch sees',
    async run(api) {
      const definition = widgets(api, { names: { shortNames: ['wd'], categories: ['all'] } });
      const query = { fieldSelector: `metadata.name=${definition.metadata.name}` };
      const { body } = await api.quietly.get(definitions, { query });
      const { resourceVersion } = body.metadata;
      const watch = await api.watch(definitions, { query: { ...query, resourceVersion } });
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      await api.quietly.delete(`${definitions}/${definition.metadata.name}`);
      await watch.until(6);
      await watch.close();
    },
  },
  {
    title: 'what is not established is not served',
    async run(api) {
      await api.get(widgetsPath(api));
      await withDefinition(api, widgets(api), async () => {
        await api.get(widgetsPath(api));
        await api.get(`/apis/${api.namespace}.example.com/v2/namespaces/${api.namespace}/widgets`);
        await api.get(`/apis/${api.namespace}.example.com/v1/widgets`);
      });
      await api.get(widgetsPath(api));
    },
  },
  {
    title: 'a definition without anything is refused field by field',
    async run(api) {
      await api.post(definitions, { metadata: { name: 'foo' }, spec: {} });
      await api.post(definitions, { metadata: { name: 'foo' } });
    },
  },
  ...refused('the name of a definition is that of its plural and group', (api) => [
    { ...widgets(api), metadata: { name: 'widgets' } },
    { ...widgets(api), metadata: { name: `Widgets.${api.namespace}.example.com` } },
  ]),
  ...refused('a group is a domain with a dot', (api) => [
    { ...widgets(api, { group: 'widgets' }), metadata: { name: 'widgets.widgets' } },
    { ...widgets(api, { group: 'A_b.c' }), metadata: { name: 'widgets.a-b.c' } },
  ]),
  ...refused('a protected group needs an approval', (api) => [
    { ...widgets(api, { group: 'isthmus.k8s.io' }), metadata: { name: 'widgets.isthmus.k8s.io' } },
    {
      ...widgets(api, { group: 'isthmus.k8s.io' }),
      metadata: { name: 'widgets.isthmus.k8s.io', annotations: { 'api-approved.kubernetes.io': 'x' } },
    },
  ]),
  ...refused('a scope is one of two words', (api) => [widgets(api, { scope: 'Global' }), widgets(api, { scope: '' })]),
  ...refused('names are DNS labels', (api) => [
    widgets(api, { names: { kind: 'Wid_get', singular: 'Widget', shortNames: ['W'], categories: ['A b'] } }),
    widgets(api, { names: { kind: 'Widget', listKind: 'Widget' } }),
    widgets(api, { names: { plural: 'wid_gets' } }),
  ]),
  ...refused('one version is the storage version, and names of versions are labels told apart', (api) => {
    const version = { served: true, schema: anything };
    return [
      widgets(api, { versions: [{ name: 'v1', storage: false, ...version }] }),
      widgets(api, { versions: [] }),
      widgets(api, { versions: [{ name: '1', storage: true, ...version }] }),
    ];
  }),
  ...refused('a version needs a schema', (api) => [
    widgets(api, {}, { schema: undefined }),
    widgets(api, {}, { schema: {} }),
    widgets(api, {}, { schema: { openAPIV3Schema: {} } }),
    widgets(api, {}, { schema: { openAPIV3Schema: { type: 'string' } } }),
  ]),
  ...refused('a schema must be structural', (api) => [
    widgets(api, {}, { schema: schemaOf({ a: {} }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'array' } }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'thing' } }) }),
    widgets(
      api,
      {},
      { schema: schemaOf({ a: { type: 'object', anyOf: [{ properties: { b: { type: 'string' } } }] } }) },
    ),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'array', items: { type: 'string' }, uniqueItems: true } }) }),
    widgets(api, {}, { schema: { openAPIV3Schema: { type: 'object', nullable: true } } }),
  ]),
  ...refused('a schema may not use what OpenAPI has beyond structure', (api) => [
    widgets(api, {}, { schema: schemaOf({ a: { $ref: '#/x' } }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'object', patternProperties: { x: { type: 'string' } } } }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'object', definitions: { x: { type: 'string' } } } }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'string', id: 'x' } }) }),
  ]),
  ...refused('a default must be valid, and known to the schema', (api) => [
    widgets(api, {}, { schema: schemaOf({ a: { type: 'integer', default: 'x' } }) }),
    widgets(api, {}, { schema: schemaOf({ a: { type: 'object', default: { b: 1 } } }) }),
    widgets(
      api,
      {},
      {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
          },
        },
      },
    ),
  ]),
  ...refused('list types want their lists', (api) => [
    widgets(api, {}, { schema: schemaOf({ a: { type: 'string', 'x-kubernetes-list-type': 'set' } }) }),
    widgets(
      api,
      {},
      {
        schema: schemaOf({ a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } }),
      },
    ),
    widgets(
      api,
      {},
      {
        schema: schemaOf({
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', properties: { k: { type: 'string' } } },
          },
        }),
      },
    ),
  ]),
  ...refused('with a status subresource the root of the schema is plain', (api) => [
    widgets(
      api,
      {},
      {
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', maxProperties: 5, properties: { spec: { type: 'object' } } } },
      },
    ),
  ]),
  ...refused('columns have a name, a type and a path', (api) => [
    widgets(api, {}, { additionalPrinterColumns: [{ name: '', type: 'text', jsonPath: 'spec.a' }] }),
    widgets(api, {}, { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '' }] }),
    widgets(api, {}, { additionalPrinterColumns: [{ name: 'A', type: 'string', format: 'odd', jsonPath: '.a' }] }),
  ]),
  ...refused('the paths of the scale subresource lie in spec and status', (api) => [
    widgets(api, {}, { subresources: { scale: { specReplicasPath: '.a', statusReplicasPath: 'status.b' } } }),
    widgets(
      api,
      {},
      {
        subresources: { scale: { specReplicasPath: '', statusReplicasPath: '.spec.b', labelSelectorPath: '.x' } },
      },
    ),
  ]),
  ...refused('selectable fields point to scalars of the schema, eight at most', (api) => {
    const schema = schemaOf({
      a: { type: 'string' },
      o: { type: 'object' },
      ...Object.fromEntries(letters.map((l) => [l, { type: 'string' }])),
    });
    const select = (...paths: readonly string[]) =>
      widgets(api, {}, { schema, selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
    return [
      select('.spec.none'),
      select('.spec.o'),
      select('.metadata.name'),
      select('.spec.a', '.spec.a'),
      select(''),
      select('spec.a'),
      select(...letters.map((letter) => `.spec.${letter}`)),
    ];
  }),
  ...refused('a deprecation warning belongs to a deprecated version', (api) => [
    widgets(api, {}, { deprecationWarning: 'gone soon' }),
    widgets(api, {}, { deprecated: true, deprecationWarning: '' }),
    widgets(api, {}, { deprecated: true, deprecationWarning: `a${'b'.repeat(256)}` }),
  ]),
  ...refused('a conversion by webhook says where and in which versions', (api) => [
    widgets(api, { conversion: { strategy: 'Sideways' } }),
    widgets(api, { conversion: { strategy: 'Webhook' } }),
    widgets(api, { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } }),
    widgets(api, {
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v2', 'v2'], clientConfig: {} } },
    }),
    widgets(api, {
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://x' } },
      },
    }),
    widgets(api, { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } }),
  ]),
  ...refused('unknown fields are not preserved by the definition', (api) => [
    widgets(api, { preserveUnknownFields: true }),
  ]),
  {
    title: 'an unknown format of a field is warned of',
    async run(api) {
      const schema = schemaOf({ a: { type: 'string', format: 'odd' }, b: { type: 'string', format: 'uuid' } });
      await api.post(definitions, widgets(api, {}, { schema }), { query: { dryRun: 'All' } });
    },
  },
  {
    title: 'group and plural never change, scope and kind do not once established',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        await api.patch(path, 'merge', { spec: { scope: 'Cluster' } });
        await api.patch(path, 'merge', { spec: { names: { kind: 'Gadget' } } });
        await api.patch(path, 'merge', { spec: { group: 'other.example.com' } });
        await api.patch(path, 'merge', { spec: { names: { plural: 'gadgets' } } });
      });
    },
  },
  {
    title: 'names can be changed, and are accepted anew',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        await nextSecond(api);
        await api.patch(path, 'merge', { spec: { names: { shortNames: ['wd'], singular: 'wid' } } });
        await api.eventually(path, ({ status }) => status.acceptedNames.shortNames?.length === 1);
      });
    },
  },
  {
    title: 'an update needs a resourceVersion, and bumps the generation where the spec changes',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        await nextSecond(api);
        await api.put(path, definition);
        const { body } = await api.get(path);
        await api.put(path, { ...body, metadata: { ...body.metadata, labels: { a: 'b' } } });
        await api.patch(path, 'merge', { spec: { names: { categories: ['all'] } } });
      });
    },
  },
  {
    title: 'the status is written through its subresource alone',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        await api.patch(path, 'merge', { status: { storedVersions: ['v9'] } });
        await api.patch(`${path}/status`, 'merge', { spec: { scope: 'Cluster' }, status: { observed: 1 } });
        await api.get(`${path}/status`);
      });
    },
  },
  {
    title: 'names that another definition of the group has are not accepted, until it goes',
    async run(api) {
      const first = widgets(api, { names: { shortNames: ['wd'] } });
      const second = widgets(api, {
        names: { plural: 'gadgets', singular: 'widget', kind: 'Widget', shortNames: ['wd', 'gd'] },
      });
      const path = `${definitions}/${second.metadata.name}`;
      await withDefinition(api, first, async () => {
        await api.quietly.post(definitions, second);
        await api.eventually(path, ({ status }) => status.conditions?.length === 2);
        await api.get(`/apis/${api.namespace}.example.com/v1/namespaces/${api.namespace}/gadgets`);
      });
      await established(api, second);
      await api.get(path);
      await api.delete(path);
      await absent(api, path);
    },
  },
  {
    title: 'a name in conflict leaves the others accepted',
    async run(api) {
      const first = widgets(api);
      const second = widgets(api, {
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'WidgetList' },
      });
      const path = `${definitions}/${second.metadata.name}`;
      await withDefinition(api, first, async () => {
        await api.quietly.post(definitions, second);
        await api.eventually(path, ({ status }) => status.conditions?.length === 2);
        await api.delete(path);
        await absent(api, path);
      });
    },
  },
  {
    title: 'deleting a definition deletes its objects first',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      const watch = await api.watch(widgetsPath(api), { query: { resourceVersion: '0' } });
      await watch.until(1);
      await api.delete(path);
      await watch.until(2);
      await absent(api, path);
      await watch.close();
      await api.get(widgetsPath(api));
    },
  },
  {
    title: 'the watches of a kind end when its definition is gone, after they have told what was deleted',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      const query = { resourceVersion: '0' };
      const watches = [
        await api.watch(widgetsPath(api), { query }),
        await api.watch(`/apis/${api.namespace}.example.com/v1/widgets`, { query }),
        await api.watch(widgetsPath(api), { query: { ...query, labelSelector: 'none=matches' } }),
      ];
      await watches[0]?.until(1);
      await api.quietly.delete(path);
      for (const watch of watches) {
        await watch.ended();
        await watch.close();
      }
    },
  },
  {
    title: 'a watch of a kind that is not served is refused, and so is one from before its definition was gone',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await api.watch(widgetsPath(api)).then((watch) => watch.close());
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      const { body } = await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      const { resourceVersion } = body.metadata;
      await api.quietly.delete(path);
      await absent(api, path);
      await api.pass(2_000);
      await api.watch(widgetsPath(api), { query: { resourceVersion } }).then((watch) => watch.close());
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      const since = await api.watch(widgetsPath(api), { query: { resourceVersion } });
      await since.ended();
      await since.close();
      await api.quietly.delete(path);
      await absent(api, path);
    },
  },
  {
    title: 'a kind that is defined again has no objects, and watches of it begin anew',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      const before = await api.watch(widgetsPath(api), { query: { resourceVersion: '0' } });
      await before.until(1);
      await api.quietly.delete(path);
      await absent(api, path);
      await api.quietly.post(definitions, definition);
      await before.ended();
      await established(api, definition);
      const again = await api.watch(widgetsPath(api));
      await api.get(widgetsPath(api));
      await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      await again.until(1);
      await api.quietly.delete(path);
      await again.ended();
      await before.close();
      await again.close();
    },
  },
  {
    title: 'the watches of a kind end when the specification of its definition changes, and not when its labels do',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        const watch = await api.watch(widgetsPath(api), { query: { resourceVersion: '0' } });
        await api.quietly.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
        await api.pass(3_000);
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
        await watch.until(1);
        await api.quietly.patch(path, 'merge', { spec: { names: { shortNames: ['wd'] } } });
        await watch.ended();
        await watch.close();
      });
    },
  },
  {
    title: 'a watch of a version that is not served any more ends',
    async run(api) {
      const definition = widgets(api);
      const versions = [
        ...definition.spec.versions,
        { ...definition.spec.versions[0], name: 'v2', served: true, storage: false },
      ];
      await withDefinition(api, { ...definition, spec: { ...definition.spec, versions } }, async () => {
        const watch = await api.watch(widgetsPath(api, 'v2'), { query: { resourceVersion: '0' } });
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
        await watch.until(1);
        versions[1].served = false;
        await api.quietly.patch(`${definitions}/${definition.metadata.name}`, 'merge', { spec: { versions } });
        await watch.ended();
        await watch.close();
      });
    },
  },
  {
    title: 'an object that a finalizer holds holds its definition',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await api.quietly.post(definitions, definition);
      await established(api, definition);
      await api.quietly.post(widgetsPath(api), {
        ...widget(api, 'a'),
        metadata: { name: 'a', finalizers: ['example.com/hold'] },
      });
      await api.delete(path);
      await api.eventually(path, ({ status }) => status.conditions[2]?.reason === 'InstanceDeletionInProgress');
      await api.post(widgetsPath(api), widget(api, 'b'));
      await api.quietly.patch(`${widgetsPath(api)}/a`, 'merge', { metadata: { finalizers: null } });
      await absent(api, path);
    },
  },
  {
    title: 'definitions are shown with the time of their creation',
    async run(api) {
      const definition = widgets(api);
      await withDefinition(api, definition, async () => {
        await api.get(`${definitions}/${definition.metadata.name}`, {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        });
      });
    },
  },
]);

const letters = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** A case that posts definitions as dry runs, which are rejected or accepted. */
function refused(title: string, bodies: (api: CaseApi) => readonly Json[]) {
  return [
    {
      title,
      async run(api: CaseApi) {
        for (const body of bodies(api)) await api.post(definitions, body, { query: { dryRun: 'All' } });
      },
    },
  ];
}

function absent(api: CaseApi, path: string): Promise<unknown> {
  const name = path.slice(definitions.length + 1);
  return api.eventually(definitions, ({ items }) => items.length === 0, {
    query: { fieldSelector: `metadata.name=${name}` },
  });
}
