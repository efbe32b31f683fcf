import { Namespace, Service } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  createVirtualFleet,
  exportService,
  fleetState,
  importedPorts,
  putPod,
  unexportService,
} from '@isthmus/fleet-sim';
import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const gone = { namespace: 'shop', name: 'gone' };
const other = { namespace: 'shop', name: 'other' };

/** The clusters disagree on the port http; each also has its own port. */
const ports = (http: number, own: string) => [
  { name: 'http', protocol: 'TCP', port: http, targetPort: 8080 },
  { name: own, protocol: 'TCP', port: 9000 + own.length, targetPort: 9000 },
];

const putService = (fleet: VirtualFleet, name: string, spec: NonNullable<Service['spec']>, ref: ObjectRef = cart) =>
  fleet.cluster(name).server.admin.put(Service, { metadata: { ...ref }, spec: { selector: { app: 'cart' }, ...spec } });

/**
 * West has exported the Service before. So the age of the exports does not depend on the order of
 * the following actions.
 */
async function setUp(fleet: VirtualFleet): Promise<void> {
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  fleet.cluster('west').server.admin.put(Namespace, { metadata: { name: 'shop' } });
  putService(fleet, 'west', { clusterIP: '10.98.0.200', ports: ports(80, 'old') });
  exportService(fleet.cluster('west'));
  exportService(fleet.cluster('west'), gone);
  await fleet.until('east has imported', () => importedPorts(fleet.cluster('east')).length === 2);
  await fleet.clock.advance(1_000);
}

/** Actions of users, each independent of the others. */
const actions: readonly ((fleet: VirtualFleet) => void)[] = [
  (fleet) => putService(fleet, 'west', { clusterIP: '10.98.0.200', ports: ports(80, 'metrics') }),
  (fleet) => putService(fleet, 'east', { clusterIP: '10.97.0.200', ports: ports(8081, 'admin') }),
  (fleet) => exportService(fleet.cluster('east')),
  (fleet) => putPod(fleet.cluster('west'), 'cart-1', '10.20.1.5'),
  (fleet) => putPod(fleet.cluster('west'), 'cart-2', '10.20.2.7', { ready: false }),
  (fleet) => putPod(fleet.cluster('east'), 'cart-1', '10.10.3.4'),
  (fleet) => putService(fleet, 'east', { clusterIP: '10.97.0.201', ports: ports(82, 'more') }, other),
  (fleet) => exportService(fleet.cluster('east'), other),
  (fleet) => exportService(fleet.cluster('east'), { namespace: 'shop', name: 'without-service' }),
  (fleet) => unexportService(fleet.cluster('west'), gone),
];
/** Faults of the processes and the links between them. */
const disturbances: readonly ((fleet: VirtualFleet) => void)[] = [
  ...['north', 'east', 'west'].map((name) => (fleet: VirtualFleet) => {
    fleet.cluster(name).kill();
    fleet.cluster(name).start();
  }),
  (fleet) => {
    fleet.link('west-member', 'north').cut('refuse');
    fleet.clock.after(300, () => fleet.link('west-member', 'north').heal());
  },
  (fleet) => {
    fleet.link('north-leader', 'north').cut('silence');
    fleet.clock.after(300, () => fleet.link('north-leader', 'north').heal());
  },
];

interface Step {
  readonly act: (fleet: VirtualFleet) => void;
  readonly gapMs: number;
}

async function stateAfter(steps: readonly Step[]): Promise<readonly string[]> {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
  await setUp(fleet);
  for (const { act, gapMs } of steps) {
    act(fleet);
    await fleet.clock.advance(gapMs);
  }
  await fleet.clock.advance(60_000);
  return (
    fleetState(fleet)
      // The names of these are random.
      .filter((line) => !line.includes('"endpointslice-controller.k8s.io"'))
      // The number of a slice depends on the slices that existed when it was created.
      .map((line) => line.replaceAll(/-ipv4-\d+/g, '-ipv4-*'))
  );
}

it('the same actions in any order, with restarts and cut links between them, end in the same state', async () => {
  const calm = await stateAfter(actions.map((act) => ({ act, gapMs: 0 })));
  expect(calm.filter((line) => / EndpointSlice /.test(line))).toHaveLength(6);
  const indices = Array.from({ length: actions.length + disturbances.length }, (_, index) => index);
  const steps = fc.tuple(
    fc.shuffledSubarray(indices, { minLength: indices.length }),
    fc.array(fc.nat({ max: 60 }), { minLength: indices.length, maxLength: indices.length }),
  );
  await fc.assert(
    fc.asyncProperty(steps, async ([order, gaps]) => {
      const all = [...actions, ...disturbances];
      const state = await stateAfter(
        order.flatMap((index, at) => {
          const act = all[index];
          return act === undefined ? [] : [{ act, gapMs: gaps[at] ?? 0 }];
        }),
      );
      expect(state).toEqual(calm);
    }),
    { numRuns: sweepRuns(5, { oneIn: 3 }) },
  );
});
