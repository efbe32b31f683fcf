import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { definitions, schemaOf, widget, widgets, widgetsPath, withDefinition } from './crd-fixtures.ts';

const scale = {
  specReplicasPath: '.spec.size',
  statusReplicasPath: '.status.size',
  labelSelectorPath: '.status.selector',
};

/** Scale and status of custom kinds in every way in, and how versions leave a definition. */
export const crdSubresources = contractArea('crd-subresources', [
  {
    title: 'a custom Scale is patched as JSON, and dry',
    run: (api) =>
      scaled(api, async (path) => {
        await api.patch(`${path}/scale`, 'json', [{ op: 'replace', path: '/spec/replicas', value: 4 }]);
        await api.patch(`${path}/scale`, 'json', [{ op: 'test', path: '/spec/replicas', value: 9 }]);
        await api.patch(`${path}/scale`, 'merge', { spec: { replicas: 7 } }, { query: { dryRun: 'All' } });
        await api.patch(`${path}/scale`, 'strategic-merge', { spec: { replicas: 7 } });
        await api.get(`${path}/scale`);
      }),
  },
  {
    title: 'a custom Scale that is stale, of another name or another object is refused',
    run: (api) =>
      scaled(api, async (path) => {
        const { body } = await api.quietly.get(`${path}/scale`);
        await api.put(`${path}/scale`, { ...body, metadata: { ...body.metadata, resourceVersion: '1' } });
        await api.put(`${path}/scale`, { ...body, metadata: { name: 'b', namespace: api.namespace } });
        await api.put(`${path}/scale`, {
          ...body,
          metadata: { ...body.metadata, uid: '11111111-1111-1111-1111-111111111111' },
        });
      }),
  },
  {
    title: 'a write through a custom Scale counts the generation, a status does not',
    run: (api) =>
      scaled(api, async (path) => {
        const generation = async (what: string) => {
          const { body } = await api.quietly.get(path);
          api.note(what, body.metadata.generation);
        };
        await api.quietly.patch(`${path}/scale`, 'merge', { spec: { replicas: 3 } });
        await generation('scaled');
        await api.quietly.patch(`${path}/status`, 'merge', { status: { size: 3 } });
        await generation('status');
        await api.quietly.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
        await generation('labels');
        await api.quietly.patch(path, 'merge', { spec: { size: 4 }, status: { size: 9 } });
        await generation('both');
        api.note('status', (await api.quietly.get(path)).body.status);
      }),
  },
  {
    title: 'a new object is answered with the defaults of its status, which nobody can give it',
    async run(api) {
      const text = { type: 'string' };
      const status = { type: 'object', default: { phase: 'Pending' }, properties: { phase: text, note: text } };
      const schema = schemaOf({ spec: { type: 'object', properties: { size: { type: 'integer' } } }, status });
      await withDefinition(api, widgets(api, {}, { subresources: { status: {} }, schema }), async () => {
        const path = widgetsPath(api);
        await api.post(path, widget(api, 'dry', { status: { phase: 'Given' } }), { query: { dryRun: 'All' } });
        await api.post(path, widget(api, 'a', { status: { phase: 'Given' } }));
        await api.get(`${path}/a`);
        await api.patch(`${path}/b`, 'apply', widget(api, 'b'), { query: { fieldManager: 'one' } });
        await api.patch(`${path}/a`, 'merge', { spec: { size: 1 } });
      });
    },
  },
  {
    title: 'a custom status is applied by its own managers',
    run: (api) =>
      scaled(api, async (path) => {
        const body = (size: number) => ({ ...widget(api, 'a'), status: { size } });
        await api.patch(`${path}/status`, 'apply', body(2), { query: { fieldManager: 'one' } });
        await api.patch(`${path}/status`, 'apply', body(3), { query: { fieldManager: 'two' } });
        await api.patch(
          `${path}/status`,
          'apply',
          { ...widget(api, 'a'), spec: { size: 8 } },
          { query: { fieldManager: 'one' } },
        );
      }),
  },
  {
    title: 'a version that is still stored may not leave the definition',
    async run(api) {
      const versions = ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: schemaOf({ size: { type: 'integer' } }),
      }));
      const definition = widgets(api, { versions });
      const path = `${definitions}/${definition.metadata.name}`;
      const change = async (spec: Json) => {
        const { status, body } = await api.unnoted.patch(path, 'merge', { spec });
        api.note('then', status < 400 ? body.status.storedVersions : body);
      };
      await withDefinition(api, definition, async () => {
        await change({ versions: [{ ...versions[0] }] });
        await change({ versions });
        await change({
          versions: [
            { ...versions[0], storage: false },
            { ...versions[1], storage: true },
          ],
        });
        await change({ versions: [{ ...versions[1], storage: true }] });
        await change({
          versions: [
            { ...versions[0], storage: false, served: false },
            { ...versions[1], storage: true },
          ],
        });
      });
    },
  },
  {
    title: 'the stored versions of a definition are at least its storage version, and known',
    async run(api) {
      const definition = widgets(api);
      const path = `${definitions}/${definition.metadata.name}`;
      await withDefinition(api, definition, async () => {
        for (const storedVersions of [[], ['v9'], ['v1', 'v9'], ['v1', 'v1'], null]) {
          const { status, body } = await api.unnoted.patch(
            `${path}/status`,
            'merge',
            { status: { storedVersions } },
            { query: { dryRun: 'All' } },
          );
          api.note(JSON.stringify(storedVersions), status < 400 ? body.status.storedVersions : body);
        }
      });
    },
  },
  {
    title: 'a definition cannot be given the short name of another kind of its group',
    async run(api) {
      const first = widgets(api, { names: { shortNames: ['wi'], singular: 'widget' } });
      const second = widgets(api, {
        names: { plural: 'gadgets', kind: 'Gadget', listKind: 'WidgetList', shortNames: ['wi', 'ga'] },
      });
      await withDefinition(api, first, async () => {
        await api.quietly.post(definitions, second);
        await api.eventually(`${definitions}/${second.metadata.name}`, ({ status }) => status.conditions?.length > 0);
        await api.quietly.delete(`${definitions}/${second.metadata.name}`);
      });
    },
  },
  {
    title: 'a definition that is deleted and made anew has none of its former objects',
    async run(api) {
      await withDefinition(api, widgets(api), async () => {
        await api.quietly.post(widgetsPath(api), widget(api, 'a'));
      });
      await api.get(widgetsPath(api));
      await withDefinition(api, widgets(api), async () => {
        await api.get(widgetsPath(api));
      });
    },
  },
  {
    title: 'unknown fields of a custom object are warned of, refused or ignored, and go',
    async run(api) {
      const definition = widgets(api, {}, { schema: schemaOf({ size: { type: 'integer' } }) });
      await withDefinition(api, definition, async () => {
        const body = { ...widget(api, 'a'), spec: { size: 1, colour: 'red' }, more: true };
        for (const fieldValidation of ['Strict', 'Warn', 'Ignore']) {
          await api.post(widgetsPath(api), body, { query: { fieldValidation, dryRun: 'All' } });
        }
        await api.post(
          widgetsPath(api),
          `{"apiVersion":"${api.namespace}.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}`,
          {
            query: { fieldValidation: 'Strict' },
          },
        );
      });
    },
  },
]);

async function scaled(api: CaseApi, run: (path: string) => Promise<unknown>): Promise<void> {
  await withDefinition(api, widgets(api, {}, { subresources: { status: {}, scale } }), async () => {
    await api.quietly.post(widgetsPath(api), widget(api, 'a', { spec: { size: 2 } }));
    await run(`${widgetsPath(api)}/a`);
  });
}
