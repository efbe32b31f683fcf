import { ClusterSet, EndpointSlice, Lease, ResourceImport, ServiceImport } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterAdmin,
  createVirtualFleet,
  exportCart,
  importedSlices,
  leaderNamespace,
  putService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../command/exit-code.ts';
import { runCli } from '../run-cli.ts';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { madeUpIo } from '../testing/made-up-io.ts';

const http = [{ name: 'http', protocol: 'TCP' as const, port: 80, targetPort: 8080 }];

/**
 * West exports `shop/cart`, and so does east where both are to; then the controllers of all end.
 */
async function fleetAtRest(exporters: 'west' | 'both' = 'west'): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  putService(fleet.cluster('east'), http, { namespace: 'shop', name: 'other' });
  exportCart(fleet.cluster('west'), '10.20.1.1', http);
  if (exporters === 'both') exportCart(fleet.cluster('east'), '10.10.1.1', http);
  const wanted = exporters === 'both' ? 2 : 1;
  await fleet.until('east imports', () => importedSlices(fleet.cluster('east')).length === wanted);
  await fleet.clock.advance(15_000);
  for (const cluster of fleet.clusters) cluster.kill();
  return fleet;
}

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'it',
  clusters: [{ name: 'it', cluster: { server: 'https://cluster.test:6443' } }],
  users: [{ name: 'it', user: { token: 'a token' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
});

async function run({ clock }: VirtualFleet, { server }: VirtualCluster, line: string, user = clusterAdmin) {
  const io = madeUpIo({ clock, transport: server.transport(user), files: { kubeconfig } });
  const args = ['handover', ...line.split(' '), '--kubeconfig', 'kubeconfig'];
  const code = await inVirtualTime(clock, runCli(io, args));
  return { code, out: io.out, err: io.err };
}

describe('isthmus handover', () => {
  it.each([
    [
      'member',
      'in a Namespace that is misspelt',
      'west',
      'member --namespace kube-sytem --yes',
      'Namespace kube-sytem does not exist in this cluster. Name its Namespace with --namespace, and its cluster with --context.',
    ],
    [
      'leader',
      'in the cluster of a member',
      'east',
      'leader --yes',
      'Namespace antrea-multicluster does not exist in this cluster. Name its Namespace with --namespace, and its cluster with --context.',
    ],
    [
      'member',
      'in the cluster of a leader',
      'north',
      'member --yes',
      'Namespace kube-system has no ClusterSet; ClusterSet fleet is in Namespace antrea-multicluster. Name its Namespace with --namespace, and its cluster with --context.',
    ],
    [
      'member',
      'in a Namespace without its ClusterSet',
      'west',
      'member --namespace shop --yes',
      'Namespace shop has no ClusterSet; ClusterSet fleet is in Namespace kube-system. Name its Namespace with --namespace, and its cluster with --context.',
    ],
    [
      'leader',
      'in a Namespace without its ClusterSet',
      'north',
      'leader --namespace default --yes',
      'Namespace default has no ClusterSet; ClusterSet fleet is in Namespace antrea-multicluster. Name its Namespace with --namespace, and its cluster with --context.',
    ],
  ])('of a %s %s is an error, and changes nothing', async (role, _, name, line, why) => {
    await using fleet = await fleetAtRest();
    const cluster = fleet.cluster(name);
    const before = importedSlices(cluster);
    const { code, out, err } = await run(fleet, cluster, line);
    expect({ code, out }).toEqual({ code: ExitCode.failed, out: '' });
    expect(err).toBe(`error: There is no ${role} to hand over: ${why}\n`);
    expect(importedSlices(cluster)).toEqual(before);
  });

  it('by a user who may not do it is an error with the next step', async () => {
    await using fleet = await fleetAtRest();
    const jane = { kind: 'user', user: { username: 'jane', groups: ['system:authenticated'] } } as const;
    const { code, err } = await run(fleet, fleet.cluster('west'), 'member --yes', jane);
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(/^error: .*403.*Name a user who may do this, .*--kubeconfig and --context/);
  });

  it('in a cluster without Isthmus is an error', async () => {
    await using fleet = await fleetAtRest();
    const { admin } = fleet.leader.server;
    for (const { metadata } of admin.list(ClusterSet, leaderNamespace)) admin.delete(ClusterSet, metadata);
    const { code, err } = await run(fleet, fleet.leader, 'member --yes');
    expect([code, err]).toEqual([
      ExitCode.failed,
      'error: There is no member to hand over: this cluster has no ClusterSet. Name its Namespace with --namespace, and its cluster with --context.\n',
    ]);
  });

  it('of a member whose ClusterSet was lost hands over what is left', async () => {
    await using fleet = await fleetAtRest();
    const east = fleet.cluster('east');
    const { admin } = east.server;
    for (const { metadata } of admin.list(ClusterSet, 'kube-system')) {
      admin.patch(ClusterSet, metadata, { metadata: { finalizers: null } });
      admin.delete(ClusterSet, metadata);
    }
    const { code, out } = await run(fleet, east, 'member');
    expect(code).toBe(ExitCode.ok);
    expect(out).toContain('1. Replace the EndpointSlices of 1 imported Service by Endpoints');
  });
});

describe('isthmus handover leader', () => {
  it('prints the plan and changes nothing', async () => {
    await using fleet = await fleetAtRest('both');
    const before = fleet.leader.server.admin.list(ResourceImport, leaderNamespace);
    expect(await run(fleet, fleet.leader, 'leader')).toEqual({
      code: ExitCode.ok,
      err: '',
      out: `Handover of the leader in Namespace antrea-multicluster of https://cluster.test:6443 to Antrea Multi-cluster:
  1. Remove labels, annotations and finalizers of Isthmus from 1 merged ResourceImport
  2. Delete the ResourceImports of single clusters of 1 Service
  3. Remove labels, annotations and finalizers of Isthmus from 1 other ResourceImport, 2 MemberClusterAnnounces, 1 ClusterSet
Nothing has been changed. To carry this out, add --yes.
Afterwards:
  - If Helm installed Isthmus, let it forget the release, so that it never deletes objects of Antrea with the same names: kubectl delete secret -n antrea-multicluster -l owner=helm,name=<release>
  - Delete the admission policies of Isthmus; Antrea uses webhooks instead: kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings -l served-in=antrea-multicluster
  - Delete the Deployment of Isthmus with what belongs to it, so that Antrea's does not keep its settings: kubectl delete deployment,poddisruptionbudget,networkpolicy antrea-mc-controller -n antrea-multicluster --ignore-not-found
  - Apply the manifest of the leader of your release of Antrea: kubectl apply -f antrea-multicluster-leader.yml
`,
    });
    expect(fleet.leader.server.admin.list(ResourceImport, leaderNamespace)).toEqual(before);
  });

  it('carries it out with --yes, and finds nothing the second time', async () => {
    await using fleet = await fleetAtRest('both');
    const first = await run(fleet, fleet.leader, 'leader --yes -o json');
    expect(first.code).toBe(ExitCode.ok);
    expect(JSON.parse(first.out)).toMatchObject({
      role: 'leader',
      namespace: leaderNamespace,
      done: true,
      steps: [
        { kind: 'release', objects: ['ResourceImport antrea-multicluster/shop-cart-endpoints'] },
        {
          kind: 'merge',
          objects: ['east', 'west'].map((id) => `ResourceImport antrea-multicluster/shop-cart-endpoints.${id}`),
        },
        { kind: 'release' },
      ],
    });
    const { out } = await run(fleet, fleet.leader, 'leader --yes');
    expect(out.split('\n')[0]).toBe(
      'Nothing is left to hand over: the leader in Namespace antrea-multicluster of https://cluster.test:6443.',
    );
  });

  it('rejects a leader whose controller runs outside a Deployment, and changes nothing', async () => {
    await using fleet = await fleetAtRest();
    const { admin } = fleet.leader.server;
    const before = admin.list(ResourceImport, leaderNamespace);
    let renewals = 0;
    const renew = () => {
      const spec = { holderIdentity: 'laptop_1', leaseDurationSeconds: 15, leaseTransitions: renewals++ };
      admin.put(Lease, { metadata: { name: 'isthmus-leader', namespace: leaderNamespace }, spec });
      fleet.clock.after(2_000, renew);
    };
    renew();
    const { code, err } = await run(fleet, fleet.leader, 'leader --yes');
    expect([code, err]).toEqual([
      ExitCode.failed,
      'error: cannot hand over: laptop_1 holds Lease antrea-multicluster/isthmus-leader, so a controller of Isthmus is running. Stop it, and run the command again.\n',
    ]);
    expect(admin.list(ResourceImport, leaderNamespace)).toEqual(before);
  });

  it('does not wait for a Lease that a killed controller left behind longer than it holds', async () => {
    await using fleet = await fleetAtRest();
    fleet.leader.server.admin.put(Lease, {
      metadata: { name: 'isthmus-leader', namespace: leaderNamespace },
      spec: { holderIdentity: 'north-1_x', leaseDurationSeconds: 15 },
    });
    expect(await run(fleet, fleet.leader, 'leader --yes')).toMatchObject({ code: ExitCode.ok, err: '' });
  });
});

describe('isthmus handover member', () => {
  it('prints the plan of a member', async () => {
    await using fleet = await fleetAtRest();
    const { out } = await run(fleet, fleet.cluster('east'), 'member');
    expect(out.split('\n').slice(1, 4)).toEqual([
      '  1. Replace the EndpointSlices of 1 imported Service by Endpoints',
      '  2. Remove labels, annotations and finalizers of Isthmus from 1 Service, 1 ServiceImport, 1 ClusterSet',
      '  3. Store ServiceExports and ServiceImports as v1alpha1',
    ]);
  });

  it('keeps slices and marks where Kubernetes makes no slices of the Endpoints, and names the controller to look at', async () => {
    await using fleet = await fleetAtRest();
    const east = fleet.cluster('east');
    const { code, err } = await run(fleet, east, 'member --yes');
    expect([code, err]).toEqual([
      ExitCode.failed,
      'error: cannot replace the EndpointSlices of Service shop/antrea-mc-cart: kube-controller-manager has not mirrored its Endpoints to EndpointSlices in 60 s. Its slices are kept. Check that its controller endpointslice-mirroring-controller runs.\n',
    ]);
    expect(importedSlices(east)).toEqual(['west: 10.20.1.1 http:8080']);
    expect(east.server.admin.list(EndpointSlice, 'shop').length).toBeGreaterThan(0);
    const marks = east.server.admin.list(ServiceImport, 'shop').map(({ metadata }) => metadata.labels);
    expect(marks).toEqual([{ 'app.kubernetes.io/managed-by': 'isthmus' }]);
  });
});
