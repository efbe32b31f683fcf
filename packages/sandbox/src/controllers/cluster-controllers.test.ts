import type { Client } from '@isthmus/kube';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';
import { createClusterControllers } from './cluster-controllers.ts';
import { SimulationAnnotation } from './nodes/simulated-node.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the server, in tests
type Json = any;

interface Live {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** Requests that the server has answered so far. */
  readonly requests: () => number;
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Json>;
  items(path: string): Promise<readonly Json[]>;
  /** Ends the controllers, and fails if one of them logged an error. */
  end(): Promise<void>;
}

/** A sandbox with every controller and two Nodes, and the Namespace `a`. */
async function startLive(): Promise<Live> {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  let answered = 0;
  const defects: unknown[] = [];
  const sandbox = createSandbox({
    name: 'live',
    clock,
    onAnswer: () => answered++,
    onDefect: (_, error) => defects.push(error),
  });
  const client = createClient({ transport: sandbox.transport({ kind: 'user', user: admin }), clock });
  const log = memoryLog();
  const end = new AbortController();
  const run = createClusterControllers({
    client,
    world: { clock, random: seededRandom(3), log, metrics: noMetrics },
    caData: 'PEM',
    mintToken: (account) => `token of ${account.metadata.name}`,
    kubelet: {
      nodes: [
        { name: 'n1', podCIDR: '10.244.1.0/24', labels: { disk: 'ssd' } },
        { name: 'n2', podCIDR: '10.244.2.0/24' },
      ],
    },
  }).run(end.signal);
  const live: Live = {
    clock,
    client,
    requests: () => answered,
    async ask(method, path, body) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const request = {
        method,
        path,
        headers: { 'content-type': type },
        body: body === undefined ? undefined : JSON.stringify(body),
      };
      const answer = client.request(request);
      answer.catch(() => {});
      await clock.settle();
      return JSON.parse((await answer).text);
    },
    items: async (path) => (await live.ask('GET', path)).items as readonly Json[],
    async end() {
      end.abort(new Error('the test is over'));
      await clock.advance(20_000);
      await run;
      expect(defects).toEqual([]);
      expect(log.entries.filter(({ level }) => level === 'error').map((entry) => JSON.stringify(entry))).toEqual([]);
    },
  };
  await clock.advance(1_000);
  await live.ask('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
  await clock.advance(1_000);
  return live;
}

const core = '/api/v1/namespaces/a';
const apps = '/apis/apps/v1/namespaces/a';
const template = (app: string, image = 'i:1', spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image, ports: [{ name: 'http', containerPort: 80 }] }], ...spec },
});
const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: template(name), ...spec },
});
/** A Pod that no Node accepts before one has the label. */
const podForGpu = {
  metadata: { name: 'p' },
  spec: { nodeSelector: { gpu: 'yes' }, containers: [{ name: 'c', image: 'i' }] },
};
const withGpu = { metadata: { labels: { gpu: 'yes' } } };
const readyOf = ({ status }: Json): string => status.conditions.find(({ type }: Json) => type === 'Ready').status;

