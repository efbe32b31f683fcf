import { ClusterSet, ResourceExport } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { announce } from '../testing/virtual-ranges-story.ts';

const clusters = { north: 'leader', east: 'member' } as const;
/** Like a quota for ResourceExports in the Namespace of the leader. */
const creates = (kind: string) => (request: ApiRequest) =>
  request.method === 'POST' && request.path.endsWith('/resourceexports') && request.body?.includes(kind) === true;
const words =
  /The API server of leader north rejects a write of the export: create resourceexports.* Correct the admission policy, the quota or the role there/;

it('a network that the API server of the leader rejects is reported by an Event on the Gateway, and exported when that is corrected', async () => {
  await using fleet = await createVirtualFleet({ clusters });
  const east = fleet.cluster('east');
  const match = creates('"clusterInfo"');
  const allow = fleet.link('east-member', 'north').add({ match, fault: { kind: 'status', code: 403 } });
  announce(east, ['10.10.0.0/16']);
  const reported = () => eventsOf(east).filter((event) => event.startsWith('NotExported Gateway/node-1: '));
  await fleet.until('it is reported', () => reported().length > 0, 5_000);
  expect(reported()).toEqual([expect.stringMatching(words)]);
  allow();
  const exported = () =>
    fleet.leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name: 'east-clusterinfo' });
  await fleet.until('it is exported', () => exported() !== undefined, 15_000);
});

it('labels that the API server of the leader rejects are reported on the ClusterSet, until that is corrected', async () => {
  await using fleet = await createVirtualFleet({ clusters, stretched: true });
  const east = fleet.cluster('east');
  const match = creates('"labelIdentity"');
  const allow = fleet.link('east-member', 'north').add({ match, fault: { kind: 'status', code: 403 } });
  exportCart(east, '10.10.3.4');
  const incomplete = () => {
    const found = east.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    return conditionOf(found?.status?.conditions, 'LabelIdentitiesIncomplete');
  };
  await fleet.until('it is reported', () => incomplete() !== undefined, 10_000);
  expect(incomplete()).toMatchObject({
    status: 'True',
    reason: 'LabelsNotExported',
    message: expect.stringMatching(words) as string,
  });
  allow();
  await fleet.until('nothing is reported', () => incomplete() === undefined, 20_000);
});
