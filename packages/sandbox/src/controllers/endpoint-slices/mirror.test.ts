import type { Endpoints, EndpointSlice } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { maxMirroredPerSubset, mayBeMirrored, planMirror } from './mirror.ts';

const endpoints = (subsets: Endpoints['subsets'], metadata: object = {}): Endpoints => ({
  metadata: { name: 'web', namespace: 'a', uid: 'u1', ...metadata },
  subsets,
});
const port = { name: 'http', port: 80, protocol: 'TCP' };
const named = (slices: readonly EndpointSlice[]): readonly EndpointSlice[] =>
  slices.map((slice, index) => ({ ...slice, metadata: { ...slice.metadata, name: `web-${index}` } }));

describe('the plan for mirrored slices', () => {
  it('makes one slice for each family and each set of ports', () => {
    const plan = planMirror(
      endpoints([
        { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [port] },
        { addresses: [{ ip: '10.0.0.2' }], ports: [{ ...port, port: 81 }] },
        { notReadyAddresses: [{ ip: '10.0.0.3' }], ports: [port] },
      ]),
      [],
    );
    expect(
      plan.create.map(({ addressType, ports, endpoints: all }) => [
        addressType,
        ports?.[0]?.port,
        all?.map(({ addresses, conditions }) => `${addresses[0]} ${conditions?.ready}`),
      ]),
    ).toEqual([
      ['IPv4', 80, ['10.0.0.1 true', '10.0.0.3 false']],
      ['IPv6', 80, ['fd00::1 true']],
      ['IPv4', 81, ['10.0.0.2 true']],
    ]);
  });

  it('mirrors 1,000 addresses of a subset, the ready ones first', () => {
    const addresses = Array.from({ length: 900 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
    const notReadyAddresses = addresses.map(({ ip }) => ({ ip: ip.replace('10.0', '10.1') }));
    const [slice] = planMirror(endpoints([{ addresses, notReadyAddresses, ports: [port] }]), []).create;
    expect(slice?.endpoints).toHaveLength(maxMirroredPerSubset);
    expect(slice?.endpoints?.filter(({ conditions }) => conditions?.ready === true)).toHaveLength(900);
  });

  it('leaves out addresses that cannot be read', () => {
    const [slice] = planMirror(endpoints([{ addresses: [{ ip: 'x' }, { ip: '10.0.0.1' }] }]), []).create;
    expect(slice?.endpoints?.map(({ addresses }) => addresses)).toEqual([['10.0.0.1']]);
  });

  it('changes the slice that is there, takes away what is not wanted, and does nothing where nothing changed', () => {
    const given = endpoints([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }]);
    const current = named(planMirror(given, []).create);
    expect(planMirror(given, current)).toEqual({ create: [], update: [], delete: [] });
    const more = endpoints([{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [port] }]);
    const plan = planMirror(more, current);
    expect([plan.create, plan.delete, plan.update.map(({ metadata }) => metadata.name)]).toEqual([[], [], ['web-0']]);
    expect(planMirror(endpoints([]), current).delete).toEqual(current);
  });

  it.each<readonly [string, object, boolean]>([
    ['plain Endpoints', {}, true],
    ['those that ask not to be', { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }, false],
    ['those that elect a leader', { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }, false],
  ])('mirrors %s: %j %s', (_what, metadata, expected) => {
    expect(mayBeMirrored(endpoints([], metadata))).toBe(expected);
  });
});
