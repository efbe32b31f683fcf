import {
  ClusterInfoImport,
  ClusterSet,
  Finalizer,
  Gateway,
  KnownCluster,
  Lease,
  Node,
  ResourceExport,
  ResourceImport,
  gatewayLeaseName,
} from '@isthmus/api';
import type { AnyCondition } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

const publicKey = Buffer.alloc(32, 7).toString('base64');

let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  // These clusters change their ranges.
  for (const clusterID of ['east', 'west'])
    await fleet.leader.admin.create(KnownCluster, {
      metadata: { name: clusterID, namespace: leaderNamespace },
      spec: { clusterID },
    });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** The Service CIDR of each cluster. */
const ranges: Readonly<Record<string, string>> = { east: '10.32.0.0/16', west: '10.33.0.0/16' };
const rangeOf = (id: string) => ranges[id] ?? '10.34.0.0/16';

const gateway = { namespace: memberNamespace, name: 'node-1' } as const;
const putGateway = (cluster: RealCluster, gatewayIP: string, publicKey?: string, serviceCIDR = rangeOf(cluster.name)) =>
  cluster.user.put(Gateway, {
    metadata: gateway,
    gatewayIP,
    internalIP: gatewayIP,
    serviceCIDR,
    ...(publicKey === undefined ? {} : { wireGuard: { publicKey } }),
  });
const networkOf = (id: string, gatewayIP: string) => ({
  clusterID: id,
  serviceCIDR: rangeOf(id),
  gatewayInfos: [{ gatewayIP }],
});
const importedBy = (cluster: RealCluster, id: string) =>
  cluster.user.find(ClusterInfoImport, { namespace: memberNamespace, name: `${id}-clusterinfo` });
const knownTo = async (cluster: RealCluster, id: string) => (await importedBy(cluster, id))?.spec;
const atLeader = (id: string) => ({ namespace: leaderNamespace, name: `${id}-clusterinfo` });

/** Writes an import by hand, as an Antrea leader would. */
const putImport = (id: string, spec: object) =>
  north().user.put(ResourceImport, {
    metadata: atLeader(id),
    spec: { kind: 'ClusterInfo', ...atLeader(id), ...spec },
  });

