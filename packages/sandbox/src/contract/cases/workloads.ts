import type { Answer, CaseApi, PatchType } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * Deployments, ReplicaSets, StatefulSets, DaemonSets, without their controllers. They have no
 * replicas, so nothing happens to them.
 */
export const workloads = contractArea('workloads', [
  ...(['deployments', 'replicasets', 'statefulsets', 'daemonsets'] as const).flatMap((kind) => [
    {
      title: `${kind}: defaults are filled in`,
      run: async (api: CaseApi) => void (await dry(api, kind, valid)),
    },
    {
      title: `${kind}: without selector and template it is refused`,
      async run(api: CaseApi) {
        await dry(api, kind, {});
        await dry(api, kind, { ...valid, selector: {} });
        await dry(api, kind, { ...valid, selector: { matchLabels: { app: 'a b' } } });
      },
    },
    {
      title: `${kind}: the selector selects what the template makes`,
      async run(api: CaseApi) {
        await dry(api, kind, { ...valid, selector: { matchLabels: { app: 'b' } } });
        await dry(api, kind, {
          ...valid,
          selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
        });
        await dry(api, kind, {
          ...valid,
          selector: {
            matchExpressions: [
              { key: 'app', operator: 'Near' },
              { key: 'x', operator: 'In' },
            ],
          },
        });
        await dry(api, kind, { ...valid, template: { spec: valid.template.spec } });
      },
    },
    {
      title: `${kind}: numbers are not negative`,
      run: async (api: CaseApi) =>
        void (await dry(api, kind, { ...valid, replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 })),
    },
    {
      title: `${kind}: Pods always restart and have no deadline`,
      run: async (api: CaseApi) =>
        void (await dry(api, kind, template({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }))),
    },
    {
      title: `${kind}: the template is judged as a Pod is`,
      async run(api: CaseApi) {
        await dry(api, kind, template({ containers: [] }));
        await dry(
          api,
          kind,
          template({ containers: [{ name: 'A', image: '', ports: [{ containerPort: 0 }] }], dnsPolicy: 'x' }),
        );
        await dry(
          api,
          kind,
          template({
            hostNetwork: true,
            containers: [{ ...container, ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1' } } }],
          }),
        );
        await dry(api, kind, {
          ...valid,
          template: {
            metadata: { labels: { app: 'a', 'b c': 'd' }, annotations: { 'e f': '' } },
            spec: valid.template.spec,
          },
        });
      },
    },
    {
      title: `${kind}: warnings come from the template and the name`,
      async run(api: CaseApi) {
        const warned = {
          containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }],
          terminationGracePeriodSeconds: -5,
        };
        await api.post(
          path(api, kind),
          { metadata: { name: 'a' }, spec: template(warned) },
          { query: { dryRun: 'All' } },
        );
        await api.post(path(api, kind), { metadata: { name: 'a.b' }, spec: valid }, { query: { dryRun: 'All' } });
      },
    },
    {
      title: `${kind}: the selector stays, other changes count`,
      async run(api: CaseApi) {
        await make(api, kind);
        const change = async (spec: object) => {
          const { status, body } = await api.unnoted.patch(
            `${path(api, kind)}/a`,
            'merge',
            { spec },
            { query: { dryRun: 'All' } },
          );
          api.note('then', status < 400 ? body.metadata.generation : [status, body]);
        };
        await change({ selector: { matchLabels: { app: 'b' } } });
        await change({ selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } });
        await change({ template: { spec: { hostname: 'x' } } });
        await change({ minReadySeconds: 3 });
      },
    },
    {
      title: `${kind}: labels do not count, annotations only of a Deployment`,
      async run(api: CaseApi) {
        await make(api, kind);
        for (const metadata of [{ labels: { x: 'y' } }, { annotations: { x: 'y' } }]) {
          const { body } = await api.unnoted.patch(
            `${path(api, kind)}/a`,
            'merge',
            { metadata },
            { query: { dryRun: 'All' } },
          );
          api.note('then', body.metadata.generation);
        }
      },
    },
    {
      title: `${kind}: strategies are checked`,
      async run(api: CaseApi) {
        const field = kind === 'deployments' ? 'strategy' : 'updateStrategy';
        for (const strategy of strategies) await dry(api, kind, { ...valid, [field]: strategy });
      },
    },
  ]),
  {
    title: 'a StatefulSet keeps what it was made with',
    async run(api) {
      await make(api, 'statefulsets');
      for (const spec of [{ serviceName: 'x' }, { podManagementPolicy: 'Parallel' }, { ordinals: { start: 3 } }]) {
        const query = { dryRun: 'All' };
        const { status, body } = await api.unnoted.patch(
          `${path(api, 'statefulsets')}/a`,
          'merge',
          { spec },
          { query },
        );
        api.note('then', status < 400 ? body.spec : body);
      }
    },
  },
  {
    title: 'a StatefulSet takes its volumes from its claims',
    async run(api) {
      const claim = {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      };
      const containers = [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/d' }] }];
      await dry(api, 'statefulsets', { ...template({ containers }), volumeClaimTemplates: [claim] });
      await dry(api, 'statefulsets', template({ containers }));
    },
  },
  {
    title: 'policies of a StatefulSet are taken from their lists',
    async run(api) {
      await dry(api, 'statefulsets', {
        ...valid,
        podManagementPolicy: 'Any',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Never' },
        serviceName: 'A',
        ordinals: { start: -1 },
      });
      await api.post(
        path(api, 'statefulsets'),
        { metadata: { name: 'a.b' }, spec: valid },
        { query: { dryRun: 'All' } },
      );
    },
  },
  {
    title: 'a Deployment has longer to progress than Pods to be ready',
    async run(api) {
      await dry(api, 'deployments', { ...valid, minReadySeconds: 10, progressDeadlineSeconds: 10 });
      await dry(api, 'deployments', { ...valid, progressDeadlineSeconds: -1 });
    },
  },
  ...(['deployments', 'replicasets', 'statefulsets'] as const).flatMap((kind) => [
    {
      title: `${kind}: the status is written by itself and checked`,
      async run(api: CaseApi) {
        await make(api, kind);
        const write = (status: object) =>
          api.patch(`${path(api, kind)}/a/status`, 'merge', { status }, { query: { dryRun: 'All' } });
        await write({ replicas: -1, readyReplicas: 3, availableReplicas: 4, observedGeneration: -1 });
        // The real controller of StatefulSets counts collisions from the start.
        const collisions = kind === 'statefulsets' ? {} : { collisionCount: -2 };
        await write({ ...collisions, terminatingReplicas: -1, replicas: -1 });
      },
    },
    {
      title: `${kind}: the scale is read and set`,
      async run(api: CaseApi) {
        await make(api, kind);
        const at = `${path(api, kind)}/a/scale`;
        const { body } = await api.quietly.get(at);
        api.note('scale', { ...body, metadata: { ...body.metadata, resourceVersion: '' } });
        const note = async (label: string, answer: Promise<Answer>) => {
          const { status, body: said } = await answer;
          api.note(label, status < 400 ? said.spec : [status, said]);
        };
        const query = { dryRun: 'All' };
        const put = (given: object) => api.unnoted.put(at, given, { query });
        const patch = (type: PatchType, given: unknown) => api.unnoted.patch(at, type, given, { query });
        await note(
          'put',
          put({ ...body, metadata: { ...body.metadata, resourceVersion: undefined }, spec: { replicas: 2 } }),
        );
        await note('merge', patch('merge', { spec: { replicas: 3 } }));
        await note('json', patch('json', [{ op: 'add', path: '/spec/replicas', value: 4 }]));
        await note('strategic', patch('strategic-merge', { spec: { replicas: 5 } }));
        await note('negative', patch('merge', { spec: { replicas: -1 } }));
        await note(
          'stale',
          put({ ...body, metadata: { ...body.metadata, resourceVersion: '1' }, spec: { replicas: 2 } }),
        );
        await note(
          'other uid',
          put({
            ...body,
            metadata: { name: 'a', namespace: api.namespace, uid: '11111111-1111-1111-1111-111111111111' },
          }),
        );
        await note('other name', put({ metadata: { name: 'b' }, spec: {} }));
        await note('none', api.unnoted.get(`${path(api, kind)}/none/scale`));
      },
    },
  ]),
  {
    title: 'the status of a DaemonSet is checked',
    async run(api) {
      await make(api, 'daemonsets');
      const at = `${path(api, 'daemonsets')}/a/status`;
      await api.patch(
        at,
        'merge',
        { status: { numberReady: -1, desiredNumberScheduled: -3 } },
        { query: { dryRun: 'All' } },
      );
    },
  },
  {
    title: 'a ControllerRevision has data, which stays',
    async run(api) {
      const at = path(api, 'controllerrevisions');
      await api.post(at, { metadata: { name: 'a' }, revision: -1 });
      await api.post(at, { metadata: { name: 'a' }, revision: 1, data: [1] });
      await api.post(at, { metadata: { name: 'a' }, revision: 1, data: { a: 1 } });
      await api.patch(`${at}/a`, 'merge', { revision: 2 });
      await api.patch(`${at}/a`, 'merge', { data: { a: 2 } });
    },
  },
]);

