import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** JSON patch, merge patch, strategic merge patch. */
export const patches = contractArea('patches', [
  {
    title: 'a merge patch changes what it names, and null takes away',
    async run(api) {
      await fill(api);
      await api.patch(`${maps(api)}/a`, 'merge', {
        metadata: { labels: { l: null, m: '2' } },
        data: { k: 'w', n: 'x' },
      });
      await api.patch(`${maps(api)}/a`, 'merge', { data: null });
    },
  },
  {
    title: 'a merge patch that names a resourceVersion is bound to it',
    async run(api) {
      await fill(api);
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { resourceVersion: '1' }, data: { k: 'w' } });
      const { body } = await api.quietly.get(`${maps(api)}/a`);
      const { resourceVersion } = body.metadata;
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { resourceVersion }, data: { k: 'w' } });
    },
  },
  {
    title: 'a merge patch must be an object',
    async run(api) {
      await fill(api);
      for (const body of ['', '{', '[]', 'null', '5', '"x"']) await api.patch(`${maps(api)}/a`, 'merge', body);
    },
  },
  {
    title: 'a JSON patch does its operations in their order',
    async run(api) {
      await fill(api);
      await api.patch(`${maps(api)}/a`, 'json', [
        { op: 'test', path: '/data/k', value: 'v' },
        { op: 'add', path: '/data/n', value: 'x' },
        { op: 'replace', path: '/data/k', value: 'w' },
        { op: 'copy', from: '/data/k', path: '/data/c' },
        { op: 'move', from: '/data/n', path: '/data/m' },
        { op: 'remove', path: '/metadata/labels/l' },
        { op: 'add', path: '/metadata/annotations', value: { 'example.com/x': '1' } },
        { op: 'add', path: '/metadata/annotations/example.com~1y', value: '2' },
      ]);
    },
  },
  {
    title: 'a JSON patch whose test fails changes nothing',
    async run(api) {
      await fill(api);
      await api.patch(`${maps(api)}/a`, 'json', [
        { op: 'replace', path: '/data/k', value: 'w' },
        { op: 'test', path: '/data/k', value: 'v' },
      ]);
      await api.get(`${maps(api)}/a`);
    },
  },
  {
    title: 'a JSON patch against a path that is not there is refused',
    async run(api) {
      await fill(api);
      const ask = (...operations: readonly object[]) => api.patch(`${maps(api)}/a`, 'json', operations);
      await ask({ op: 'replace', path: '/data/none', value: 'x' });
      await ask({ op: 'remove', path: '/data/none' });
      await ask({ op: 'remove', path: '/none/at/all' });
      await ask({ op: 'add', path: '/none/at/all', value: 'x' });
      await ask({ op: 'test', path: '/data/none', value: 'x' });
      await ask({ op: 'copy', from: '/data/none', path: '/data/x' });
      await ask({ op: 'move', from: '/data/none', path: '/data/x' });
      await ask({ op: 'add', path: '/metadata/finalizers/5', value: 'x' });
    },
  },
  {
    title: 'a JSON patch that is none is refused',
    async run(api) {
      await fill(api);
      for (const body of [
        '',
        '{}',
        '[',
        '[5]',
        '[{}]',
        '[{"op":"jump","path":"/a"}]',
        '[{"op":"add"}]',
        '[{"op":"add","path":"data"}]',
        '"x"',
        'null',
      ]) {
        await api.patch(`${maps(api)}/a`, 'json', body);
      }
    },
  },
  {
    title: 'a patch cannot make an object invalid, and says what is wrong with it',
    async run(api) {
      await fill(api);
      await api.patch(`${maps(api)}/a`, 'merge', { metadata: { labels: { 'a b': 'c' } } });
      await api.patch(`${maps(api)}/a`, 'json', [{ op: 'add', path: '/data/a b', value: 'x' }]);
      await api.patch(`${maps(api)}/a`, 'merge', { data: { k: 5 } });
      await api.patch(`${maps(api)}/a`, 'json', [{ op: 'replace', path: '/data', value: 'x' }]);
      await api.patch(`${maps(api)}/a`, 'strategic-merge', { data: { k: 5 } });
      await api.patch(`${maps(api)}/a`, 'merge', { kind: 'Nothing' });
      await api.patch(`${maps(api)}/a`, 'merge', { apiVersion: 'v2' });
    },
  },
  {
    title: 'a strategic merge patch merges lists by their key',
    async run(api) {
      await deploy(api);
      const patch = (body: object) => api.patch(`${sets(api)}/d`, 'strategic-merge', body);
      await patch({ spec: { template: { spec: { containers: [{ name: 'side', image: 'b:1' }] } } } });
      await patch({
        spec: {
          template: { spec: { containers: [{ name: 'main', image: 'a:2', env: [{ name: 'X', value: '2' }] }] } },
        },
      });
      await patch({ spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } });
    },
  },
  {
    title: 'a strategic merge patch can replace and order lists and maps',
    async run(api) {
      await deploy(api);
      const patch = (body: object) => api.patch(`${sets(api)}/d`, 'strategic-merge', body);
      await patch({
        spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'c:1' }] } } },
      });
      await patch({ metadata: { labels: { $patch: 'replace', new: 'one' } } });
      await patch({
        spec: {
          template: {
            spec: {
              $setElementOrder: undefined,
              '$setElementOrder/containers': [{ name: 'first' }, { name: 'only' }],
              containers: [{ name: 'first', image: 'd:1' }],
            },
          },
        },
      });
    },
  },
  {
    title: 'a strategic merge patch treats lists of finalizers as sets',
    async run(api) {
      await api.quietly.post(maps(api), { metadata: { name: 'f', finalizers: ['example.com/a'] } });
      await api.patch(`${maps(api)}/f`, 'strategic-merge', { metadata: { finalizers: ['example.com/b'] } });
      await api.patch(`${maps(api)}/f`, 'strategic-merge', {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
      });
      await api.quietly.patch(`${maps(api)}/f`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'a strategy of a Deployment keeps only what the patch retains',
    needsControllers: true,
    async run(api) {
      const selector = { matchLabels: { app: 'd' } };
      const template = { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } };
      await api.quietly.post(deployments(api), { metadata: { name: 'd' }, spec: { replicas: 0, selector, template } });
      const patch = (strategy: object) =>
        api.patch(`${deployments(api)}/d`, 'strategic-merge', { spec: { strategy } }, { query: { dryRun: 'All' } });
      // A dry run, when the Deployment controller has written its last word.
      await api.settled(async () => {
        const { body } = await api.quietly.get(`${deployments(api)}/d`);
        return body.status.conditions?.length === 2;
      });
      const kept = await api.quietly.patch(
        `${deployments(api)}/d`,
        'strategic-merge',
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        { query: { dryRun: 'All' } },
      );
      api.note('the strategy', kept.body.spec.strategy);
      await patch({ $retainKeys: 'type' });
    },
  },
  {
    title: 'a strategic merge patch of values of another type says what they are',
    async run(api) {
      await fill(api);
      for (const body of [
        { data: 5 },
        { data: [] },
        { data: 'x' },
        { metadata: { labels: true } },
        { metadata: { finalizers: {} } },
        { metadata: { name: {} } },
        { metadata: { generation: 'x' } },
        { immutable: [] },
      ]) {
        await api.patch(`${maps(api)}/a`, 'strategic-merge', body);
      }
    },
  },
  {
    title: 'a strategic merge patch names the types that do not fit as they are converted',
    async run(api) {
      await fill(api);
      for (const body of [
        { immutable: 'x' },
        { immutable: 5 },
        { immutable: 1.5 },
        { metadata: { name: true } },
        { metadata: { name: 5 } },
        { metadata: { name: 1.5 } },
        { metadata: { generation: true } },
        { metadata: { generation: 1.5 } },
        { metadata: 'x' },
        { metadata: [] },
      ]) {
        await api.patch(`${maps(api)}/a`, 'strategic-merge', body);
      }
      await deploy(api);
      for (const type of [5, 1.5, true, [], {}]) {
        await api.patch(`${sets(api)}/d`, 'strategic-merge', { spec: { updateStrategy: { type } } });
      }
      for (const spec of ['x', 5, true, { template: 'x' }, { template: { spec: { containers: ['x'] } } }]) {
        await api.patch(`${sets(api)}/d`, 'strategic-merge', { spec });
      }
    },
  },
  {
    title: 'a strategic merge patch that is none is refused',
    async run(api) {
      await deploy(api);
      for (const body of [
        '',
        '[]',
        '{',
        '{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}',
        '{"metadata":{"$patch":"jump"}}',
      ]) {
        await api.patch(`${sets(api)}/d`, 'strategic-merge', body);
      }
    },
  },
]);

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;
const sets = ({ namespace }: CaseApi) => `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
const deployments = ({ namespace }: CaseApi) => `/apis/apps/v1/namespaces/${namespace}/deployments`;

function fill(api: CaseApi): Promise<unknown> {
  return api.quietly.post(maps(api), { metadata: { name: 'a', labels: { l: '1' } }, data: { k: 'v' } });
}

/** A StatefulSet: the real server runs without its controller. */
function deploy(api: CaseApi): Promise<unknown> {
  return api.quietly.post(sets(api), {
    metadata: { name: 'd', labels: { app: 'd' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'a:1',
              env: [
                { name: 'X', value: '1' },
                { name: 'Y', value: '1' },
              ],
            },
          ],
        },
      },
    },
  });
}
