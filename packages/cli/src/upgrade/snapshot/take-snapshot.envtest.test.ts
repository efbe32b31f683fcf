import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Deployment,
  ServiceAccount,
  ServiceExport,
} from '@isthmus/api';
import { definitionObjects, roles } from '@isthmus/install';
import { createClient, systemClock } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { adminTransport, serviceAccountToken, startApiServer } from '@isthmus/testkit';
import type { FleetSnapshot } from '@isthmus/upgrade';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../main.ts', import.meta.url));
const isthmus = (...args: readonly string[]) => promisify(execFile)(process.execPath, [program, 'upgrade', ...args]);
const account = { namespace: 'default', name: 'snapshot' };

it('reads a real API server with the rights that it prints, as the user of an exec plugin', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-snapshot-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const server = stack.use(await startApiServer({ name: 'snapshot' }));
  const admin = createClient({ transport: adminTransport(server, 'isthmus-test'), clock: systemClock() });
  stack.defer(() => admin.close());
  const create = (type: ResourceType, object: unknown) => admin.create(type, object as KubernetesObject);

  for (const definition of definitionObjects(roles.member)) await create(CustomResourceDefinition, definition);
  const labels = { app: 'antrea' };
  await create(Deployment, {
    metadata: { name: 'antrea-controller', namespace: 'kube-system', labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'antrea-controller', image: 'antrea/antrea-controller-ubuntu:v2.6.0' }] },
      },
    },
  });
  await create(ServiceAccount, { metadata: account });
  // Custom resources are served a moment after their definition is.
  for (const name of ['a', 'b', 'c']) {
    const shown = { metadata: { name, namespace: 'default' } };
    await expect.poll(() => create(ServiceExport, shown).then(() => 'created', String)).toBe('created');
  }
  const { stdout: rights } = await isthmus('snapshot', '--rights', '--object-counts');
  await create(ClusterRole, parseYaml(rights, { source: 'rights' })[0]?.value);
  await create(ClusterRoleBinding, {
    metadata: { name: 'snapshot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'isthmus-upgrade-snapshot' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });

  const apiVersion = 'client.authentication.k8s.io/v1';
  const status = { token: await serviceAccountToken(admin, account.namespace, account.name) };
  const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
  const exec = {
    apiVersion,
    interactiveMode: 'Never',
    command: process.execPath,
    args: ['-e', 'console.log(process.env.CREDENTIAL)'],
    env: [{ name: 'CREDENTIAL', value: credential }],
  };
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = { server: server.url, 'certificate-authority-data': Buffer.from(server.caData).toString('base64') };
  const contexts = ['real', 'gone'].map((name) => ({ name, context: { cluster: name, user: 'plugin' } }));
  const clusters = [
    { name: 'real', cluster },
    { name: 'gone', cluster: { ...cluster, server: 'https://127.0.0.1:1' } },
  ];
  await writeFile(kubeconfig, JSON.stringify({ clusters, contexts, users: [{ name: 'plugin', user: { exec } }] }));

  const file = join(folder, 'fleet.json');
  const line = ['snapshot', '--object-counts', '--all-contexts', '--kubeconfig', kubeconfig, '-o', file];
  await expect(isthmus(...line)).rejects.toMatchObject({ code: 2 });
  const { spec } = JSON.parse(await readFile(file, 'utf8')) as FleetSnapshot;
  const [gone, real] = spec.clusters;
  expect(gone).toMatchObject({
    name: 'gone',
    reachable: false,
    notRead: expect.stringContaining('ECONNREFUSED 127.0.0.1:1') as string,
  });
  expect(real).toMatchObject({
    name: 'real',
    reachable: true,
    components: [
      { id: 'antrea-controller', live: [{ version: 'v2.6.0' }] },
      { id: 'kube-apiserver', live: [{ version: expect.stringMatching(/^v1\.\d+\.\d+/) as string }] },
    ],
  });
  expect(real?.objectCounts).toMatchObject({
    'serviceexports.multicluster.x-k8s.io': 3,
    'clustersets.multicluster.crd.antrea.io': 0,
  });
  expect(real?.sharedDefinitions).toHaveLength(definitionObjects(roles.member).length);
  expect(Object.values(spec.definitions)).toContainEqual(
    expect.objectContaining({ status: expect.objectContaining({ storedVersions: ['v1alpha2'] }) as object }),
  );
  const skew = await isthmus('check', 'skew', '--snapshot', file).catch(({ code }: { code: number }) => ({ code }));
  expect(skew).not.toMatchObject({ code: 1 });
});
