import type { CaseApi, Json } from '../case-api.ts';
import type { ContractArea, ContractCase } from '../contract-case.ts';
import { contractArea } from '../contract-case.ts';

const cases: readonly ContractCase[] = [
  {
    title: 'a Deployment makes a ReplicaSet, named by the hash of its template',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 2 });
      await api.eventually(
        all(api, 'replicasets'),
        ({ items }) => items.length === 1 && items[0].status.replicas === 2,
      );
    },
  },
  {
    title: 'the Pods of a ReplicaSet have its template, its name and it as owner',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 1 });
      await api.eventually(pods(api), ({ items }) => items.length === 1);
    },
  },
  {
    title: 'a Deployment tells how far it is',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 2 });
      await settledStatus(
        api,
        'deployments',
        'web',
        ({ replicas, conditions }) =>
          replicas === 2 && conditions.some(({ reason }: Json) => reason === 'ReplicaSetUpdated'),
      );
      await ready(api, 1);
      await settledStatus(api, 'deployments', 'web', ({ readyReplicas }) => readyReplicas === 1);
      await ready(api, 2);
      await settledStatus(api, 'deployments', 'web', ({ conditions }) =>
        conditions.some(({ reason }: Json) => reason === 'NewReplicaSetAvailable'),
      );
    },
  },
  {
    title: 'a new template rolls out by surge and availability, and its revision counts up',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 2 });
      await ready(api, 2);
      await change(api, 'deployments', 'web', template('x:2'));
      await noteSets(
        api,
        'one more, none less',
        (sets) => sets.length === 2 && sets.some(({ spec }) => spec.replicas === 1),
      );
      await rolled(api, 'x:2', 2);
      await noteSets(api, 'rolled out', (sets) =>
        sets.some(({ spec, status }) => spec.replicas === 0 && status.replicas === 0),
      );
      await settledStatus(
        api,
        'deployments',
        'web',
        ({ updatedReplicas, replicas }) => updatedReplicas === 2 && replicas === 2,
      );
      api.note('revision', await annotations(api, 'deployments', 'web'));
    },
  },
  {
    title: 'a template that was there before gets its ReplicaSet back, with a new revision',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 0 });
      await noteSets(api, 'first', (sets) => sets.length === 1);
      await change(api, 'deployments', 'web', template('x:2'));
      await noteSets(api, 'second', (sets) => sets.length === 2);
      await change(api, 'deployments', 'web', template('x:1'));
      await noteSets(api, 'first again', (sets) =>
        sets.some(({ metadata }) => metadata.annotations['deployment.kubernetes.io/revision'] === '3'),
      );
    },
  },
  {
    title: 'history is kept as long as it is asked for',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 0, revisionHistoryLimit: 1 });
      await noteSets(api, 'one', (sets) => sets.length === 1);
      for (const image of ['x:2', 'x:3']) {
        await change(api, 'deployments', 'web', template(image));
        await settled(api, 'replicasets', (sets) =>
          sets.some(({ spec }) => spec.template.spec.containers[0].image === image),
        );
      }
      await noteSets(
        api,
        'two',
        (sets) => sets.length === 2 && sets.every(({ spec }) => spec.template.spec.containers[0].image !== 'x:1'),
      );
    },
  },
  {
    title: 'Recreate takes the old Pods away before it makes new ones',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 1, strategy: { type: 'Recreate' } });
      await ready(api, 1);
      await change(api, 'deployments', 'web', template('x:2'));
      await noteSets(api, 'new there', (sets) =>
        sets.some(({ spec, status }) => status.replicas === 1 && spec.template.spec.containers[0].image === 'x:2'),
      );
    },
  },
  {
    title: 'a Deployment that is paused rolls nothing out, and says so',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 0 });
      await settled(
        api,
        'deployments',
        ([web]) => web.status.conditions?.length === 2 && web.status.conditions[1].reason === 'NewReplicaSetAvailable',
      );
      await change(api, 'deployments', 'web', { paused: true, ...template('x:2') });
      await settledStatus(
        api,
        'deployments',
        'web',
        ({ conditions, observedGeneration }) =>
          observedGeneration === 2 && conditions?.some(({ reason }: Json) => reason === 'DeploymentPaused'),
      );
      await noteSets(api, 'paused', (sets) => sets.length === 1);
      await change(api, 'deployments', 'web', { paused: null });
      await noteSets(api, 'resumed', (sets) => sets.length === 2);
    },
  },
  {
    title: 'a Deployment takes up a ReplicaSet of its template that nobody owns',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(all(api, 'replicasets'), {
        metadata: { name: 'stray', labels: { app: 'web', 'pod-template-hash': 'abcdef' } },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'web', 'pod-template-hash': 'abcdef' } },
          template: {
            metadata: { labels: { app: 'web', 'pod-template-hash': 'abcdef' } },
            spec: { containers: [{ name: 'c', image: 'x:1' }] },
          },
        },
      });
      await deployment(api, 'web', { replicas: 0 });
      await settled(api, 'replicasets', (sets) => sets.some(({ metadata }) => metadata.ownerReferences !== undefined));
      await settled(api, 'deployments', ([web]) => web.status.observedGeneration === 1);
      await noteSets(api, 'taken up', (sets) => sets.length === 1);
    },
  },
  {
    title: 'a Deployment that goes takes its ReplicaSets and Pods with it',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 1 });
      await settled(api, 'pods', (items) => items.length === 1);
      await api.quietly.delete(`${all(api, 'deployments')}/web`);
      await settled(api, 'replicasets', (items) => items.length === 0);
      await settled(api, 'pods', (items) => items.length === 0);
      api.note('left', 0);
    },
  },
  {
    title: 'a ReplicaSet makes a Pod for each that goes, and lets the least missed go',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(all(api, 'replicasets'), {
        metadata: { name: 'rs' },
        spec: { replicas: 2, ...podsOf('web', 'x:1') },
      });
      await ready(api, 1);
      const { body } = await api.quietly.get(pods(api));
      const kept = body.items.find(({ status }: Json) => status.phase === 'Running');
      await change(api, 'replicasets', 'rs', { replicas: 1 });
      await settled(api, 'pods', (items) => items.length === 1);
      const after = await api.quietly.get(pods(api));
      api.note('the ready one is kept', after.body.items[0].metadata.uid === kept.metadata.uid);
      await api.quietly.delete(`${pods(api)}/${kept.metadata.name}`, { query: { gracePeriodSeconds: '0' } });
      await settled(api, 'pods', (items) => items.length === 1 && items[0].metadata.uid !== kept.metadata.uid);
      api.note('another came', 1);
    },
  },
  {
    title: 'a ReplicaSet takes up Pods that fit, and lets go of those that no longer do',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(pods(api), {
        metadata: { name: 'stray', labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'x:1' }] },
      });
      await api.quietly.post(all(api, 'replicasets'), {
        metadata: { name: 'rs' },
        spec: { replicas: 1, ...podsOf('web', 'x:1') },
      });
      await api.eventually(`${pods(api)}/stray`, ({ metadata }) => metadata.ownerReferences !== undefined);
      await api.quietly.patch(`${pods(api)}/stray`, 'merge', { metadata: { labels: { app: 'other' } } });
      await api.eventually(`${pods(api)}/stray`, ({ metadata }) => metadata.ownerReferences === undefined);
      await settled(api, 'pods', (items) => items.length === 2);
    },
  },
  {
    title: 'the status of a ReplicaSet counts what is there, labelled, ready and available',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(all(api, 'replicasets'), {
        metadata: { name: 'rs' },
        spec: { replicas: 2, ...podsOf('web', 'x:1') },
      });
      await settledStatus(api, 'replicasets', 'rs', ({ replicas }) => replicas === 2);
      await ready(api, 1);
      await settledStatus(api, 'replicasets', 'rs', ({ availableReplicas }) => availableReplicas === 1);
      await change(api, 'replicasets', 'rs', { replicas: 0 });
      await settledStatus(
        api,
        'replicasets',
        'rs',
        ({ replicas, observedGeneration }) => replicas === 0 && observedGeneration === 2,
      );
    },
  },
  {
    title: 'a StatefulSet makes its first Pod, and the next when that is ready',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(all(api, 'statefulsets'), {
        metadata: { name: 'db' },
        spec: { serviceName: 'db', replicas: 2, ...podsOf('db', 'x:1') },
      });
      await api.eventually(pods(api), ({ items }) => items.length === 1);
      await ready(api, 1);
      await settled(api, 'pods', (items) => items.length === 2);
      await settledStatus(
        api,
        'statefulsets',
        'db',
        ({ replicas, readyReplicas }) => replicas === 2 && readyReplicas === 1,
      );
      api.note('names', await names(api));
    },
  },
  {
    title: 'a StatefulSet has a ControllerRevision of its template',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(all(api, 'statefulsets'), {
        metadata: { name: 'db' },
        spec: { serviceName: 'db', replicas: 0, ...podsOf('db', 'x:1') },
      });
      await settledStatus(api, 'statefulsets', 'db', ({ currentRevision }) => currentRevision !== undefined);
      await api.eventually(all(api, 'controllerrevisions'), ({ items }) => items.length === 1);
      await change(api, 'statefulsets', 'db', template('x:2'));
      await api.eventually(all(api, 'controllerrevisions'), ({ items }) => items.length === 2);
    },
  },
  {
    title: 'a StatefulSet with Parallel makes all Pods at once, from its start',
    needsControllers: true,
    async run(api) {
      const spec = {
        serviceName: 'db',
        replicas: 3,
        podManagementPolicy: 'Parallel',
        ordinals: { start: 5 },
        ...podsOf('db', 'x:1'),
      };
      await api.quietly.post(all(api, 'statefulsets'), { metadata: { name: 'db' }, spec });
      await settled(api, 'pods', (items) => items.length === 3);
      api.note('names', await names(api));
      await change(api, 'statefulsets', 'db', { replicas: 1 });
      await settled(api, 'pods', (items) => items.length === 1);
      api.note('left', await names(api));
    },
  },
  {
    title: 'a StatefulSet replaces its Pods from the last on, down to its partition',
    needsControllers: true,
    async run(api) {
      const spec = {
        serviceName: 'db',
        replicas: 2,
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        ...podsOf('db', 'x:1'),
      };
      await api.quietly.post(all(api, 'statefulsets'), { metadata: { name: 'db' }, spec });
      await ready(api, 2);
      await settledStatus(
        api,
        'statefulsets',
        'db',
        ({ readyReplicas, currentReplicas }) => readyReplicas === 2 && currentReplicas === 2,
      );
      await change(api, 'statefulsets', 'db', template('x:2'));
      await settled(api, 'pods', (items) => items.some(({ spec: { containers } }) => containers[0].image === 'x:2'));
      await ready(api, 2);
      await settledStatus(
        api,
        'statefulsets',
        'db',
        ({ updatedReplicas, readyReplicas }) => updatedReplicas === 1 && readyReplicas === 2,
      );
      api.note('images', await images(api));
    },
  },
  {
    title: 'a DaemonSet makes a Pod for each Node, bound to it by affinity',
    needsControllers: true,
    run: withNodes(async (api) => {
      await api.quietly.post(all(api, 'daemonsets'), { metadata: { name: 'ds' }, spec: daemon(api) });
      await settled(api, 'pods', (items) => items.length === 2);
      const { body } = await api.quietly.get(pods(api));
      const [pod] = body.items;
      api.note('Pod', { metadata: pod.metadata, tolerations: pod.spec.tolerations, affinity: 'affinity' in pod.spec });
      await settledStatus(
        api,
        'daemonsets',
        'ds',
        ({ desiredNumberScheduled, currentNumberScheduled }) =>
          desiredNumberScheduled === 2 && currentNumberScheduled === 2,
      );
    }),
  },
  {
    title: 'a DaemonSet leaves a Node whose labels no longer fit',
    needsControllers: true,
    run: withNodes(async (api) => {
      await api.quietly.post(all(api, 'daemonsets'), { metadata: { name: 'ds' }, spec: daemon(api) });
      await settled(api, 'pods', (items) => items.length === 2);
      await bound(api);
      await api.quietly.patch(`/api/v1/nodes/${api.namespace}-1`, 'merge', { metadata: { labels: { part: 'none' } } });
      const ended = await settled(api, 'pods', (items) => items.some(isEnding));
      api.note(
        'ended',
        ended.filter(isEnding).map(({ spec }) => spec.nodeName),
      );
    }),
  },
  {
    title: 'a DaemonSet makes no Pod for a Node with a taint, and leaves one that runs there alone',
    needsControllers: true,
    run: withNodes(async (api) => {
      const taint = (effect: string) =>
        api.quietly.patch(`/api/v1/nodes/${api.namespace}-1`, 'merge', {
          spec: { taints: [{ key: 'example.com/t', effect }] },
        });
      await taint('NoSchedule');
      await api.quietly.post(all(api, 'daemonsets'), { metadata: { name: 'ds' }, spec: daemon(api) });
      await settled(api, 'pods', (items) => items.length === 1);
      await settledStatus(api, 'daemonsets', 'ds', ({ desiredNumberScheduled }) => desiredNumberScheduled === 1);
      await api.quietly.patch(`/api/v1/nodes/${api.namespace}-1`, 'merge', { spec: { taints: null } });
      await settled(api, 'pods', (items) => items.length === 2);
      await bound(api);
      await taint('NoSchedule');
      await api.pass(1_000);
      api.note('ended', (await settled(api, 'pods', () => true)).filter(isEnding).length);
      await taint('NoExecute');
      const ended = await settled(api, 'pods', (items) => items.some(isEnding));
      api.note(
        'ended',
        ended.filter(isEnding).map(({ spec }) => spec.nodeName),
      );
    }),
  },
  {
    title: 'a Deployment and its ReplicaSets tell in Events how they scale and whom they make',
    needsControllers: true,
    async run(api) {
      await deployment(api, 'web', { replicas: 1 });
      await ready(api, 1);
      await change(api, 'deployments', 'web', { replicas: 2 });
      await settled(api, 'pods', (items) => items.length === 2);
      await change(api, 'deployments', 'web', { replicas: 0 });
      await settled(api, 'pods', (items) => items.length === 0);
      await noteEvents(api, 7);
    },
  },
  {
    title: 'a StatefulSet tells in Events whom it makes and deletes',
    needsControllers: true,
    async run(api) {
      const spec = { serviceName: 'db', replicas: 1, ...podsOf('db', 'x:1') };
      await api.quietly.post(all(api, 'statefulsets'), { metadata: { name: 'db' }, spec });
      await settled(api, 'pods', (items) => items.length === 1);
      await change(api, 'statefulsets', 'db', { replicas: 0 });
      await settled(api, 'pods', (items) => items.length === 0);
      await noteEvents(api, 2);
    },
  },
  {
    title: 'a DaemonSet tells in Events whom it makes and deletes',
    needsControllers: true,
    run: withNodes(async (api) => {
      await api.quietly.post(all(api, 'daemonsets'), { metadata: { name: 'ds' }, spec: daemon(api) });
      await settled(api, 'pods', (items) => items.length === 2);
      await bound(api);
      await api.quietly.patch(`/api/v1/nodes/${api.namespace}-1`, 'merge', { metadata: { labels: { part: 'none' } } });
      await settled(api, 'pods', (items) => items.some(isEnding));
      await noteEvents(api, 3);
    }),
  },
  {
    title: 'a Deployment whose Pods are refused says so, as does its ReplicaSet, and an Event',
    needsControllers: true,
    async run(api) {
      const { selector, template: of } = podsOf('web', 'x:1');
      const refused = { ...of, spec: { ...of.spec, serviceAccountName: 'nobody' } };
      await deployment(api, 'web', { replicas: 2, selector, template: refused });
      for (const kind of ['replicasets', 'deployments']) {
        const [{ status }] = await settled(api, kind, ([one]) =>
          one?.status.conditions?.some(({ type }: Json) => type === 'ReplicaFailure'),
        );
        const conditions = status.conditions.map(({ type, reason, status: is }: Json) => [type, is, reason]).toSorted();
        api.note(`the ${kind}`, { ...status, conditions });
      }
      const { items } = (await api.quietly.get(all(api, 'replicasets'))).body;
      api.note('why', items[0].status.conditions[0].message.replace(/"[^"]*" is/, '"NAME" is'));
    },
  },
  {
    title: 'a Namespace that goes takes its workloads along',
    needsControllers: true,
    async run(api) {
      const other = `${api.namespace}-2`;
      await api.quietly.post('/api/v1/namespaces', { metadata: { name: other } });
      await api.quietly.eventually(`/api/v1/namespaces/${other}/serviceaccounts`, ({ items }) => items.length > 0);
      const within: CaseApi = { ...api, namespace: other };
      await deployment(within, 'web', { replicas: 2 });
      await settled(within, 'pods', (items) => items.length === 2);
      await api.quietly.delete(`/api/v1/namespaces/${other}`);
      await api.settled(async () => (await api.unnoted.get(`/api/v1/namespaces/${other}`)).status === 404);
      api.note('gone', (await api.unnoted.get(pods(within))).body.items);
    },
  },
];

