import { Namespace } from '@isthmus/api';
import type { ServiceSpec } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { cart, createVirtualFleet, eventsOf, exportCondition, exportMessage, exportService } from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCart } from '../testing/served-cart.ts';

const ports = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

// One fleet for all: each test creates the Services again, and withdraws them.
let fleet: VirtualFleet;
let clusters: readonly VirtualCluster[];
beforeAll(async () => {
  fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  clusters = [fleet.cluster('west'), fleet.cluster('east')];
  for (const { server } of clusters) server.admin.put(Namespace, { metadata: { name: cart.namespace } });
});
afterAll(() => fleet[Symbol.asyncDispose]());

function serve(cluster: VirtualCluster, spec: Partial<ServiceSpec>): void {
  serveCart(cluster, { ports, ...spec });
  exportService(cluster);
}

const reported = (cluster: VirtualCluster, reason: string) =>
  eventsOf(cluster).filter((event) => event.startsWith(`${reason} ServiceExport/cart: `));

describe('exports of one Service that differ', () => {
  it.each([
    ['PortConflict', 'their ports', {}, { ports: [{ name: 'http', protocol: 'TCP', port: 81 }] }],
    ['TypeConflict', 'their type', {}, { clusterIP: 'None' }],
    ['SessionAffinityConflict', 'session affinity', {}, { sessionAffinity: 'ClientIP' }],
    [
      'SessionAffinityConfigConflict',
      'the time-out of session affinity',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 90 } } },
    ],
    ['InternalTrafficPolicyConflict', 'the policy of internal traffic', {}, { internalTrafficPolicy: 'Local' }],
    ['TrafficDistributionConflict', 'the distribution of traffic', {}, { trafficDistribution: 'PreferClose' }],
  ] satisfies readonly (readonly [string, string, Partial<ServiceSpec>, Partial<ServiceSpec>])[])(
    'are reported as %s where it is %s, in both clusters, until they agree',
    async (reason, _, first, second) => {
      const [west, east] = clusters;
      if (west === undefined || east === undefined) throw new Error('there are two');
      serve(west, first);
      await fleet.until('exported', () => exportCondition(west, 'Ready') === 'True Exported');
      await fleet.clock.advance(2_000);
      serve(east, second);
      const isReported = () =>
        clusters.every((each) => exportCondition(each, 'Conflict').split(/[ ,]/).includes(reason));
      await fleet.until('it is reported', isReported, 5_000);
      for (const cluster of clusters) {
        const verb = reason === 'TypeConflict' ? 'delete' : 'edit';
        expect(exportMessage(cluster, 'Conflict')).toMatch(new RegExp(`kubectl -n shop ${verb} service cart$`));
        expect(eventsOf(cluster).some((event) => event.includes('Conflict ServiceExport/cart: '))).toBe(true);
      }
      serve(east, first);
      const isOver = () => clusters.every((each) => exportCondition(each, 'Conflict') === 'False NoConflicts');
      await fleet.until('they agree', isOver, 10_000);
      expect(reported(west, 'NoConflicts')).toEqual([]);
    },
  );
});
