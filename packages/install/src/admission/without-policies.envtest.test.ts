import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  ClusterSet,
  FixedName,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@isthmus/api';
import { isForbidden, memoryLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import { findBinaries, readManifest, runController, serviceAccountToken, waitLimitMs } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memberAccount } from '../manifests/member-account.ts';
import { startPolicedServer } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';

const namespace: string = FixedName.leaderNamespace;
const wait = { timeout: waitLimitMs(), interval: 100 };

let policed: PolicedServer;
let server: RealApiServer;
let admin: Client;

/** The minor version of a kube-apiserver. */
function minorOf(program: string): number {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/v1\.(\d+)\./.exec(stdout)?.[1] ?? expect.fail(`no version in ${JSON.stringify(stdout)}`));
}

/** `allowed`, `denied` by RBAC, or the error. */
async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    return isForbidden(error) ? 'denied' : String(error);
  }
}

beforeAll(async () => {
  // Like an API server before Kubernetes 1.30, it neither serves the kind of the policies nor
  // evaluates any.
  const flags = {
    'runtime-config': 'admissionregistration.k8s.io/v1=false',
    'disable-admission-plugins': [
      'ServiceAccount',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
      // An older API server does not know it, and would not start.
      ...(minorOf(findBinaries(process.env)['kube-apiserver']) >= 32 ? ['MutatingAdmissionPolicy'] : []),
    ].join(','),
  };
  policed = await startPolicedServer({ name: 'without-policies', flags: { 'kube-apiserver': flags } });
  ({ admin, server } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
});

afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

describe('a real API server that does not serve ValidatingAdmissionPolicies', () => {
  const apply = (...flags: readonly string[]) => {
    const cache = join(dirname(server.kubeconfigPath), 'kubectl-cache');
    const args = ['--kubeconfig', server.kubeconfigPath, '--cache-dir', cache, 'apply', ...flags];
    return spawnSync(findBinaries(process.env).kubectl, [...args, '-f', 'deploy/leader.yaml'], { encoding: 'utf8' });
  };

  it('gets nothing of the manifest of a leader in the dry run that the manifest names, which fails', async () => {
    expect(readFileSync('deploy/leader.yaml', 'utf8')).toContain('kubectl apply --dry-run=server -f FILE');
    const { status, stderr } = apply('--dry-run=server');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('no matches for kind "ValidatingAdmissionPolicy"'),
    });
    const { items } = await admin.list(Role, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it('gets all other objects of the manifest of a leader, and kubectl names those that it lacks', async () => {
    const manifest = await readManifest('deploy/leader.yaml');
    const { status, stdout, stderr } = apply();
    const unserved = manifest.filter(({ kind }) => kind?.startsWith('ValidatingAdmissionPolicy'));
    expect(unserved.length).toBeGreaterThan(4);
    expect(status).toBe(1);
    const missing = [
      ...stderr.matchAll(/resource mapping not found for name: "([^"]+)".*no matches for kind "(\w+)"/g),
    ];
    expect(missing.map(([, name, kind]) => `${kind} ${name}`).toSorted()).toEqual(
      unserved.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted(),
    );
    expect(stdout.trim().split('\n')).toHaveLength(manifest.length - unserved.length);
    expect((await admin.get(Role, { namespace, name: FixedName.memberRole })).metadata.name).toBe(FixedName.memberRole);
  });

  it('is reported by the controller on its ClusterSet, with its version and the next step', async () => {
    const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
    const world = { clock: systemClock(), random: systemRandom(), log: memoryLog(), metrics: noMetrics };
    const access = { url: server.url, caData: server.caData, token };
    const end = new AbortController();
    const spec = { role: 'leader', namespace, cluster: 'north', access, world, endpointIPType: 'PodIP' } as const;
    const ended = runController(spec, end.signal);
    const ref = { namespace, name: 'fleet' };
    await admin.create(ClusterSet, {
      metadata: ref,
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace },
    });
    try {
      await vi.waitFor(async () => {
        const { status } = await admin.get(ClusterSet, ref);
        expect(conditionOf(status?.conditions, 'AdmissionIncomplete')).toMatchObject({
          status: 'True',
          reason: 'AdmissionPoliciesNotServed',
          message: expect.stringMatching(
            /Kubernetes v1\.\d+\.\d+, serves no ValidatingAdmissionPolicies.*--runtime-config/,
          ),
        });
      }, wait);
    } finally {
      end.abort();
      await ended;
    }
  });

  it.each([
    ['an account that names its cluster', 'member-east', { 'multicluster.antrea.io/cluster-id': 'east' }],
    ['an account without the annotation', 'unnamed', {}],
  ])(
    'lets a member write what is of other clusters, and policies, as its Role does: %s',
    async (_, name, annotations) => {
      const { binding } = memberAccount(namespace, 'east');
      await admin.create(ServiceAccount, { metadata: { name, namespace, annotations } });
      const subjects = [{ kind: 'ServiceAccount', name, namespace }] as const;
      await admin.create(RoleBinding, { ...binding, metadata: { name, namespace }, subjects });
      const member = await policed.logIn(namespace, name);
      await vi.waitFor(async () => void (await member.list(ResourceExport, { namespace })), wait);
      const tried = { dryRun: true };
      const policy: ResourceExport = {
        metadata: { name: 'strict', namespace },
        spec: { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusterNetworkPolicy: { priority: 1 } },
      };
      const ofWest: ResourceExport = {
        metadata: { name: `west-by-${name}`, namespace, labels: { sourceClusterID: 'west' } },
        spec: { kind: 'Service', clusterID: 'west', namespace: 'shop', name: 'cart', service: { serviceSpec: {} } },
      };
      const announcement: MemberClusterAnnounce = {
        metadata: { name: 'member-announce-from-west', namespace },
        clusterID: 'west',
        clusterSetID: 'fleet',
        leaderClusterID: 'north',
      };
      const found = {
        policy: await outcome(member.create(ResourceExport, policy, tried)),
        'export of another cluster': await outcome(member.create(ResourceExport, ofWest, tried)),
        'announcement of another cluster': await outcome(member.create(MemberClusterAnnounce, announcement, tried)),
        import: await outcome(member.create(ResourceImport, { metadata: { name: 'x', namespace } }, tried)),
        'account of a member': await outcome(
          member.create(ServiceAccount, { metadata: { name: 'x', namespace } }, tried),
        ),
      };
      expect(found).toEqual({
        policy: 'allowed',
        'export of another cluster': 'allowed',
        'announcement of another cluster': 'allowed',
        import: 'denied',
        'account of a member': 'denied',
      });
    },
  );
});
