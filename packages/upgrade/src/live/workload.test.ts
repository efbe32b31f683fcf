import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { keptHead, podFact, replicaSetFact, secondsBetween, workloadFact } from './workload.ts';

const template = {
  spec: {
    initContainers: [{ name: 'init', image: 'init:1' }],
    containers: [
      { name: 'app', image: 'app:v1', command: ['/app'], args: ['--password=secret', '-v', 7], env: [{ name: 'A' }] },
    ],
  },
};
const deployment = (more: object = {}): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    ...more,
  }) as KubernetesObject;

describe('the facts of a workload', () => {
  it('are its names, selector, containers and revision; environments are left out', () => {
    const annotations = { 'deployment.kubernetes.io/revision': '3', odd: 5 };
    expect(
      workloadFact(deployment({ metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations } })),
    ).toEqual({
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      labels: { app: 'web' },
      annotations: { 'deployment.kubernetes.io/revision': '3' },
      selector: { app: 'web' },
      containers: [
        { name: 'init', image: 'init:1', words: [] },
        { name: 'app', image: 'app:v1', words: ['/app', '--password=secret', '-v', '7'] },
      ],
      ready: false,
      revision: '3',
      completedAt: '',
      handSet: [],
      kept: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
        spec: { selector: { matchLabels: { app: 'web' } } },
      },
    });
  });

  it.each<readonly [string, object, boolean]>([
    ['a Deployment with all replicas ready', { status: { readyReplicas: 2 } }, true],
    ['a Deployment with one of two ready', { status: { readyReplicas: 1 } }, false],
    ['a Deployment of the default size without a status', { spec: { template } }, false],
    ['a Deployment that is scaled to zero', { spec: { replicas: 0, template } }, true],
    ['a DaemonSet on every Node', { kind: 'DaemonSet', status: { desiredNumberScheduled: 3, numberReady: 3 } }, true],
    [
      'a DaemonSet on two of three Nodes',
      { kind: 'DaemonSet', status: { desiredNumberScheduled: 3, numberReady: 2 } },
      false,
    ],
    ['a DaemonSet without Nodes', { kind: 'DaemonSet', status: {} }, true],
    ['a status that is not an object', { status: 'x' }, false],
  ])('of %s: ready is %s', (_, more, ready) => {
    expect(workloadFact(deployment(more)).ready).toBe(ready);
  });

  it.each([
    ['NewReplicaSetAvailable', '2026-11-21T00:00:00Z'],
    ['ReplicaSetUpdated', ''],
  ])('whose rollout is %s: it was complete at %j', (reason, completedAt) => {
    const conditions = [
      { type: 'Available', reason: 'NewReplicaSetAvailable', lastUpdateTime: '2020-01-01T00:00:00Z' },
      { type: 'Progressing', reason, lastUpdateTime: '2026-11-21T00:00:00Z' },
    ];
    expect(workloadFact(deployment({ status: { conditions } })).completedAt).toBe(completedAt);
  });

  it.each<readonly [string, string, string, readonly string[]]>([
    ['kubectl-edit', 'app', 'f:args', ['container app: --password -v (kubectl edit)']],
    ['kubectl-patch', 'init', 'f:command', ['container init: its command (kubectl patch)']],
    ['kubectl-set', 'app', 'f:image', []],
    ['kubectl-client-side-apply', 'app', 'f:args', []],
    ['helm', 'app', 'f:args', []],
  ])('whose %s wrote of container %s the field %s: hand-set is %j', (manager, container, field, handSet) => {
    const fieldsV1 = {
      'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { [`k:{"name":"${container}"}`]: { [field]: {} } } } } },
    };
    const metadata = { name: 'web', managedFields: ['odd', { manager, fieldsV1 }] };
    expect(workloadFact(deployment({ metadata })).handSet).toEqual(handSet);
  });
});

describe('the facts of a Pod', () => {
  const pod = (more: object = {}, metadata: object = {}): KubernetesObject =>
    ({
      metadata: { name: 'web-1', namespace: 'shop', creationTimestamp: '2026-11-21T00:00:00Z', ...metadata },
      spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:v1' }] },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T00:00:09.6Z' }] },
      ...more,
    }) as KubernetesObject;
  const fact = {
    namespace: 'shop',
    name: 'web-1',
    node: 'n1',
    labels: {},
    containers: [{ name: 'app', image: 'app:v1', words: [] }],
    ready: true,
    startedInSeconds: 10,
  };

  it.each<readonly [string, KubernetesObject, object | undefined]>([
    ['that is ready', pod(), fact],
    [
      'that is not ready',
      pod({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
      { ...fact, ready: false, startedInSeconds: undefined },
    ],
    [
      'that has restarted',
      pod({ status: { ...(pod() as { status?: object }).status, containerStatuses: [{ restartCount: 1 }] } }),
      { ...fact, startedInSeconds: undefined },
    ],
    ['without a Node', pod({ spec: { containers: [] } }), undefined],
    ['that has failed', pod({ status: { phase: 'Failed' } }), undefined],
    ['that has succeeded', pod({ status: { phase: 'Succeeded' } }), undefined],
    ['that is deleted', pod({}, { deletionTimestamp: '2026-11-21T00:00:00Z' }), undefined],
  ])('%s', (_, one, expected) => {
    expect(podFact(one)).toEqual(expected);
  });
});

describe('the facts of a ReplicaSet', () => {
  const set = (metadata: object): KubernetesObject => ({ metadata: { name: 'web-1', namespace: 'shop', ...metadata } });
  const owner = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' }] };
  const annotations = { 'deployment.kubernetes.io/revision': '2' };
  const creationTimestamp = '2026-11-21T00:00:00Z';

  it.each<readonly [string, object, object | undefined]>([
    [
      'of a Deployment',
      { ...owner, annotations, creationTimestamp },
      { namespace: 'shop', deployment: 'web', revision: '2', createdAt: creationTimestamp },
    ],
    ['without an owner', { annotations, creationTimestamp }, undefined],
    ['without a revision', { ...owner, creationTimestamp }, undefined],
    ['without a time', { ...owner, annotations }, undefined],
    [
      'that a rollback took up again',
      {
        ...owner,
        annotations: { ...annotations, 'deployment.kubernetes.io/revision-history': '1' },
        creationTimestamp,
      },
      undefined,
    ],
  ])('%s', (_, metadata, expected) => {
    expect(replicaSetFact(set(metadata))).toEqual(expected);
  });
});

describe('the seconds between two times', () => {
  it.each([
    ['2026-11-21T00:00:00Z', '2026-11-21T00:01:00.4Z', 60],
    ['2026-11-21T00:00:00Z', '2026-11-21T00:00:00Z', 0],
    ['2026-11-21T00:01:00Z', '2026-11-21T00:00:00Z', undefined],
    ['never', '2026-11-21T00:00:00Z', undefined],
    [undefined, '2026-11-21T00:00:00Z', undefined],
  ])('%s and %s are %s', (from, to, seconds) => {
    expect(secondsBetween(from, to)).toBe(seconds);
  });
});

describe('the head that a snapshot keeps of an object', () => {
  it('has the names of its field managers, each once, and neither annotations nor fields', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      annotations: { secret: 'x' },
      finalizers: ['f'],
      managedFields: [{ manager: 'helm', fieldsV1: {} }, { manager: 'a' }, { manager: 'helm' }, 'odd', { manager: 5 }],
    };
    expect(keptHead({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', finalizers: ['f'], managedFields: [{ manager: 'a' }, { manager: 'helm' }] },
    });
  });
});
