/**
 * The controllers, scheduler and Nodes of the sandbox beside a real kube-apiserver that has no
 * kube-controller-manager.
 */
import type { Client } from '@isthmus/kube';
import {
  createClient,
  httpsTransport,
  memoryLog,
  noMetrics,
  staticToken,
  systemClock,
  systemRandom,
} from '@isthmus/kube';
import type { RealApiServer } from '@isthmus/testkit';
import { adminTransport, startApiServer, waitLimitMs } from '@isthmus/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClusterControllers } from './cluster-controllers.ts';
import { SimulationAnnotation } from './nodes/simulated-node.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the server, in tests
type Json = any;

const log = memoryLog();
const end = new AbortController();
let server: RealApiServer;
let client: Client;
let running: Promise<void>;

beforeAll(async () => {
  server = await startApiServer({ name: 'controllers' });
  client = createClient({ transport: adminTransport(server, 'controllers/1'), clock: systemClock() });
  running = createClusterControllers({
    client,
    world: { clock: systemClock(), random: systemRandom(), log, metrics: noMetrics },
    caData: server.caData,
    mintToken: boundToken,
    kubelet: {
      nodes: [
        { name: 'n1', podCIDR: '10.244.1.0/24' },
        { name: 'n2', podCIDR: '10.244.2.0/24' },
      ],
      terminationMs: 200,
    },
  }).run(end.signal);
});

afterAll(async () => {
  end.abort(new Error('the tests are over'));
  await running;
  client?.close();
  await server?.[Symbol.asyncDispose]();
});

/**
 * A token bound to the Secret. Only kube-controller-manager has the key for tokens that do not
 * expire.
 */
