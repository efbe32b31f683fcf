import { describe, expect, it } from 'vitest';
import {
  announcedEndpointIPType,
  announcedStretchedNetworkPolicy,
  dataPlaneOf,
  dataPlaneOfGateways,
  settingAnnotations,
} from './announced-settings.ts';

const announce = (annotations: Readonly<Record<string, string>>) => ({ metadata: { name: 'a', annotations } });
const at = '2026-11-23T10:00:00Z';
const beating = { 'touch-ts': at, 'isthmus.dev/marks-at': at };

describe('the type of endpoints that a member announces', () => {
  it.each([
    ['PodIP', { ...beating, 'isthmus.dev/endpoint-ip-type': 'PodIP' }, 'PodIP'],
    ['not known where the annotation is absent', beating, undefined],
    ['not known where it has another value', { ...beating, 'isthmus.dev/endpoint-ip-type': 'NodeIP' }, undefined],
    [
      'not known where another member has beaten since',
      { ...beating, 'touch-ts': '2026-11-23T10:00:10Z', 'isthmus.dev/endpoint-ip-type': 'PodIP' },
      undefined,
    ],
  ])('is %s', (_, annotations, expected) => {
    expect(announcedEndpointIPType(announce(annotations))).toBe(expected);
  });
});

describe('the enableStretchedNetworkPolicy that a member announces', () => {
  const key = 'isthmus.dev/stretched-network-policy';
  it.each([
    ['true', { ...beating, [key]: 'true' }, true],
    ['false', { ...beating, [key]: 'false' }, false],
    ['not known where the annotation is absent', beating, undefined],
    ['not known where it has another value', { ...beating, [key]: 'yes' }, undefined],
    ['not known where another member has beaten since', { ...beating, 'touch-ts': '1', [key]: 'true' }, undefined],
  ])('is %s', (_, annotations, expected) => {
    expect(announcedStretchedNetworkPolicy(announce(annotations))).toBe(expected);
  });

  it.each([true, false])('is %s as it was written', (enableStretchedNetworkPolicy) => {
    const written = settingAnnotations({ endpointIPType: 'PodIP', enableStretchedNetworkPolicy });
    expect(announcedStretchedNetworkPolicy(announce({ ...beating, ...written }))).toBe(enableStretchedNetworkPolicy);
  });
});

describe('the data plane that an object names', () => {
  it.each([
    ['antrea', 'antrea'],
    ['isthmus/gbp', 'isthmus/gbp'],
    ['', undefined],
    ['Antrea', undefined],
    ['a'.repeat(64), undefined],
    ['a b', undefined],
  ])('is for %j %s', (value, expected) => {
    expect(dataPlaneOf(announce({ 'isthmus.dev/dataplane': value }))).toBe(expected);
  });

  it('is for several Gateways that of the oldest one that names it', () => {
    const gateway = (name: string, creationTimestamp: string, value?: string) => ({
      metadata: {
        name,
        creationTimestamp,
        ...(value !== undefined && { annotations: { 'isthmus.dev/dataplane': value } }),
      },
    });
    const gateways = [gateway('c', '2026-11-23T12:00:00Z', 'none'), gateway('b', '2026-11-23T11:00:00Z', 'antrea')];
    expect(dataPlaneOfGateways([...gateways, gateway('a', '2026-11-23T10:00:00Z')])).toBe('antrea');
    expect(dataPlaneOfGateways([])).toBeUndefined();
  });
});
