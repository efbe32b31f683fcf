import { ClusterSet, ServiceExport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runAntreaLeader } from '../adversary/testing/antrea-leader.ts';
import { deleteDefinition } from '../testing/deleted-definitions.ts';

const pair = { north: 'leader', west: 'member' } as const;
const cart = { namespace: 'shop', name: 'cart' };

function ready(cluster: VirtualCluster, namespace: string) {
  const found = cluster.server.admin.get(ClusterSet, { namespace, name: clusterSetName });
  return conditionOf(found?.status?.conditions, 'Ready');
}

const onLeader = ({ leader }: VirtualFleet) => ready(leader, leaderNamespace);
const exported = (cluster: VirtualCluster) =>
  conditionOf(cluster.server.admin.get(ServiceExport, cart)?.status?.conditions, 'Ready')?.message;

describe('a leader without the definition of a kind that it needs', () => {
  it.each(['resourceexports', 'resourceimports'])(
    'is reported on the ClusterSets of both sides and on a waiting export, with the command that applies it: %s',
    async (resource) => {
      await using fleet = await createVirtualFleet({ clusters: pair });
      const west = fleet.cluster('west');
      await fleet.clock.advance(30_000);
      const apply = deleteDefinition(fleet, resource);
      const name = `${resource}.multicluster.crd.antrea.io`;
      await fleet.until('the leader reports it', () => onLeader(fleet)?.reason === 'KindsMissing', 60_000);
      expect(onLeader(fleet)).toMatchObject({
        status: 'False',
        message: `This cluster does not serve ${name}; the exports and imports that need it wait. Run: kubectl apply -f deploy/leader-crds.yaml (with Helm: helm upgrade)`,
      });
      await fleet.until('the member too', () => clusterSetCondition(west) === 'False LeaderKindsMissing', 60_000);
      const problem = `Leader north does not serve ${name}, so exports and imports wait. Run there: kubectl apply -f deploy/leader-crds.yaml (with Helm: helm upgrade)`;
      expect(ready(west, memberNamespace)?.message).toBe(problem);
      exportCart(west, '10.20.1.5');
      await fleet.until('the export too', () => exported(west)?.endsWith(`: ${problem}`) === true, 20_000);
      expect(exportCondition(west, 'Ready')).toBe('False Pending');

      apply();
      await fleet.until('the member is connected', () => clusterSetCondition(west) === 'True Connected', 60_000);
      await fleet.until('the leader is ready', () => onLeader(fleet)?.reason === 'AllClustersReady', 60_000);
      await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported', 90_000);
      expect(importedSlices(west)).toHaveLength(1);
    },
  );

  it.each(['resourceexports', 'resourceimports'])(
    'is reported with the manifest of Antrea where the leader runs Antrea: that of Isthmus would replace its controller: %s',
    async (resource) => {
      await using fleet = await createVirtualFleet({ clusters: pair, antreaCrds: true, join: false });
      runAntreaLeader(fleet);
      const west = fleet.cluster('west');
      west.start();
      fleet.join();
      await fleet.clock.advance(30_000);
      const apply = deleteDefinition(fleet, resource);
      await fleet.until('it is reported', () => clusterSetCondition(west) === 'False LeaderKindsMissing', 60_000);
      expect(ready(west, memberNamespace)?.message).toBe(
        `Leader north does not serve ${resource}.multicluster.crd.antrea.io, so exports and imports wait. If the leader runs Isthmus, run there: kubectl apply -f deploy/leader-crds.yaml (with Helm: helm upgrade). If it runs Antrea, run there, with the file of its release: kubectl apply -f antrea-multicluster-leader-global.yml`,
      );
      apply();
      await fleet.until('the member is connected', () => clusterSetCondition(west) === 'True Connected', 60_000);
    },
  );

  it('that members announce themselves with is reported as missing, and not as a leader without members', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    await fleet.clock.advance(30_000);
    const apply = deleteDefinition(fleet, 'memberclusterannounces');
    await fleet.until('the leader reports it', () => onLeader(fleet)?.reason === 'KindsMissing', 60_000);
    apply();
    await fleet.until('the leader is ready', () => onLeader(fleet)?.reason === 'AllClustersReady', 90_000);
  });

  it('is not reported while its API server starts', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const west = fleet.cluster('west');
    await fleet.clock.advance(30_000);
    const apply = deleteDefinition(fleet, 'resourceimports');
    await fleet.clock.advance(5_000);
    expect(onLeader(fleet)?.reason).toBe('AllClustersReady');
    expect(clusterSetCondition(west)).toBe('True Connected');
    apply();
    await fleet.clock.advance(60_000);
    expect(onLeader(fleet)?.reason).toBe('AllClustersReady');
    expect(clusterSetCondition(west)).toBe('True Connected');
  });
});
