import { Service, ServiceImport } from '@isthmus/api';
import type { Fault, VirtualFleet } from '@isthmus/testkit';
import {
  cart,
  createVirtualFleet,
  derivedCart,
  exportCart,
  exportCondition,
  importedSlices,
  putPod,
  sweepOf,
} from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchOutages } from '../testing/import-outages.ts';

/** What befalls requests of a member to its own API server; `streams`: its watches alone. */
const faults: readonly (readonly [what: string, fault: Fault, which?: 'streams' | 'reads' | 'writes'])[] = [
  ['answers 500', { kind: 'status', code: 500 }],
  ['answers 503', { kind: 'status', code: 503 }],
  ['answers 429 and asks for patience', { kind: 'status', code: 429, retryAfterSeconds: 2 }],
  ['answers 504', { kind: 'status', code: 504 }],
  ['answers 401', { kind: 'status', code: 401 }],
  ['answers 403', { kind: 'status', code: 403 }],
  ['answers 403 to writes alone', { kind: 'status', code: 403 }, 'writes'],
  ['answers 404', { kind: 'status', code: 404 }],
  ['answers 404 to writes alone', { kind: 'status', code: 404 }, 'writes'],
  ['answers 404 to reads alone', { kind: 'status', code: 404 }, 'reads'],
  ['answers 409 to writes', { kind: 'status', code: 409 }, 'writes'],
  ['answers 422 to writes', { kind: 'status', code: 422 }, 'writes'],
  ['has forgotten each version', { kind: 'expired' }],
  ['has forgotten the version of each watch', { kind: 'expired' }, 'streams'],
  ['does what is asked and loses the answer', { kind: 'lose-answer' }],
  ['gives up before it does anything', { kind: 'time-out', afterMs: 3_000, applied: false }],
  ['gives up after it did what was asked', { kind: 'time-out', afterMs: 3_000, applied: true }, 'writes'],
  ['never answers', { kind: 'hang' }],
  ['never answers writes', { kind: 'hang' }, 'writes'],
  ['listens no more', { kind: 'refuse' }],
  ['is a proxy that answers with a page', { kind: 'garbage' }],
  ['sends half of each answer', { kind: 'garbage', bytes: '{"kind":"List","apiVersion":"v1","metadata":{"resou' }],
  ['answers with an empty object', { kind: 'garbage', bytes: '{}' }],
  ['takes most of a second', { kind: 'latency', ms: 700 }],
  ['takes longer than anybody waits', { kind: 'latency', ms: 12_000 }],
  ['breaks each watch after a line', { kind: 'break-stream', afterLines: 1 }, 'streams'],
  ['ends each watch after a line', { kind: 'end-stream', afterLines: 1 }, 'streams'],
];

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const affinityOf = (index: number) => (index % 2 === 0 ? 'ClientIP' : 'None');

/** East and west export and import `shop/cart`; the API server of east itself is the one with the faults. */
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
    faults.map((each, index) => ({ each, index })),
    { oneIn: 4, kindOf: ({ each: [, fault] }) => fault.kind },
  );
  it.each(visited)(
    '$each.0, imports and exports stay, and follow what changed when it works again',
    async ({ each: [what, fault, which], index }) => {
      breaches = [];
      const before = identity();
      const mend = fleet.link('east-member', 'east').add({
        match: ({ method, query }) => {
          const isStream = query?.['watch'] === 'true';
          if (which === 'streams') return isStream;
          return which === undefined || (method === 'GET') === (which === 'reads');
        },
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
