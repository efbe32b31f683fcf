import type { EndpointSlice, EndpointSlicePayload, Service } from '@isthmus/api';
import { localPortName, sliceOriginOf } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { SlicesInput, SlicesPlan } from './slices.ts';
import { planSlices } from './slices.ts';

const service: Service = { metadata: { name: 'antrea-mc-cart', namespace: 'shop', uid: 'service-1' } };
const http = [{ name: 'http', port: 80, protocol: 'TCP' }];
const payload = (...addresses: readonly string[]): EndpointSlicePayload => ({
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: http,
});

const plan = (input: Partial<SlicesInput>): SlicesPlan =>
  planSlices({
    namespace: 'shop',
    name: 'cart',
    service,
    sources: [{ clusterID: 'east', slices: [payload('10.1.0.1')] }],
    formerNames: new Map(),
    nameOf: localPortName(http),
    current: [],
    isTaken: () => false,
    ...input,
  });
/** The created slices as the API server stores them. */
const stored = ({ create }: SlicesPlan): readonly EndpointSlice[] =>
  create.map((slice) => ({ ...slice, endpoints: (slice.endpoints ?? []).length === 0 ? null : slice.endpoints }));

describe('the slices of an import', () => {
  it('identify the Service, the import and the source by their labels, and go with the Service', () => {
    const [slice] = plan({}).create;
    expect(slice).toMatchObject({
      metadata: {
        namespace: 'shop',
        labels: {
          'kubernetes.io/service-name': 'antrea-mc-cart',
          'multicluster.kubernetes.io/service-name': 'cart',
          'multicluster.kubernetes.io/source-cluster': 'east',
          'endpointslice.kubernetes.io/managed-by': 'isthmus.dev',
          'app.kubernetes.io/managed-by': 'isthmus',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'antrea-mc-cart', uid: 'service-1' }],
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'] }],
      ports: http,
    });
  });

  it('have no source where an Antrea leader merged them', () => {
    const [slice] = plan({ sources: [{ clusterID: undefined, slices: [payload('10.1.0.1')] }] }).create;
    expect(Object.keys(slice?.metadata.labels ?? {})).not.toContain('multicluster.kubernetes.io/source-cluster');
  });

  it('are left as they are where nothing has changed', () => {
    const current = stored(plan({}));
    const again = plan({ current });
    expect([again.create, again.remove]).toEqual([[], []]);
    expect(again.change.map(({ from, to }) => [from, to])).toEqual([[current[0], current[0]]]);
  });

  it('that are held while they are being deleted are replaced and emptied, once', () => {
    const [slice] = stored(plan({}));
    const held = {
      ...slice,
      metadata: { ...slice?.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' },
    } as EndpointSlice;
    const { create, change } = plan({ current: [held], isTaken: (name) => name === held.metadata.name });
    expect(create.map(({ endpoints }) => endpoints)).toEqual([slice?.endpoints]);
    expect(change.map(({ to }) => to.endpoints)).toEqual([[]]);
    expect(plan({ current: [{ ...held, endpoints: null }] }).change).toEqual([]);
    // What is kept has no replacement.
    const kept = plan({ current: [held], sources: [{ clusterID: 'east', slices: 'kept' }] });
    expect([kept.create, kept.change]).toEqual([[], []]);
  });

  it('of one cluster are not moved when another one changes', () => {
    const east = { clusterID: 'east', slices: [payload('10.1.0.1')] };
    const current = stored(plan({ sources: [east, { clusterID: 'west', slices: [payload('10.2.0.1')] }] }));
    const { create, change, remove } = plan({ sources: [east], current });
    expect(create).toEqual([]);
    expect(change.every(({ from, to }) => JSON.stringify(from) === JSON.stringify(to))).toBe(true);
    expect(remove.map(({ metadata }) => metadata.labels?.['multicluster.kubernetes.io/source-cluster'])).toEqual([
      'west',
    ]);
  });

  it('of one cluster do not go into those of another, and each is changed under its own name', () => {
    const source = (clusterID: string, address: string) => ({ clusterID, slices: [payload(address)] });
    const west = source('west', '10.2.0.1');
    const first = stored(plan({ sources: [west] }));
    const joined = plan({ sources: [source('east', '10.1.0.1'), west], current: first });
    expect(joined.create.map(({ endpoints }) => endpoints)).toMatchObject([[{ addresses: ['10.1.0.1'] }]]);
    expect(joined.change).toEqual([{ from: first[0], to: first[0] }]);
    const current = [...first, ...stored(joined)];
    const moved = plan({ sources: [source('east', '10.1.0.2'), source('west', '10.2.0.2')], current });
    const found = moved.change.map(({ from, to }) => [
      from.metadata.labels?.['multicluster.kubernetes.io/source-cluster'],
      to.endpoints?.[0]?.addresses[0],
    ]);
    expect(Object.fromEntries(found)).toEqual({ east: '10.1.0.2', west: '10.2.0.2' });
    expect(moved.create).toEqual([]);
  });

  it('get another name where somebody has theirs', () => {
    const name = plan({}).create[0]?.metadata.name;
    const taken = new Set([name, `${name}-x`]);
    const found = plan({ isTaken: (candidate) => taken.has(candidate) });
    expect(found.create.map(({ metadata }) => metadata.name)).toEqual([`${name}-x-x`]);
    expect(plan({ current: stored(found), isTaken: () => true })).toMatchObject({ create: [], remove: [] });
  });

  it('belong to the Service of today', () => {
    const current = stored(plan({}));
    const remade = { ...service, metadata: { ...service.metadata, uid: 'service-2' } };
    const [change] = plan({ current, service: remade }).change;
    expect(change?.to.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['service-2']);
  });

  it('that lost a label or hold nothing any more are repaired', () => {
    const [slice] = stored(plan({}));
    if (slice === undefined) throw new Error('one slice');
    const { 'kubernetes.io/service-name': _, ...labels } = slice.metadata.labels ?? {};
    const current = [{ ...slice, endpoints: null, ports: null, metadata: { ...slice.metadata, labels } }];
    const { create, change } = plan({ current });
    expect([...create, ...change.map(({ to }) => to)]).toMatchObject([
      {
        metadata: { labels: { 'kubernetes.io/service-name': 'antrea-mc-cart' } },
        endpoints: [{ addresses: ['10.1.0.1'] }],
        ports: http,
      },
    ]);
  });

  it('name the unnamed port as the Service does', () => {
    const unnamed: EndpointSlicePayload = { ...payload('10.1.0.1'), ports: [{ port: 80 }, { name: 'dns', port: 53 }] };
    const [slice] = plan({
      sources: [{ clusterID: 'east', slices: [unnamed] }],
      nameOf: localPortName([{ port: 80 }, { name: 'dns', port: 53 }]),
    }).create;
    expect(slice?.ports).toEqual([
      { name: 'tcp-80', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'TCP' },
    ]);
  });
});

describe('the slices of the Pods behind an import', () => {
  it('belong to no Service and to our proxy, so that kube-proxy and DNS do not read them', () => {
    const [slice] = plan({ holds: 'pods' }).create;
    expect(slice?.metadata.labels).toEqual({
      'service.kubernetes.io/service-proxy-name': 'isthmus.dev',
      'service.kubernetes.io/headless': '',
      'multicluster.kubernetes.io/service-name': 'cart',
      'multicluster.kubernetes.io/source-cluster': 'east',
      'endpointslice.kubernetes.io/managed-by': 'isthmus.dev',
      'app.kubernetes.io/managed-by': 'isthmus',
    });
    expect(
      sliceOriginOf({ ...slice, metadata: { ...slice?.metadata, name: slice?.metadata.name ?? '' } } as EndpointSlice),
    ).toEqual({
      name: 'cart',
      clusterID: 'east',
      arePods: true,
      isProven: true,
    });
    expect(slice?.metadata.name).not.toBe(plan({}).create[0]?.metadata.name);
  });

  it('of an earlier version get the label by which kube-proxy leaves them out', () => {
    const [slice] = stored(plan({ holds: 'pods' }));
    const { 'service.kubernetes.io/headless': _, ...labels } = slice?.metadata.labels ?? {};
    const [change] = plan({
      holds: 'pods',
      current: [{ ...slice, metadata: { ...slice?.metadata, labels } } as EndpointSlice],
    }).change;
    expect(change?.to.metadata.labels).toEqual(slice?.metadata.labels);
  });

  it('lose the label of the Service where somebody adds it', () => {
    const [slice] = stored(plan({ holds: 'pods' }));
    const metadata = {
      ...slice?.metadata,
      labels: { ...slice?.metadata.labels, 'kubernetes.io/service-name': 'antrea-mc-cart' },
    };
    const [change] = plan({ holds: 'pods', current: [{ ...slice, metadata } as EndpointSlice] }).change;
    expect(change?.to.metadata.labels).toEqual(slice?.metadata.labels);
  });
});
