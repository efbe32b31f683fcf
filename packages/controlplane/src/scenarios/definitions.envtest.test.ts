import {
  ClusterClaim,
  ClusterSet,
  CustomResourceDefinition,
  ServiceExport,
  ServiceExportV1alpha1,
  ServiceImport,
  ServiceImportV1alpha1,
} from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { olderDefinitions } from './testing/older-definitions.ts';

/**
 * An upgrade in place: the manifests are applied over the CRDs of Antrea's first releases, with
 * objects of that time. Not built and not tested: that MCS CRDs of a newer release than ours stay
 * unchanged; `kubectl apply` ignores labels for that.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { west: 'leader+member' },
    install: false,
    join: false,
    kubeControllers: [],
  });
  await west().shell('kubectl apply -f -', olderDefinitions);
  await west().shell('kubectl wait --for=condition=Established crd --all --timeout=20s');
  await fleet.until('the kinds are served', () =>
    west().shell(
      'kubectl apply -f -',
      `
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceExport
metadata: {name: nginx, namespace: default}
---
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceImport
metadata: {name: nginx, namespace: default}
spec: {type: ClusterSetIP, ips: [10.96.0.7], ports: [{name: http, port: 80, protocol: TCP}]}
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata: {name: west-membercluster-id, namespace: kube-system}
name: id.k8s.io
value: test-cluster-west
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata: {name: test-clusterset, namespace: kube-system}
spec:
  leaders: [{clusterID: test-cluster-north, secret: token, server: 'https://172.18.0.2:6443'}]
  members: [{clusterID: test-cluster-west}]
  namespace: antrea-mcs-ns
`,
    ),
  );
  const condition = {
    type: 'Valid',
    status: 'True',
    reason: 'Succeed',
    message: 'The Service is exported successfully',
  } as const;
  const body = { status: { conditions: [{ ...condition, lastTransitionTime: '2022-02-22T22:22:22Z' }] } };
  const ref = { namespace: 'default', name: 'nginx' };
  await west().admin.patch(ServiceExportV1alpha1, ref, { type: 'merge', body }, { subresource: 'status' });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/**
 * `name served stored` of each version of a CRD, and the versions in which objects were ever
 * stored.
 */
async function versions(name: string): Promise<unknown> {
  const crd = await west().admin.get(CustomResourceDefinition, { name });
  const { storedVersions } =
    (crd as { readonly status?: { readonly storedVersions?: readonly string[] } }).status ?? {};
  return [crd.spec.versions.map((one) => `${one.name} ${one.served} ${one.storage}`), storedVersions];
}

describe('the manifests over the definitions of Antrea’s first releases', () => {
  it('are applied without an error, and again without a change', async () => {
    for (const file of ['member', 'leader-global']) {
      const manifest = await west().manifest(`deploy/${file}.yaml`);
      const { stderr } = await west().shell('kubectl apply -f -', manifest);
      expect(stderr).toBe('');
      const { stdout } = await west().shell('kubectl apply -f -', manifest);
      const changed = stdout
        .trim()
        .split('\n')
        .filter((line) => !line.endsWith(' unchanged'));
      // kubectl sends the whole selector of a PodDisruptionBudget and reports it as configured. Its
      // generation stays (deploy.envtest.test.ts).
      expect(changed.filter((line) => !line.startsWith('poddisruptionbudget'))).toEqual([]);
    }
  });

  it.each([
    ['serviceexports.multicluster.x-k8s.io', ['v1alpha1 true false', 'v1beta1 true true'], ['v1alpha1', 'v1beta1']],
    ['serviceimports.multicluster.x-k8s.io', ['v1alpha1 true false', 'v1beta1 true true'], ['v1alpha1', 'v1beta1']],
    ['clustersets.multicluster.crd.antrea.io', ['v1alpha1 true false', 'v1alpha2 true true'], ['v1alpha1', 'v1alpha2']],
    [
      'clusterclaims.multicluster.crd.antrea.io',
      ['v1alpha1 true false', 'v1alpha2 true true'],
      ['v1alpha1', 'v1alpha2'],
    ],
  ])('serve the old version of %s beside the new one, which is stored from now on', async (name, served, stored) => {
    await fleet.eventually('the versions', () => versions(name), [served, stored]);
  });

  it('keep every object and all fields of it, in both versions', async () => {
    const ref = { namespace: 'default', name: 'nginx' };
    const old = await west().admin.get(ServiceExportV1alpha1, ref);
    const now = await west().admin.get(ServiceExport, ref);
    expect(now.metadata.uid).toBe(old.metadata.uid);
    expect(now.status).toEqual(old.status);
    expect(now.status?.conditions).toHaveLength(1);
    const imported = { type: 'ClusterSetIP', ips: ['10.96.0.7'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] };
    expect((await west().admin.get(ServiceImportV1alpha1, ref)).spec).toEqual(imported);
    expect((await west().admin.get(ServiceImport, ref)).spec).toEqual(imported);
    const claim = await west().admin.get(ClusterClaim, { namespace: 'kube-system', name: 'west-membercluster-id' });
    expect([claim.name, claim.value]).toEqual(['id.k8s.io', 'test-cluster-west']);
    expect((await west().admin.get(ClusterSet, { namespace: 'kube-system', name: 'test-clusterset' })).spec).toEqual({
      leaders: [{ clusterID: 'test-cluster-north', secret: 'token', server: 'https://172.18.0.2:6443' }],
      members: [{ clusterID: 'test-cluster-west' }],
      namespace: 'antrea-mcs-ns',
    });
  });

  it('let the member take the old ClusterSet up: it writes the cluster ID of the claim, and the old version shows it too', async () => {
    await west().start('member');
    const ref = { namespace: 'kube-system', name: 'test-clusterset' };
    await fleet.eventually(
      'the ID',
      async () => (await west().admin.get(ClusterSet, ref)).spec?.clusterID,
      'test-cluster-west',
    );
    await fleet.eventually('what is missing is said', () => west().view.clusterSet(ref), 'False SecretNotFound');
    const { stdout } = await west().shell(
      'kubectl get clustersets.v1alpha1.multicluster.crd.antrea.io test-clusterset -n kube-system -o jsonpath={.spec.clusterID}',
    );
    expect(stdout).toBe('test-cluster-west');
    await fleet.eventually(
      'the export waits',
      () => west().view.exported({ namespace: 'default', name: 'nginx' }, 'Valid'),
      'False NoService',
    );
  });

  it('are accepted by server-side apply too, over what kubectl apply owns', async () => {
    const manifest = await west().manifest('deploy/member.yaml');
    const { stdout } = await west().shell('kubectl apply --server-side --force-conflicts -f -', manifest);
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.endsWith(' serverside-applied')),
    ).toBe(true);
    expect(await versions('serviceexports.multicluster.x-k8s.io')).toEqual([
      ['v1alpha1 true false', 'v1beta1 true true'],
      ['v1alpha1', 'v1beta1'],
    ]);
  });
});