/**
 * Deployments, ReplicaSets, StatefulSets and DaemonSets with their controllers. No scheduler and no
 * kubelet run: a case writes their part.
 */
export const controllersWorkloads: ContractArea = {
  ...contractArea('controllers-workloads', cases),
  moreControllers: ['statefulset-controller', 'daemonset-controller'],
};

const all = ({ namespace }: CaseApi, plural: string) => `/apis/apps/v1/namespaces/${namespace}/${plural}`;
const pods = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/pods`;
const template = (image: string) => ({ template: { spec: { containers: [{ name: 'c', image }] } } });

function podsOf(app: string, image: string) {
  const labels = { app };
  return { selector: { matchLabels: labels }, template: { metadata: { labels }, ...template(image).template } };
}

/** Pods need the ServiceAccount of their Namespace. */
async function deployment(api: CaseApi, name: string, spec: object): Promise<void> {
  await api.quietly.post(all(api, 'deployments'), { metadata: { name }, spec: { ...podsOf(name, 'x:1'), ...spec } });
}

function change(api: CaseApi, plural: string, name: string, spec: object): Promise<unknown> {
  return api.quietly.patch(`${all(api, plural)}/${name}`, 'strategic-merge', { spec });
}

async function settled(
  api: CaseApi,
  plural: string,
  isSo: (items: readonly Json[]) => boolean,
): Promise<readonly Json[]> {
  const path = plural === 'pods' ? pods(api) : all(api, plural);
  return (await api.quietly.eventually(path, ({ items }) => isSo(items))).body.items;
}

/** Notes a status without its times. */
async function settledStatus(
  api: CaseApi,
  plural: string,
  name: string,
  isSo: (status: Json) => boolean,
): Promise<void> {
  const { body } = await api.quietly.eventually(`${all(api, plural)}/${name}`, ({ status }) => isSo(status));
  const { conditions, ...counts } = body.status;
  const told = conditions?.map(({ type, status, reason, message }: Json) => ({
    type,
    status,
    reason,
    message: message.replace(/-[a-z0-9]+"/, '-HASH"'),
  }));
  api.note(`${plural} ${name}`, { labels: hashed(body), ...counts, ...(told && { conditions: told }) });
}

/**
 * The revisions of a status as labels: from labels the normalizer learns the hashes that end the
 * names of revisions.
 */
function hashed({ status }: Json): Json {
  return ['currentRevision', 'updateRevision'].flatMap((key) =>
    status[key] === undefined ? [] : [{ 'controller-revision-hash': status[key] }],
  );
}

/** Waits until that many Events are counted in the Namespace, then notes them sorted by content. */
async function noteEvents(api: CaseApi, count: number): Promise<void> {
  const path = `/api/v1/namespaces/${api.namespace}/events`;
  const told = ({ items }: Json) => items.reduce((sum: number, one: Json) => sum + (one.count ?? 1), 0);
  const { body } = await api.quietly.eventually(path, (events) => told(events) >= count);
  const events = body.items.map(
    ({ involvedObject, type, reason, message, source, reportingComponent, count: times }: Json) => ({
      about: [involvedObject.kind, involvedObject.apiVersion],
      type,
      reason,
      message: message.replaceAll(/web-[a-z0-9]+(-[a-z0-9]+)?|ds-[a-z0-9]+/g, 'NAME'),
      source,
      reportingComponent,
      times,
    }),
  );
  api.note(
    'Events',
    events.toSorted((a: Json, b: Json) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
}

async function annotations(api: CaseApi, plural: string, name: string): Promise<Json> {
  const { body } = await api.quietly.get(`${all(api, plural)}/${name}`);
  return body.metadata.annotations;
}

/** Notes the ReplicaSets by the time they were made. */
async function noteSets(api: CaseApi, what: string, isSo: (sets: readonly Json[]) => boolean): Promise<void> {
  const sets = await settled(api, 'replicasets', isSo);
  const told = sets.map(({ metadata, spec }) => ({
    image: spec.template.spec.containers[0].image,
    replicas: spec.replicas,
    annotations: metadata.annotations,
    labels: Object.keys(metadata.labels).toSorted(),
  }));
  api.note(
    what,
    told.toSorted((a, b) => (a.image < b.image ? -1 : 1)),
  );
}

/** Makes so many Pods run and be ready, which come one by one. */
async function ready(api: CaseApi, count: number): Promise<void> {
  const isReady = ({ status }: Json) => status.phase === 'Running';
  await api.settled(async () => {
    const { body } = await api.quietly.get(pods(api));
    const living = body.items.filter(({ metadata }: Json) => metadata.deletionTimestamp === undefined);
    if (living.filter(isReady).length >= count) return true;
    const next = living.find((pod: Json) => !isReady(pod));
    if (next !== undefined) {
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
      await api.unnoted.patch(`${pods(api)}/${next.metadata.name}/status`, 'merge', {
        status: { phase: 'Running', conditions },
      });
    }
    return false;
  });
}

/** Makes Pods ready until so many are of this image. */
async function rolled(api: CaseApi, image: string, count: number): Promise<void> {
  await api.settled(async () => {
    const { body } = await api.quietly.get(pods(api));
    const fresh = body.items.filter(({ spec }: Json) => spec.containers[0].image === image);
    for (const { metadata, status } of fresh) {
      if (status.phase === 'Running') continue;
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
      await api.unnoted.patch(`${pods(api)}/${metadata.name}/status`, 'merge', {
        status: { phase: 'Running', conditions },
      });
    }
    return (
      fresh.filter(({ status }: Json) => status.phase === 'Running').length === count && body.items.length === count
    );
  });
}

async function names(api: CaseApi): Promise<readonly string[]> {
  const { body } = await api.quietly.get(pods(api));
  return body.items.map(({ metadata }: Json) => metadata.name);
}

async function images(api: CaseApi): Promise<Json> {
  const { body } = await api.quietly.get(pods(api));
  return body.items.map(({ metadata, spec }: Json) => [metadata.name, spec.containers[0].image]);
}

const isEnding = ({ metadata }: Json) => metadata.deletionTimestamp !== undefined;

/** Binds the Pods of a DaemonSet as a scheduler would. */
async function bound(api: CaseApi): Promise<void> {
  const { body } = await api.quietly.get(pods(api));
  for (const { metadata, spec } of body.items) {
    const [term] = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    const target = { kind: 'Node', name: term.matchFields[0].values[0] };
    await api.quietly.post(`${pods(api)}/${metadata.name}/binding`, { metadata: { name: metadata.name }, target });
  }
}

function daemon(api: CaseApi): object {
  const { selector, template: made } = podsOf('ds', 'x:1');
  return { selector, template: { ...made, spec: { ...made.spec, nodeSelector: { part: api.namespace } } } };
}

/** Two Nodes of the case alone. */
function withNodes(work: (api: CaseApi) => Promise<void>): (api: CaseApi) => Promise<void> {
  return async (api) => {
    const both = ['1', '2'].map((one) => `${api.namespace}-${one}`);
    for (const name of both) {
      await api.quietly.post('/api/v1/nodes', { metadata: { name, labels: { part: api.namespace } } });
      // A new Node is tainted until a controller finds it ready.
      await api.quietly.patch(`/api/v1/nodes/${name}`, 'merge', { spec: { taints: null } });
    }
    await work(api);
    for (const name of both) await api.quietly.delete(`/api/v1/nodes/${name}`);
  };
}