async function boundToken(
  { metadata: account }: { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } },
  { metadata: secret }: { readonly metadata: { readonly name: string; readonly uid?: string | undefined } },
): Promise<string> {
  const { status } = await ask(
    'POST',
    `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: secret.name, uid: secret.uid } },
    },
  );
  return status.token as string;
}

async function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  by = client,
): Promise<Json> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await by.request({ method, path, headers: { 'content-type': type }, body: text });
  return JSON.parse(answer.text);
}

const items = async (path: string): Promise<readonly Json[]> => (await ask('GET', path)).items;

/** Reads until the result is as expected. After the limit it fails with the difference. */
async function eventually(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const limit = performance.now() + waitLimitMs();
  for (;;) {
    const got = await read();
    try {
      return expect(got).toEqual(expected);
    } catch (error) {
      if (performance.now() > limit) throw error;
    }
    await sleep(50);
  }
}

const namespace = async (name: string) => {
  await ask('POST', '/api/v1/namespaces', { metadata: { name } });
  await eventually(async () => (await items(`/api/v1/namespaces/${name}/serviceaccounts`)).length, 1);
  return { core: `/api/v1/namespaces/${name}`, apps: `/apis/apps/v1/namespaces/${name}` };
};
const template = (app: string, image: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image, ports: [{ name: 'http', containerPort: 80 }] }] },
});
const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: template(name, 'i:1'), ...spec },
});
const images = async (path: string) =>
  (await items(path)).map(({ spec, status }) => `${spec.containers[0].image} ${status.phase}`).toSorted();
const namesOf = async (path: string) => (await items(path)).map(({ metadata }) => metadata.name);

describe('the controllers at a real API server', () => {
  it('make its Nodes ready, and give each Namespace its ServiceAccount and the certificate', async () => {
    const ready = async () =>
      (await items('/api/v1/nodes')).map(
        ({ metadata, status }) =>
          `${metadata.name} ${status.conditions?.find(({ type }: Json) => type === 'Ready')?.status}`,
      );
    await eventually(ready, ['n1 True', 'n2 True']);
    const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
    const where = async (path: string) =>
      (await items(path)).map(({ metadata }) => metadata.namespace as string).toSorted();
    await eventually(() => where('/api/v1/serviceaccounts?fieldSelector=metadata.name=default'), namespaces);
    await eventually(() => where('/api/v1/configmaps?fieldSelector=metadata.name=kube-root-ca.crt'), namespaces);
  });

  it('roll a Deployment out to new Pods, and have a Service lead to them', async () => {
    const { core, apps } = await namespace('rollout');
    await ask('POST', `${apps}/deployments`, workload('web', { replicas: 3 }));
    const ports = [{ port: 80, targetPort: 'http' }];
    await ask('POST', `${core}/services`, { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } });
    const available = async () => (await ask('GET', `${apps}/deployments/web`)).status.availableReplicas;
    await eventually(available, 3);
    await ask('PATCH', `${apps}/deployments/web`, { spec: { template: template('web', 'i:2') } });
    await eventually(() => images(`${core}/pods`), ['i:2 Running', 'i:2 Running', 'i:2 Running']);
    await eventually(
      async () => {
        const { metadata, status } = await ask('GET', `${apps}/deployments/web`);
        const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status;
        const progress = status.conditions.find(({ type }: Json) => type === 'Progressing').reason;
        const isObserved = observedGeneration === metadata.generation;
        return { isObserved, replicas, updatedReplicas, availableReplicas, progress };
      },
      { isObserved: true, replicas: 3, updatedReplicas: 3, availableReplicas: 3, progress: 'NewReplicaSetAvailable' },
    );
    const addresses = async () => (await items(`${core}/pods`)).map(({ status }) => status.podIP as string).toSorted();
    await eventually(
      async () => {
        const slices = await items('/apis/discovery.k8s.io/v1/namespaces/rollout/endpointslices');
        const listed: readonly Json[] = slices.flatMap(({ endpoints }) => endpoints ?? []);
        return listed.map(({ addresses: [one] }) => one as string).toSorted();
      },
      await addresses(),
    );
  });

  it('keep a StatefulSet and a DaemonSet, and replace the Pods of both', async () => {
    const { core, apps } = await namespace('sets');
    await ask('POST', `${apps}/statefulsets`, workload('db', { replicas: 2, serviceName: 'db' }));
    await ask('POST', `${apps}/daemonsets`, workload('all'));
    const pods = (app: string) => images(`${core}/pods?labelSelector=app%3D${app}`);
    await eventually(() => namesOf(`${core}/pods?labelSelector=app%3Ddb`), ['db-0', 'db-1']);
    await eventually(() => pods('all'), ['i:1 Running', 'i:1 Running']);
    await ask('PATCH', `${apps}/statefulsets/db`, { spec: { template: template('db', 'i:2') } });
    await ask('PATCH', `${apps}/daemonsets/all`, { spec: { template: template('all', 'i:2') } });
    await eventually(() => pods('db'), ['i:2 Running', 'i:2 Running']);
    await eventually(() => pods('all'), ['i:2 Running', 'i:2 Running']);
    await eventually(async () => {
      const { currentRevision, updateRevision } = (await ask('GET', `${apps}/statefulsets/db`)).status;
      return currentRevision === updateRevision;
    }, true);
  });

  it('take a Pod that is made not ready out of its Service', async () => {
    const { core } = await namespace('readiness');
    const { metadata, spec } = template('one', 'i:1');
    await ask('POST', `${core}/pods`, { metadata: { name: 'one', ...metadata }, spec });
    await ask('POST', `${core}/services`, {
      metadata: { name: 'one' },
      spec: { selector: { app: 'one' }, ports: [{ port: 80 }] },
    });
    const ready = async () =>
      (await items('/apis/discovery.k8s.io/v1/namespaces/readiness/endpointslices')).flatMap(({ endpoints }) =>
        (endpoints ?? []).map(({ conditions }: Json) => conditions.ready),
      );
    await eventually(ready, [true]);
    await ask('PATCH', `${core}/pods/one`, { metadata: { annotations: { [SimulationAnnotation.ready]: 'false' } } });
    await eventually(ready, [false]);
  });

  it('delete in the background, in the foreground, and leave orphans', async () => {
    const { core, apps } = await namespace('cascade');
    const left = async () => ({
      deployments: await namesOf(`${apps}/deployments`),
      sets: (await items(`${apps}/replicasets`)).length,
      pods: (await items(`${core}/pods`)).length,
    });
    const remove = async (path: string, propagationPolicy: string) =>
      ask('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy });
    for (const policy of ['Background', 'Foreground']) {
      await ask('POST', `${apps}/deployments`, workload('web', { replicas: 2 }));
      await eventually(left, { deployments: ['web'], sets: 1, pods: 2 });
      await remove(`${apps}/deployments/web`, policy);
      await eventually(left, { deployments: [], sets: 0, pods: 0 });
    }
    await ask('POST', `${apps}/deployments`, workload('web', { replicas: 2 }));
    await eventually(left, { deployments: ['web'], sets: 1, pods: 2 });
    await remove(`${apps}/deployments/web`, 'Orphan');
    await eventually(left, { deployments: [], sets: 1, pods: 2 });
    const [set] = await items(`${apps}/replicasets`);
    expect(set.metadata.ownerReferences).toBeUndefined();
  });

  it('collect custom objects whose definition came later, by owners of another kind', async () => {
    const { core } = await namespace('custom');
    const schema = { openAPIV3Schema: { type: 'object' } };
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.test.isthmus.dev' },
      spec: {
        group: 'test.isthmus.dev',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const widgets = '/apis/test.isthmus.dev/v1/namespaces/custom/widgets';
    await eventually(() => namesOf(widgets).catch(() => 'not served'), []);
    const owner = await ask('POST', `${core}/configmaps`, { metadata: { name: 'owner' } });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid };
    await ask('POST', widgets, {
      apiVersion: 'test.isthmus.dev/v1',
      kind: 'Widget',
      metadata: { name: 'w', ownerReferences: [reference] },
    });
    await ask('DELETE', `${core}/configmaps/owner`);
    await eventually(() => namesOf(widgets), []);
  });

  it('fill a token Secret, by which the server knows the ServiceAccount, and delete one whose ServiceAccount is gone', async () => {
    const { core } = await namespace('tokens');
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    const type = 'kubernetes.io/service-account-token';
    await ask('POST', `${core}/secrets`, { metadata: { name: 'key', annotations }, type });
    const data = async () => (await ask('GET', `${core}/secrets/key`)).data ?? {};
    await eventually(async () => Object.keys(await data()).toSorted(), ['ca.crt', 'namespace', 'token']);
    const token = Buffer.from((await data()).token, 'base64').toString();
    const credentials = staticToken(token);
    const way = httpsTransport({ server: server.url, caPem: server.caData, credentials, userAgent: 'controllers/1' });
    const holder = createClient({ transport: way, clock: systemClock() });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status } = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review, holder);
    expect(status.userInfo.username).toBe('system:serviceaccount:tokens:default');
    holder.close();
    await ask('POST', `${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    await ask('POST', `${core}/secrets`, {
      metadata: { name: 'robot', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type,
    });
    await ask('DELETE', `${core}/serviceaccounts/robot`);
    await eventually(() => namesOf(`${core}/secrets`), ['key']);
  });

  it('empty a Namespace that is deleted, and let it go', async () => {
    const { core, apps } = await namespace('going');
    await ask('POST', `${apps}/deployments`, workload('web', { replicas: 2 }));
    await ask('POST', `${apps}/statefulsets`, workload('db', { replicas: 2 }));
    await eventually(async () => (await items(`${core}/pods`)).length, 4);
    await ask('POST', `${core}/configmaps`, { metadata: { name: 'held', finalizers: ['test.isthmus.dev/hold'] } });
    await ask('DELETE', core);
    await eventually(async () => {
      const conditions: readonly Json[] = (await ask('GET', core)).status.conditions ?? [];
      return conditions.filter(({ status }) => status === 'True').map(({ message }) => message);
    }, [
      'Some resources are remaining: configmaps. has 1 resource instances',
      'Some content in the namespace has finalizers remaining: test.isthmus.dev/hold in 1 resource instances',
    ]);
    await ask('PATCH', `${core}/configmaps/held`, { metadata: { finalizers: null } });
    await eventually(() => namesOf(`/api/v1/namespaces?fieldSelector=metadata.name=going`), []);
  });

  it('log no error in all of this', () => {
    expect(log.entries.filter(({ level }) => level === 'error').map((entry) => JSON.stringify(entry))).toEqual([]);
  });
});
