import { Service, ServiceImport } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  importedSlices,
  putPod,
} from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchOutages } from '../testing/import-outages.ts';
import { consequencesMs, isBefallen, serverFaults } from '../testing/server-faults.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const affinityOf = (index: number) => (index % 2 === 0 ? 'ClientIP' : 'None');

/** East and west export and import `shop/cart`. The faults are in the API server of east itself. */
let fleet: VirtualFleet;
let breaches: string[] = [];
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const identity = () =>
  [west(), east()].map(({ server: { admin } }) => [
    admin.get(Service, derivedCart)?.metadata.uid,
    admin.get(ServiceImport, cart)?.metadata.uid,
  ]);

beforeAll(async () => {
  fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  exportCart(west(), '10.20.1.1', http);
  exportCart(east(), '10.10.1.1', http);
  await fleet.until('both have imported both', () =>
    [east(), west()].every((cluster) => importedSlices(cluster).length === 2),
  );
  await fleet.clock.advance(10_000);
  for (const cluster of [east(), west()])
    watchOutages(
      cluster,
      () => false,
      (what) => breaches.push(what),
    );
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('while the API server of a member', () => {
  const visited = sweepOf(
    serverFaults.map((each, index) => ({ each, index })),
    { oneIn: 8, kindOf: ({ each: [, fault] }) => fault.kind },
  );
  it.each(visited)(
    '$each.0, imports and exports stay, and follow what changed when it works again',
    async ({ each: [what, fault, which], index }) => {
      breaches = [];
      const before = identity();
      const mend = fleet.link('east-member', 'east').add({
        match: (request) => isBefallen(request, which),
        fault,
      });
      await fleet.clock.advance(3_000);
      // In the other cluster, and in its own.
      const sessionAffinity = affinityOf(index);
      for (const cluster of [west(), east()]) cluster.server.admin.patch(Service, cart, { spec: { sessionAffinity } });
      putPod(east(), 'cart-1', `10.10.2.${index}`);
      putPod(west(), 'cart-2', `10.20.2.${index}`);
      await fleet.clock.advance(60_000);
      mend();
      await fleet.clock.advance(consequencesMs(fault));
      const isCurrent = () =>
        [east(), west()].every(
          (cluster) =>
            cluster.server.admin.get(ServiceImport, cart)?.spec?.sessionAffinity === sessionAffinity &&
            cluster.server.admin.get(Service, derivedCart)?.spec?.sessionAffinity === sessionAffinity &&
            [`10.10.2.${index}`, `10.20.2.${index}`].every((ip) => importedSlices(cluster).join().includes(ip)) &&
            exportCondition(cluster, 'Ready') === 'True Exported',
        );
      await fleet.until(`all is current after it ${what}`, isCurrent, 100_000);
      await fleet.clock.advance(10_000);
      expect({ breaches, isCurrent: isCurrent() }).toEqual({ breaches: [], isCurrent: true });
      expect(identity()).toEqual(before);
    },
  );
});
