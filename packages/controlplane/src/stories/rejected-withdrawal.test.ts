import type { ApiRequest } from '@isthmus/kube';
import {
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  importedSlices,
  isClean,
  unexportService,
} from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';

const clusters = { north: 'leader', east: 'member', west: 'member' } as const;
const isWithdrawal = ({ method, path }: ApiRequest) =>
  (method === 'PATCH' || method === 'DELETE') && path.includes('/resourceexports/west-shop-cart-');

it.each([403, 422])(
  'a withdrawal that the API server of the leader rejects is reported by an Event on the ClusterSet, and made when that is corrected (%i)',
  async (code) => {
    await using fleet = await createVirtualFleet({ clusters });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => importedSlices(west).length === 1);
    const allow = fleet.link('west-member', 'north').add({ match: isWithdrawal, fault: { kind: 'status', code } });
    unexportService(west);
    const reported = () => eventsOf(west).filter((event) => event.startsWith('WithdrawalRejected '));
    await fleet.until('it is reported', () => reported().length > 0, 5_000);
    expect(reported()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^WithdrawalRejected ClusterSet/${clusterSetName}: Service shop/cart has no ServiceExport any more, but is still exported: the API server of leader north rejects the withdrawal: .* resourceexports\\.multicluster\\.crd\\.antrea\\.io .* Correct the admission policy or the role there; the withdrawal is tried again\\.$`,
        ),
      ),
    ]);
    await fleet.clock.advance(60_000);
    expect(reported()).toHaveLength(1);
    allow();
    await fleet.until('it is withdrawn', () => isClean(fleet), 40_000);
  },
);

it.each([
  [
    'the deletion of a ResourceImport',
    ({ method, path }: ApiRequest) => method === 'DELETE' && path.includes('/resourceimports/'),
  ],
  [
    'the removal of the finalizer of a ResourceExport',
    ({ method, path }: ApiRequest) => method === 'PATCH' && /\/resourceexports\/[^/]+$/.test(path),
  ],
])('%s that the API server of the leader rejects is reported by an Event on its ClusterSet', async (_, match) => {
  await using fleet = await createVirtualFleet({ clusters });
  const west = fleet.cluster('west');
  exportCart(west, '10.20.1.5');
  await fleet.until('it is imported', () => importedSlices(west).length === 1);
  const allow = fleet.link('north-leader', 'north').add({ match, fault: { kind: 'status', code: 422 } });
  unexportService(west);
  const reported = () => eventsOf(fleet.leader).filter((event) => event.startsWith('WriteRejected '));
  await fleet.until('it is reported', () => reported().length > 0, 5_000);
  expect(reported()).toEqual([
    expect.stringMatching(
      new RegExp(
        `^WriteRejected ClusterSet/${clusterSetName}: The API server of this cluster rejects a write of the leader's controller: .* resource(im|ex)ports\\.multicluster\\.crd\\.antrea\\.io .* Correct the role`,
      ),
    ),
  ]);
  await fleet.clock.advance(60_000);
  allow();
  await fleet.until('it is withdrawn', () => isClean(fleet), 40_000);
});

it('the status of exports that the API server of the leader rejects is reported by an Event on its ClusterSet, not by silence', async () => {
  await using fleet = await createVirtualFleet({ clusters });
  const west = fleet.cluster('west');
  const isStatus = ({ method, path }: ApiRequest) =>
    method === 'PATCH' && /\/resourceexports\/[^/]+\/status/.test(path);
  const allow = fleet.link('north-leader', 'north').add({ match: isStatus, fault: { kind: 'status', code: 403 } });
  exportCart(west, '10.20.1.5');
  const reported = () => eventsOf(fleet.leader).filter((event) => event.startsWith('WriteRejected '));
  await fleet.until('it is reported', () => reported().length > 0, 5_000);
  allow();
  await fleet.until('the exporter has its answer', () => exportCondition(west, 'Ready') === 'True Exported', 40_000);
});