type Kind = 'deployments' | 'replicasets' | 'statefulsets' | 'daemonsets' | 'controllerrevisions';

const container = { name: 'c', image: 'x:1' };

const valid = {
  replicas: 0,
  selector: { matchLabels: { app: 'a' } },
  template: { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } },
};

const strategies: readonly object[] = [
  { type: 'OnDelete' },
  { type: 'OnDelete', rollingUpdate: { partition: 1 } },
  { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
  { type: 'Recreate' },
  { type: 'RollingUpdate' },
  { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
  { rollingUpdate: { maxUnavailable: '0%', maxSurge: '150%' } },
  { rollingUpdate: { maxUnavailable: '150%', maxSurge: 0 } },
  { rollingUpdate: { maxUnavailable: 'x', maxSurge: -1 } },
  { rollingUpdate: { maxUnavailable: 1, maxSurge: 1, partition: -1 } },
];

const path = ({ namespace }: CaseApi, kind: Kind) => `/apis/apps/v1/namespaces/${namespace}/${kind}`;

function template(spec: object): object {
  return { ...valid, template: { ...valid.template, spec: { ...valid.template.spec, ...spec } } };
}

/** Posts an object of the kind as a dry run, with those fields of the spec that the kind has. */
function dry(api: CaseApi, kind: Kind, spec: object): Promise<unknown> {
  return api.post(
    path(api, kind),
    { metadata: { name: 'a' }, spec: fieldsOf(kind, spec) },
    { query: { dryRun: 'All', fieldValidation: 'Ignore' } },
  );
}

/**
 * DaemonSets have no replicas; a controller would touch one that selects a node, so that nothing
 * matches.
 */
function fieldsOf(kind: Kind, spec: object): object {
  return kind === 'daemonsets'
    ? Object.fromEntries(Object.entries(spec).filter(([name]) => name !== 'replicas'))
    : spec;
}

async function make(api: CaseApi, kind: Kind): Promise<void> {
  await api.quietly.post(path(api, kind), { metadata: { name: 'a' }, spec: fieldsOf(kind, valid) });
}
