import type { Endpoint, EndpointPort, EndpointSlice, Service } from '@isthmus/api';
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointGroup } from './endpoints-of.ts';
import { maxEndpointsPerSlice, planSlices } from './plan.ts';

const service: Service = {
  metadata: { name: 'web', namespace: 'a', uid: 'u1', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
};
const portsAt = (port: number): readonly EndpointPort[] => [{ name: '', port, protocol: 'TCP' }];
const endpoint = (number: number): Endpoint => ({
  addresses: [`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', name: `p${number}`, uid: `uid-${number}` },
});
const groupOf = (port: number, numbers: readonly number[]): EndpointGroup => ({
  ports: portsAt(port),
  endpoints: numbers.map(endpoint),
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** The slices after the plan was carried out, by name. */
function after(current: readonly EndpointSlice[], groups: readonly EndpointGroup[]): readonly EndpointSlice[] {
  const plan = planSlices({ service, current, groups, changedAt: undefined });
  const deleted = new Set(plan.delete.map(({ metadata }) => metadata.name));
  expect(plan.update.filter(({ metadata }) => deleted.has(metadata.name))).toEqual([]);
  const updated = new Map(plan.update.map((slice) => [slice.metadata.name, slice]));
  const kept = current
    .filter(({ metadata }) => !deleted.has(metadata.name))
    .map((slice) => updated.get(slice.metadata.name) ?? slice);
  const taken = new Set(current.map(({ metadata }) => metadata.name));
  const free = range(0, 1_000)
    .map((index) => `web-${String(index).padStart(4, '0')}`)
    .filter((name) => !taken.has(name));
  const made = plan.create.map((slice, index) => ({
    ...slice,
    metadata: { ...slice.metadata, name: free[index] ?? '' },
  }));
  return [...kept, ...made].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

const sizes = (slices: readonly EndpointSlice[]) => slices.map(({ endpoints }) => endpoints?.length ?? 0);

describe('the slices of a Service', () => {
  it('are one without endpoints and ports where there is nothing', () => {
    const [slice, ...others] = after([], []);
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      endpoints: null,
      ports: null,
      metadata: {
        generateName: 'web-',
        labels: {
          tier: 'front',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 'web', uid: 'u1', controller: true }],
      },
    });
  });

  it('hold 100 endpoints each', () => {
    expect(sizes(after([], [groupOf(80, range(0, 250))]))).toEqual([100, 100, 50]);
  });

  it('are filled up where endpoints have gone, before a new one is made', () => {
    const full = after([], [groupOf(80, range(0, 200))]);
    expect(sizes(after(full, [groupOf(80, range(50, 260))]))).toEqual([100, 100, 10]);
  });

  it('go when their last endpoint has gone, while others are left', () => {
    const full = after([], [groupOf(80, range(0, 150))]);
    expect(sizes(after(full, [groupOf(80, range(0, 100))]))).toEqual([100]);
  });

  it('are apart where Pods resolve a port to different numbers', () => {
    const slices = after([], [groupOf(80, [1]), groupOf(81, [2])]);
    expect(slices.map(({ ports }) => ports?.[0]?.port)).toEqual([80, 81]);
  });

  it('that are empty serve for other ports, before a new one is made', () => {
    const [empty] = after([], []);
    const [slice, ...others] = after(after([], []), [groupOf(80, [1])]);
    expect([slice?.metadata.name, slice?.ports, others]).toEqual([empty?.metadata.name, portsAt(80), []]);
  });

  it('carry the time of the change only when something else changes', () => {
    const current = after([], [groupOf(80, [1])]);
    const input = { service, current, changedAt: '2026-11-21T10:00:00Z' };
    expect(planSlices({ ...input, groups: [groupOf(80, [1])] })).toEqual({ create: [], update: [], delete: [] });
    const [changed] = planSlices({ ...input, groups: [groupOf(80, [2])] }).update;
    expect(changed?.metadata.annotations).toEqual({
      'endpoints.kubernetes.io/last-change-trigger-time': '2026-11-21T10:00:00Z',
    });
  });

  it('of another address family are replaced', () => {
    const current = after([], [groupOf(80, [1])]).map((slice): EndpointSlice => ({ ...slice, addressType: 'IPv6' }));
    const plan = planSlices({ service, current, groups: [groupOf(80, [1])], changedAt: undefined });
    expect([plan.create.length, plan.update.length, plan.delete.length]).toEqual([1, 0, 1]);
  });
});

describe('any sequence of changes', () => {
  /** The Pods at each moment, by the port that they resolve to. */
  const moments = fc.array(
    fc.record({ first: fc.nat(300), count: fc.nat(260), moved: fc.nat(300), ports: fc.constantFrom(1, 2, 3) }),
    { minLength: 1, maxLength: 6 },
  );
  const groupsAt = ({ first, count, moved, ports }: { first: number; count: number; moved: number; ports: number }) =>
    range(0, ports)
      .map((index) => {
        const numbers = range(first, first + count).filter((number) => number !== moved && number % ports === index);
        return groupOf(80 + index, numbers);
      })
      .filter(({ endpoints }) => endpoints.length > 0);

  it('leaves each endpoint in exactly one slice with its ports, at most 100 in each, and nothing to do', () => {
    fc.assert(
      fc.property(moments, (all) => {
        let slices: readonly EndpointSlice[] = [];
        for (const moment of all) {
          const groups = groupsAt(moment);
          const before = slices;
          slices = after(before, groups);
          const have = slices.flatMap(({ ports, endpoints }) =>
            (endpoints ?? []).map(({ addresses }) => `${ports?.[0]?.port} ${addresses[0]}`),
          );
          const want = groups.flatMap(({ ports, endpoints }) =>
            endpoints.map(({ addresses }) => `${ports[0]?.port} ${addresses[0]}`),
          );
          expect(have.toSorted()).toEqual(want.toSorted());
          expect(Math.max(...sizes(slices))).toBeLessThanOrEqual(maxEndpointsPerSlice);
          if (want.length > 0) expect(Math.min(...sizes(slices))).toBeGreaterThan(0);
          else expect(slices).toHaveLength(1);
          expect(planSlices({ service, current: slices, groups, changedAt: undefined })).toEqual({
            create: [],
            update: [],
            delete: [],
          });
        }
      }),
      { numRuns: sweepRuns(100, { oneIn: 8 }), seed: 1 },
    );
  });

  it('leaves an endpoint that stays, with its ports, in its slice', () => {
    fc.assert(
      fc.property(fc.nat(250), fc.nat(250), fc.nat(250), (first, count, later) => {
        const before = after([], [groupOf(80, range(0, first + count))]);
        const now = after(before, [groupOf(80, range(first, first + count + later))]);
        const sliceOf = (slices: readonly EndpointSlice[], number: number) =>
          slices.find(({ endpoints }) => endpoints?.some(({ targetRef }) => targetRef?.uid === `uid-${number}`));
        for (const number of range(first, first + count)) {
          expect(sliceOf(now, number)?.metadata.name).toBe(sliceOf(before, number)?.metadata.name);
        }
      }),
      { numRuns: sweepRuns(30, { oneIn: 8 }), seed: 2 },
    );
  });
});