describe('the network of a cluster, on real API servers', () => {
  it('is that of the Node which is marked as a gateway, and stays known when another Node takes over', async () => {
    const { admin } = west();
    const setStatus = async (name: string, ready: 'True' | 'Unknown') => {
      const addresses = [{ type: 'InternalIP', address: `192.0.2.${name.slice(-1)}` }];
      const body = { status: { addresses, conditions: [{ type: 'Ready', status: ready }] } };
      await admin.patch(Node, { name }, { type: 'merge', body }, { subresource: 'status' });
    };
    for (const name of ['gateway-1', 'gateway-2']) {
      await admin.create(Node, { metadata: { name, annotations: { 'multicluster.antrea.io/gateway': 'true' } } });
      await setStatus(name, 'True');
    }
    const addresses = async () =>
      (await knownTo(east(), 'west'))?.gatewayInfos?.map(({ gatewayIP }) => gatewayIP).join(' ');
    await fleet.eventually('both are known', addresses, '192.0.2.1 192.0.2.2');
    const uids = async () => {
      const objects = await Promise.all([
        importedBy(east(), 'west'),
        north().user.find(ResourceImport, atLeader('west')),
        north().user.find(ResourceExport, atLeader('west')),
      ]);
      return objects.map((object) => object?.metadata.uid ?? 'none');
    };
    const before = await uids();
    const made = await admin.get(Gateway, { namespace: memberNamespace, name: 'gateway-1' });
    expect(made).toMatchObject({
      gatewayIP: '192.0.2.1',
      internalIP: '192.0.2.1',
      serviceCIDR: expect.stringMatching(/^10\.\d+\.0\.0\/16$/) as string,
    });
    await setStatus('gateway-1', 'Unknown');
    await fleet.eventually('the other has taken over', addresses, '192.0.2.2');
    expect(await uids()).toEqual(before);
    expect(
      (await admin.list(Gateway, { namespace: memberNamespace })).items.map(({ metadata }) => metadata.name),
    ).toEqual(['gateway-2']);
    // The Nodes are ready again, and the agent on one of them stops renewing its Lease.
    await setStatus('gateway-1', 'True');
    await fleet.eventually('the first can take over', addresses, '192.0.2.2 192.0.2.1');
    await admin.create(Lease, {
      metadata: {
        namespace: memberNamespace,
        name: gatewayLeaseName('gateway-2'),
        labels: { 'isthmus.dev/gateway-lease': 'true' },
        annotations: { 'isthmus.dev/public-key': publicKey },
      },
      spec: { holderIdentity: 'gateway-2', leaseDurationSeconds: 3 },
    });
    await fleet.until(
      'its key is known',
      async () => (await knownTo(east(), 'west'))?.wireGuard?.publicKey === publicKey,
    );
    await fleet.eventually('the first takes over', addresses, '192.0.2.1');
    expect((await knownTo(east(), 'west'))?.wireGuard).toBeUndefined();
    expect(await uids()).toEqual(before);
    for (const name of ['gateway-1', 'gateway-2']) await admin.delete(Node, { name });
    await fleet.eventually('it is withdrawn with the Nodes', addresses, undefined);
  });

  it('is exported while there is a Gateway, imported by the other member, changed in place and withdrawn', async () => {
    await Promise.all([putGateway(west(), '192.0.2.10', publicKey), putGateway(east(), '198.51.100.10')]);
    const ofWest = { ...networkOf('west', '192.0.2.10'), wireGuard: { publicKey } };
    await fleet.eventually('the network of west', () => knownTo(east(), 'west'), ofWest);
    await fleet.eventually('the network of east', () => knownTo(west(), 'east'), networkOf('east', '198.51.100.10'));
    expect([await importedBy(east(), 'east'), await importedBy(west(), 'west')]).toEqual([undefined, undefined]);
    const exported = await north().admin.get(ResourceExport, atLeader('west'));
    expect(exported.metadata.finalizers).toEqual([Finalizer.resourceExport]);
    expect(exported.spec).toMatchObject({ kind: 'ClusterInfo', clusterID: 'west', clusterInfo: ofWest });
    await fleet.until('the leader accepts it', async () => {
      const { status } = await north().admin.get(ResourceExport, atLeader('west'));
      return status?.conditions?.[0]?.type === 'Succeeded';
    });

    const before = (await importedBy(east(), 'west'))?.metadata.uid;
    await putGateway(west(), '192.0.2.11');
    await fleet.eventually('the new address', () => knownTo(east(), 'west'), networkOf('west', '192.0.2.11'));
    expect((await importedBy(east(), 'west'))?.metadata.uid).toBe(before);

    await Promise.all([west().user.remove(Gateway, gateway), east().user.remove(Gateway, gateway)]);
    await fleet.until('nothing is left', async () => {
      const left = await Promise.all([
        importedBy(east(), 'west'),
        importedBy(west(), 'east'),
        ...['east', 'west'].flatMap((id) => [
          north().user.find(ResourceImport, atLeader(id)),
          north().user.find(ResourceExport, atLeader(id)),
        ]),
      ]);
      return left.every((object) => object === undefined);
    });
  });

  it('that overlaps with an earlier one is not published, and both clusters and the importers of the earlier one report it', async () => {
    const conflictOn = (
      object:
        | { readonly status?: { readonly conditions?: readonly AnyCondition[] | undefined } | undefined }
        | undefined,
    ) => conditionOf(object?.status?.conditions, 'NetworkConflict')?.reason;
    const onClusterSet = async (cluster: RealCluster) =>
      conflictOn(await cluster.user.find(ClusterSet, { namespace: memberNamespace, name: clusterSetName }));
    const reasons = async () =>
      Promise.all([onClusterSet(east()), onClusterSet(west()), importedBy(west(), 'east').then(conflictOn)]);
    await putGateway(east(), '198.51.100.10');
    await fleet.eventually('the network of east', () => knownTo(west(), 'east'), networkOf('east', '198.51.100.10'));
    await putGateway(west(), '192.0.2.10', undefined, '10.32.128.0/17');
    await fleet.eventually('all report it', reasons, ['RangeOverlaps', 'RangeOverlaps', 'RangeOverlaps']);
    expect(await importedBy(east(), 'west')).toBeUndefined();
    await putGateway(west(), '192.0.2.10');
    await fleet.eventually('the network of west', () => knownTo(east(), 'west'), networkOf('west', '192.0.2.10'));
    await fleet.eventually('nobody reports it', reasons, [undefined, undefined, undefined]);
    await Promise.all([west().user.remove(Gateway, gateway), east().user.remove(Gateway, gateway)]);
    await fleet.eventually('no import of east', () => importedBy(west(), 'east'), undefined);
    await fleet.eventually('no import of west', () => importedBy(east(), 'west'), undefined);
  });

  it.each([Finalizer.resourceExport, Finalizer.legacyResourceExport])(
    'follows an export that a member of Antrea writes with finalizer %s, and lets it go',
    async (finalizer) => {
      const write = (gatewayIP: string) =>
        north().user.put(ResourceExport, {
          metadata: { ...atLeader('south'), finalizers: [finalizer] },
          spec: {
            kind: 'ClusterInfo',
            clusterID: 'south',
            name: 'south',
            namespace: memberNamespace,
            clusterInfo: networkOf('south', gatewayIP),
          },
        });
      for (const gatewayIP of ['203.0.113.1', '203.0.113.2']) {
        await write(gatewayIP);
        for (const cluster of [east(), west()]) {
          await fleet.eventually(
            'the network of south',
            () => knownTo(cluster, 'south'),
            networkOf('south', gatewayIP),
          );
        }
      }
      await north().user.remove(ResourceExport, atLeader('south'));
      await fleet.eventually('no import of south', () => importedBy(east(), 'south'), undefined);
      await fleet.eventually('no export', () => north().user.find(ResourceExport, atLeader('south')), undefined);
    },
  );

  it('follows the import of an Antrea leader; one without a payload, or of the own cluster, is passed over', async () => {
    await putImport('empty', {});
    await putImport('east', { clusterinfo: networkOf('east', '203.0.113.9') });
    await putImport('antrea', { clusterinfo: networkOf('antrea', '203.0.113.3') });
    await fleet.eventually(
      'the network of antrea',
      () => knownTo(east(), 'antrea'),
      networkOf('antrea', '203.0.113.3'),
    );
    await putImport('antrea', { clusterinfo: networkOf('antrea', '203.0.113.4') });
    await fleet.eventually(
      'the network of antrea',
      () => knownTo(east(), 'antrea'),
      networkOf('antrea', '203.0.113.4'),
    );
    expect([await importedBy(east(), 'empty'), await importedBy(east(), 'east')]).toEqual([undefined, undefined]);
    for (const id of ['empty', 'east', 'antrea']) await north().user.remove(ResourceImport, atLeader(id));
    await fleet.eventually('no import of antrea', () => importedBy(east(), 'antrea'), undefined);
  });

  it('is removed where its import went away while the member was down', async () => {
    await east().stop();
    await east().user.put(ClusterInfoImport, {
      metadata: { namespace: memberNamespace, name: 'gone-clusterinfo' },
      spec: networkOf('gone', '203.0.113.5'),
    });
    await east().start();
    await fleet.eventually('no import of gone', () => importedBy(east(), 'gone'), undefined);
  });

  it('leaves no reconcile that failed', () => {
    expect(unexpectedFailures(fleet)).toEqual([]);
  });
});
