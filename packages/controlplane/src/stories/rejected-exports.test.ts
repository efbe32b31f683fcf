import type { ApiRequest } from '@isthmus/kube';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  exportMessage,
  putService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const writes = ({ method, path }: ApiRequest) => method !== 'GET' && path.includes('/resourceexports');
const http = (port: number) => [{ name: 'http', protocol: 'TCP' as const, port, targetPort: 8080 }];

/**
 * From now on the leader's API server answers writes of exports of west with `code`, until the
 * returned function is called.
 */
const reject = (fleet: VirtualFleet, code: number) =>
  fleet.link('west-member', 'north').add({ match: writes, fault: { kind: 'status', code } });

describe('an export whose write the API server of the leader rejects', () => {
  it.each([403, 413, 422])(
    'reports it on the ServiceExport, with what to correct, until it is accepted: %s',
    async (code) => {
      await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
      const west = fleet.cluster('west');
      const allow = reject(fleet, code);
      exportCart(west, '10.20.1.5', http(80));
      await fleet.until('it is reported', () => exportCondition(west, 'Ready') === 'False Failed', 5_000);
      expect(exportMessage(west, 'Ready')).toMatch(
        /^The API server of leader north rejects a write of the export: .*\. Correct the admission policy, the quota or the role there;/,
      );
      expect(exportCondition(west, 'Valid')).toBe('True Valid');
      expect(eventsOf(west).filter((event) => event.startsWith('Failed ServiceExport/cart: '))).toHaveLength(1);
      allow();
      await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported', 35_000);
    },
  );

  it('reports a change that is rejected, and is exported as before', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    exportCart(west, '10.20.1.5', http(80));
    await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported');
    const allow = reject(fleet, 422);
    putService(west, http(81));
    await fleet.until('it is reported', () => exportCondition(west, 'Ready') === 'False Failed', 5_000);
    allow();
    await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported', 35_000);
  });

  it('waits, as for any answer, where the write could pass', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    reject(fleet, 503);
    exportCart(west, '10.20.1.5', http(80));
    await fleet.clock.advance(10_000);
    expect(exportCondition(west, 'Ready')).toBe('False Pending');
  });
});
