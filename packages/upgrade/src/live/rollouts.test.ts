import { describe, expect, it } from 'vitest';
import { componentsOf } from './read-components.ts';
import { factsOf, pod, workload } from './testing/live-objects.ts';

const revision = { 'deployment.kubernetes.io/revision': '2' };
const image = 'antrea-controller=antrea/antrea-controller-ubuntu:v2.6.0';
const deployment = (condition: object = {}) => ({
  ...workload('antrea-controller', [image], { annotations: revision }),
  status: {
    readyReplicas: 1,
    conditions: [
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        lastUpdateTime: '2026-11-20T09:01:35Z',
        ...condition,
      },
    ],
  },
});
const replicaSet = (annotations: object = revision, name = 'antrea-controller') => ({
  metadata: {
    name: `${name}-1`,
    namespace: 'kube-system',
    creationTimestamp: '2026-11-20T09:00:00Z',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid: 'u' }],
    annotations,
  },
});
const tookOf = (facts: ReturnType<typeof factsOf>, id: string) =>
  componentsOf(facts).flatMap((one) => (one.id === id ? one.live.map(({ tookSeconds }) => tookSeconds) : []));

describe('how long the last rollout took', () => {
  it('is, for a Deployment, from the creation of its newest ReplicaSet until it was available', () => {
    const old = { ...replicaSet({ 'deployment.kubernetes.io/revision': '1' }) };
    const facts = factsOf({ deployments: [deployment()], replicaSets: [old, replicaSet()] });
    expect(tookOf(facts, 'antrea-controller')).toEqual([95]);
  });

  it.each<[string, object, object]>([
    ['the rollout is not complete', { reason: 'ReplicaSetUpdated' }, replicaSet()],
    [
      'a rollback took up an old ReplicaSet',
      {},
      replicaSet({ ...revision, 'deployment.kubernetes.io/revision-history': '1' }),
    ],
    ['the ReplicaSet is gone', {}, replicaSet({ 'deployment.kubernetes.io/revision': '1' })],
    ['it is that of another Deployment', {}, replicaSet(revision, 'other')],
    ['the times do not fit', { lastUpdateTime: '2026-11-20T08:00:00Z' }, replicaSet()],
  ])('is not known where %s', (_title, condition, set) => {
    const facts = factsOf({ deployments: [deployment(condition)], replicaSets: [set] });
    expect(tookOf(facts, 'antrea-controller')).toEqual([undefined]);
  });

  it('is, on each Node, from the creation of the Pod until it was ready, if it has not restarted since', () => {
    const agent = 'antrea-agent=antrea/antrea-agent-ubuntu:v2.6.0';
    const started = (node: string, restartCount: number) => {
      const { metadata, ...rest } = pod('antrea-agent', node, [agent]);
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-20T09:00:40Z' };
      return {
        ...rest,
        metadata: { ...metadata, creationTimestamp: '2026-11-20T09:00:00Z' },
        status: { phase: 'Running', conditions: [ready], containerStatuses: [{ restartCount }] },
      };
    };
    const facts = factsOf({
      daemonSets: [workload('antrea-agent', [agent])],
      pods: [started('n1', 0), started('n2', 3)],
    });
    expect(tookOf(facts, 'antrea-agent')).toEqual([40, undefined]);
  });
});

describe('arguments that a person set', () => {
  const edited = (
    manager: string,
    fields: object,
    args: readonly string[] = ['--concurrency=20', '--leader-elect', 'word'],
  ) => {
    const { metadata, spec, ...rest } = workload('capi', ['manager=r/c:v1.9.6'], {
      labels: { 'cluster.x-k8s.io/provider': 'cluster-api' },
    }) as unknown as { metadata: object; spec: { template: { spec: { containers: object[] } } } };
    const containers = spec.template.spec.containers.map((one) => ({ ...one, args }));
    const owned = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"manager"}': fields } } } } };
    return {
      ...rest,
      metadata: { ...metadata, managedFields: [{ manager, operation: 'Update', fieldsV1: owned }] },
      spec: { ...spec, template: { spec: { containers } } },
    };
  };
  const handSet = (object: object) =>
    componentsOf(factsOf({ deployments: [object] })).find(({ id }) => id === 'capi-core')?.handSet;

  it('are those that kubectl edit, patch or set wrote last, by the names of the flags', () => {
    expect(handSet(edited('kubectl-edit', { 'f:args': {} }))).toEqual([
      'Deployment kube-system/capi, container manager: --concurrency --leader-elect (kubectl edit)',
    ]);
  });

  it('are without values, however these are separated from the flags', () => {
    const args = [
      '--password s3cr3t',
      '-v:s3cr3t',
      '--key',
      '-----BEGIN s3cr3t',
      '-x=s3cr3t',
      '--a_b.c-d\ts3cr3t',
      '-1',
    ];
    expect(handSet(edited('kubectl-edit', { 'f:args': {} }, args))).toEqual([
      'Deployment kube-system/capi, container manager: --password -v --key -x --a_b.c-d (kubectl edit)',
    ]);
  });

  it.each<[string, string, object]>([
    ['by the tool that installed it', 'clusterctl', { 'f:args': {} }],
    ['by kubectl apply', 'kubectl-client-side-apply', { 'f:args': {} }],
    ['to another field', 'kubectl-edit', { 'f:image': {} }],
  ])('are not those of a change %s', (_title, manager, fields) => {
    expect(handSet(edited(manager, fields))).toEqual([]);
  });
});