describe('the controllers of a cluster', () => {
  it('run the Pods of a Deployment on Nodes, with addresses of theirs, and make them endpoints', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/deployments`, workload('web', { replicas: 3 }));
    await live.ask('POST', `${core}/services`, {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 8080, targetPort: 'http' }] },
    });
    await live.clock.advance(1_000);
    const pods = await live.items(`${core}/pods`);
    expect(pods.map(({ spec, status }) => `${spec.nodeName} ${status.podIP} ${status.phase}`).toSorted()).toEqual([
      'n1 10.244.1.2 Running',
      'n1 10.244.1.3 Running',
      'n2 10.244.2.2 Running',
    ]);
    const [slice] = await live.items('/apis/discovery.k8s.io/v1/namespaces/a/endpointslices');
    expect(slice.endpoints.map(({ addresses: [address] }: Json) => address).toSorted()).toEqual([
      '10.244.1.2',
      '10.244.1.3',
      '10.244.2.2',
    ]);
    expect(slice.ports).toEqual([{ name: '', port: 80, protocol: 'TCP' }]);
    const [deployment] = await live.items(`${apps}/deployments`);
    expect(deployment.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    await live.end();
  });

  it('never have fewer Pods available than a rolling update allows, and count its revisions', async () => {
    const live = await startLive();
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await live.ask('POST', `${apps}/deployments`, workload('web', { replicas: 4, strategy: { rollingUpdate } }));
    await live.clock.advance(1_000);
    await live.ask('PATCH', `${apps}/deployments/web`, { spec: { template: template('web', 'i:2') } });
    for (let step = 0; step < 200; step++) {
      const active = (await live.items(`${core}/pods`)).filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
      expect(
        active.filter((pod) => pod.status.phase === 'Running' && readyOf(pod) === 'True').length,
      ).toBeGreaterThanOrEqual(4);
      expect(active.length).toBeLessThanOrEqual(5);
      await live.clock.advance(5);
    }
    const sets = await live.items(`${apps}/replicasets`);
    const revision = 'deployment.kubernetes.io/revision';
    expect(sets.map(({ metadata, spec }) => `${metadata.annotations[revision]}: ${spec.replicas}`).toSorted()).toEqual([
      '1: 0',
      '2: 4',
    ]);
    await live.ask('PATCH', `${apps}/deployments/web`, { spec: { template: template('web', 'i:1') } });
    await live.clock.advance(2_000);
    const again = await live.items(`${apps}/replicasets`);
    expect(again.map(({ metadata, spec }) => `${metadata.annotations[revision]}: ${spec.replicas}`).toSorted()).toEqual(
      ['2: 0', '3: 4'],
    );
    await live.end();
  });

  it('let all old Pods end before the first new one comes, with Recreate', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/deployments`, workload('web', { replicas: 2, strategy: { type: 'Recreate' } }));
    await live.clock.advance(1_000);
    await live.ask('PATCH', `${apps}/deployments/web`, { spec: { template: template('web', 'i:2') } });
    await live.clock.advance(29_000);
    const during = await live.items(`${core}/pods`);
    expect(during.map(({ spec }) => spec.containers[0].image)).toEqual(['i:1', 'i:1']);
    await live.clock.advance(2_000);
    const after = await live.items(`${core}/pods`);
    expect(after.map(({ spec }) => spec.containers[0].image)).toEqual(['i:2', 'i:2']);
    await live.end();
  });

  it('find another name for a ReplicaSet where somebody else has it, and count that', async () => {
    const live = await startLive();
    const namesOf = async () =>
      (await live.items(`${apps}/replicasets`)).map(({ metadata }) => metadata.name as string);
    await live.ask('POST', `${apps}/deployments`, workload('web'));
    await live.clock.advance(1_000);
    const [name = ''] = await namesOf();
    await live.ask('DELETE', `${apps}/deployments/web`);
    await live.clock.advance(40_000);
    expect(await namesOf()).toEqual([]);
    await live.ask('POST', `${apps}/replicasets`, { ...workload('other', { replicas: 0 }), metadata: { name } });
    await live.ask('POST', `${apps}/deployments`, workload('web'));
    await live.clock.advance(2_000);
    expect(await namesOf()).toHaveLength(2);
    const { status } = await live.ask('GET', `${apps}/deployments/web`);
    expect(status).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
    await live.end();
  });

  it('replace the Pods of a StatefulSet from the last to the first, each when the one before is back', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/statefulsets`, workload('db', { replicas: 3, serviceName: 'db' }));
    await live.clock.advance(1_000);
    await live.ask('PATCH', `${apps}/statefulsets/db`, { spec: { template: template('db', 'i:2') } });
    const images = async () => (await live.items(`${core}/pods`)).map(({ spec }) => spec.containers[0].image as string);
    const seen: string[] = [];
    for (let step = 0; step < 5; step++) {
      seen.push((await images()).join(' '));
      await live.clock.advance(31_000);
    }
    expect(seen.filter((one, index) => one !== seen[index - 1])).toEqual([
      'i:1 i:1 i:1',
      'i:1 i:1 i:2',
      'i:1 i:2 i:2',
      'i:2 i:2 i:2',
    ]);
    const [set] = await live.items(`${apps}/statefulsets`);
    expect(set.status.currentRevision).toBe(set.status.updateRevision);
    await live.end();
  });

  it('put one Pod of a DaemonSet on each Node that its selector names', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/daemonsets`, workload('all'));
    await live.ask(
      'POST',
      `${apps}/daemonsets`,
      workload('fast', { template: template('fast', 'i:1', { nodeSelector: { disk: 'ssd' } }) }),
    );
    await live.clock.advance(1_000);
    const pods = await live.items(`${core}/pods`);
    expect(pods.map(({ metadata, spec }) => `${metadata.labels.app} ${spec.nodeName}`).toSorted()).toEqual([
      'all n1',
      'all n2',
      'fast n1',
    ]);
    await live.end();
  });

  it('report why a Pod has no Node, and place it when one fits', async () => {
    const live = await startLive();
    await live.ask('POST', `${core}/pods`, podForGpu);
    await live.clock.advance(100);
    const [waiting] = await live.items(`${core}/pods`);
    expect(waiting.status.conditions[0]).toMatchObject({
      reason: 'Unschedulable',
      message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    });
    await live.ask('PATCH', '/api/v1/nodes/n2', withGpu);
    await live.clock.advance(100);
    const [placed] = await live.items(`${core}/pods`);
    expect(placed.spec.nodeName).toBe('n2');
    await live.end();
  });

  it('take a Node whose kubelet stops for unknown after 40 s, its Pods for not ready, and both back when it starts', async () => {
    const live = await startLive();
    await live.ask('POST', `${core}/pods`, {
      metadata: { name: 'p' },
      spec: { nodeName: 'n2', containers: [{ name: 'c', image: 'i' }] },
    });
    await live.clock.advance(1_000);
    await live.ask('PATCH', '/api/v1/nodes/n2', {
      metadata: { annotations: { [SimulationAnnotation.stopped]: 'true' } },
    });
    const look = async () => [
      readyOf(await live.ask('GET', '/api/v1/nodes/n2')),
      readyOf(await live.ask('GET', `${core}/pods/p`)),
    ];
    await live.clock.advance(29_000);
    expect(await look()).toEqual(['True', 'True']);
    await live.clock.advance(12_000);
    expect(await look()).toEqual(['Unknown', 'False']);
    await live.ask('PATCH', '/api/v1/nodes/n2', {
      metadata: { annotations: { [SimulationAnnotation.stopped]: null } },
    });
    await live.clock.advance(1_000);
    expect(await look()).toEqual(['True', 'True']);
    expect((await live.ask('GET', '/api/v1/nodes/n2')).spec.taints ?? []).toEqual([]);
    await live.end();
  });

  it('take a Node that never reports for unknown after a minute, and give a cordoned one its taint', async () => {
    const live = await startLive();
    await live.ask('POST', '/api/v1/nodes', { metadata: { name: 'silent' } });
    await live.clock.advance(50_000);
    const before = await live.ask('GET', '/api/v1/nodes/silent');
    expect([before.status.conditions, before.spec.taints.map(({ key }: Json) => key)]).toEqual([
      undefined,
      ['node.kubernetes.io/not-ready'],
    ]);
    await live.clock.advance(15_000);
    const after = await live.ask('GET', '/api/v1/nodes/silent');
    expect(after.status.conditions.map(({ type, status, reason }: Json) => `${type} ${status} ${reason}`)).toEqual([
      'Ready Unknown NodeStatusNeverUpdated',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'DiskPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ]);
    const taintsOf = async (name: string) =>
      ((await live.ask('GET', `/api/v1/nodes/${name}`)).spec.taints ?? []).map(
        ({ key, effect }: Json) => `${key} ${effect}`,
      );
    expect(await taintsOf('silent')).toEqual([
      'node.kubernetes.io/unreachable NoSchedule',
      'node.kubernetes.io/unreachable NoExecute',
    ]);
    await live.ask('PATCH', '/api/v1/nodes/n1', { spec: { unschedulable: true } });
    await live.clock.advance(1_000);
    expect(await taintsOf('n1')).toEqual(['node.kubernetes.io/unschedulable NoSchedule']);
    await live.ask('PATCH', '/api/v1/nodes/n1', { spec: { unschedulable: null } });
    await live.clock.advance(1_000);
    expect(await taintsOf('n1')).toEqual([]);
    await live.end();
  });

  it('complete a Job: its Pods succeed after a second, as many at a time as it allows', async () => {
    const live = await startLive();
    const jobs = '/apis/batch/v1/namespaces/a/jobs';
    const spec = { completions: 3, parallelism: 2, template: template('once', 'i:1', { restartPolicy: 'Never' }) };
    await live.ask('POST', jobs, { metadata: { name: 'once' }, spec });
    await live.clock.advance(500);
    const during = await live.ask('GET', `${jobs}/once`);
    expect([during.status.active, during.status.succeeded, during.status.conditions]).toEqual([
      2,
      undefined,
      undefined,
    ]);
    await live.clock.advance(4_000);
    const after = await live.ask('GET', `${jobs}/once`);
    expect([after.status.active, after.status.succeeded]).toEqual([undefined, 3]);
    expect(after.status.conditions.map(({ type, status }: Json) => `${type} ${status}`)).toEqual([
      'SuccessCriteriaMet True',
      'Complete True',
    ]);
    const pods = await live.items(`${core}/pods`);
    expect(pods.map(({ status }) => status.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
    await live.ask('POST', jobs, { metadata: { name: 'later' }, spec: { ...spec, suspend: true } });
    await live.clock.advance(5_000);
    expect((await live.ask('GET', `${jobs}/later`)).status.startTime).toBeUndefined();
    await live.end();
  });

  it('report of a Pod that it is simulated, and run the containers that are put into it as they run the others', async () => {
    const live = await startLive();
    await live.ask('POST', `${core}/pods`, { metadata: { name: 'p' }, spec: template('p').spec });
    await live.clock.advance(1_000);
    const pod = await live.ask('GET', `${core}/pods/p`);
    expect(pod.status.message).toBe(
      'This Pod is simulated: it has an address and reports that it runs, but no container was started.',
    );
    expect(pod.status.conditions.find(({ type }: Json) => type === 'sandbox.isthmus.dev/Simulated')).toMatchObject({
      status: 'True',
      reason: 'NoContainers',
    });
    await live.ask('PATCH', `${core}/pods/p/ephemeralcontainers`, {
      spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
    });
    await live.clock.advance(1_000);
    const debugged = await live.ask('GET', `${core}/pods/p`);
    expect(debugged.status.ephemeralContainerStatuses.map(({ name }: Json) => name)).toEqual(['debug']);
    const refused = await live.client
      .request({ method: 'GET', path: `${core}/pods/p/log` })
      .catch((error: unknown) => error);
    expect(String(refused)).toContain(
      'nothing runs in a sandbox without networks: its Pods have no containers, its Nodes no machines; isthmus sandbox up --network starts one whose Pods run processes',
    );
    await live.end();
  });

  it('make a Pod not ready by its annotation, and end it after its grace period', async () => {
    const live = await startLive();
    await live.ask('POST', `${core}/pods`, {
      metadata: { name: 'p' },
      spec: { terminationGracePeriodSeconds: 7, containers: [{ name: 'c', image: 'i' }] },
    });
    await live.clock.advance(100);
    await live.ask('PATCH', `${core}/pods/p`, { metadata: { annotations: { [SimulationAnnotation.ready]: 'false' } } });
    await live.clock.advance(100);
    expect(readyOf(await live.ask('GET', `${core}/pods/p`))).toBe('False');
    await live.ask('DELETE', `${core}/pods/p`);
    await live.clock.advance(5_000);
    expect(await live.items(`${core}/pods`)).toHaveLength(1);
    await live.clock.advance(3_000);
    expect(await live.items(`${core}/pods`)).toHaveLength(0);
    await live.end();
  });

  it('empty a Namespace with everything in it, Pods last for as long as they take to end', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/deployments`, workload('web', { replicas: 2 }));
    await live.ask('POST', `${apps}/statefulsets`, workload('db', { replicas: 2 }));
    await live.clock.advance(1_000);
    await live.ask('DELETE', core);
    await live.clock.advance(20_000);
    expect((await live.ask('GET', core)).status.phase).toBe('Terminating');
    await live.clock.advance(45_000);
    await expect(live.ask('GET', core)).rejects.toThrow('not found');
    await live.end();
  });

  it('report no error where a Pod finds its Node as its Namespace goes', async () => {
    const live = await startLive();
    await live.ask('POST', `${core}/pods`, podForGpu);
    await live.clock.advance(100);
    await Promise.all([live.ask('DELETE', core), live.ask('PATCH', '/api/v1/nodes/n2', withGpu)]);
    await live.clock.advance(60_000);
    await expect(live.ask('GET', core)).rejects.toThrow('not found');
    await live.end();
  });

  it('send nothing but heartbeats when nothing happens', async () => {
    const live = await startLive();
    await live.ask('POST', `${apps}/deployments`, workload('web', { replicas: 3 }));
    await live.clock.advance(30_000);
    const before = live.requests();
    await live.clock.advance(100_000);
    // Two Nodes renew a Lease each 10 s; the other requests reopen watches.
    expect(live.requests() - before).toBeLessThanOrEqual(2 * 10 + 15);
    await live.end();
  });
});
