import { Deployment, Pod, PodDisruptionBudget, ServiceAccount } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { conditionOf } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import { startSandboxCluster } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { roles } from '../roles/roles.ts';
import { agentDaemonSet } from './agent-objects.ts';
import { controllerDisruptionBudget } from './availability-objects.ts';
import { controllerDeployment } from './controller-deployment.ts';
import { dnsAvailabilityObjects, dnsDeployment } from './dns-objects.ts';
import type { DaemonSet } from './pod-parts.ts';
import { userspaceWireGuard, wireGuardDaemonSet } from './wireguard-objects.ts';

const namespace = 'kube-system';
const nodes = ['n1', 'n2', 'n3'].map((name) => ({ name, labels: userspaceWireGuard }));
const DaemonSet: ResourceType<DaemonSet> = { ...Deployment, kind: 'DaemonSet', plural: 'daemonsets' } as never;

/** A cluster with three Nodes and a workload of the manifests, whose Pods are available. */
async function run<T extends Deployment | DaemonSet>(type: ResourceType<T>, workload: T) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const cluster = startSandboxCluster({ name: 'east', clock, nodes });
  const { admin } = cluster.sandbox;
  await clock.advance(1_000);
  const { serviceAccountName = 'default' } = workload.spec?.template?.spec ?? {};
  admin.put(ServiceAccount, { metadata: { namespace, name: serviceAccountName } });
  admin.put(type, workload);
  await clock.advance(5_000);
  const available = () =>
    admin
      .list(Pod, namespace)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter(({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True');
  return {
    clock,
    admin,
    available,
    async [Symbol.asyncDispose]() {
      const stopped = cluster.stop();
      await clock.advance(20_000);
      await stopped;
    },
  };
}

const sha256 = (text: string) => text;
const deployments = (version: string) => ({
  leader: controllerDeployment({ role: roles.leader, namespace, version, sha256 }),
  member: controllerDeployment({ role: roles.member, namespace, version, sha256 }),
  dns: dnsDeployment({ namespace, version }),
});
const daemonSets = (version: string) => ({
  agent: agentDaemonSet({ namespace, version }),
  wireguard: wireGuardDaemonSet({ namespace, version }),
});

/** The versions of Pods, and the fewest that were available while a workload was upgraded. */
async function upgraded<T extends Deployment | DaemonSet>(type: ResourceType<T>, before: T, after: T) {
  await using one = await run(type, before);
  let fewest = one.available().length;
  const started = fewest;
  one.admin.onChange(() => (fewest = Math.min(fewest, one.available().length)));
  one.admin.put(type, after);
  await one.clock.advance(120_000);
  const versions = one.available().map(({ spec }) => spec?.containers[0]?.image?.split(':')[1]);
  return { started, fewest, versions };
}

describe('an upgrade of a version', () => {
  it.each(['leader', 'member', 'dns'] as const)('of %s keeps both replicas available', async (name) => {
    const { [name]: before } = deployments('1');
    const { [name]: after } = deployments('2');
    expect(await upgraded(Deployment, before, after)).toEqual({ started: 2, fewest: 2, versions: ['2', '2'] });
  });

  it('of agents ends one of them at a time', async () => {
    expect(await upgraded(DaemonSet, daemonSets('1').agent, daemonSets('2').agent)).toEqual({
      started: 3,
      fewest: 2,
      versions: ['2', '2', '2'],
    });
  });

  it('ends no process of WireGuard', async () => {
    expect(await upgraded(DaemonSet, daemonSets('1').wireguard, daemonSets('2').wireguard)).toEqual({
      started: 3,
      fewest: 3,
      versions: ['1', '1', '1'],
    });
  });
});

describe('two replicas', () => {
  it.each(['leader', 'member', 'dns'] as const)('of %s run on different Nodes', async (name) => {
    await using one = await run(Deployment, deployments('1')[name]);
    expect(new Set(one.available().map(({ spec }) => spec?.nodeName)).size).toBe(2);
  });

  // The sandbox grants evictions regardless of budgets.
  it.each([
    ['leader', [controllerDisruptionBudget(namespace)]],
    ['member', [controllerDisruptionBudget(namespace)]],
    ['dns', dnsAvailabilityObjects(namespace)],
  ] as const)('of %s have a budget by which a drained Node evicts one of them at a time', (name, objects) => {
    const { metadata, spec } = deployments('1')[name];
    const budgets = objects.filter(({ kind }) => kind === PodDisruptionBudget.kind);
    expect(budgets).toMatchObject([
      { metadata: { namespace: metadata.namespace }, spec: { maxUnavailable: 1, selector: spec?.selector } },
    ]);
    expect(spec?.template?.metadata?.labels).toMatchObject(spec?.selector?.matchLabels ?? {});
  });
});
