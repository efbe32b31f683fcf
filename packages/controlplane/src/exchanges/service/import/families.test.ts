import type { Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { familiesOf, familyObstacle, withFamilies } from './families.ts';

const source = (...families: readonly ('IPv4' | 'IPv6')[]) => ({
  slices: families.map((addressType) => ({ addressType, endpoints: [], ports: [] })),
});
const service = (spec: NonNullable<Service['spec']>): Service => ({ metadata: { name: 'antrea-mc-cart' }, spec });
const fresh = service({ type: 'ClusterIP' });
const headless = service({ type: 'ClusterIP', clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' });
const existing = service({ type: 'ClusterIP', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });

it('the families of an import are those of all its endpoints, IPv4 first', () => {
  expect(familiesOf([source('IPv6'), source('IPv4', 'IPv6')])).toEqual(['IPv4', 'IPv6']);
  expect(familiesOf([source(), source('IPv6')])).toEqual(['IPv6']);
  expect(familiesOf([])).toEqual([]);
});

describe('a new Service', () => {
  it.each([
    ['the family of its endpoints alone', ['IPv6'], { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }],
    ['both where the cluster has both', ['IPv4', 'IPv6'], { ipFamilyPolicy: 'PreferDualStack' }],
    ['what the cluster gives it where no endpoint is known', [], {}],
  ] as const)('has %s', (_, families, expected) => {
    const plan = withFamilies({ kind: 'create', object: fresh }, families);
    expect(plan).toEqual({ kind: 'create', object: { ...fresh, spec: { type: 'ClusterIP', ...expected } } });
    const replaced = withFamilies({ kind: 'replace', from: headless, to: fresh }, families);
    expect(replaced).toMatchObject({ to: { spec: expected } });
  });

  it('that is headless is left as it is', () => {
    const plan = { kind: 'create', object: headless } as const;
    expect(withFamilies(plan, ['IPv6'])).toEqual(plan);
  });
});

describe('a standing Service', () => {
  it.each([
    ['keeps its family', ['IPv4'], 'SingleStack'],
    ['keeps its family while no endpoint is known', [], 'SingleStack'],
    ['gets a second family', ['IPv4', 'IPv6'], 'PreferDualStack'],
    ['gets the family that all its endpoints have', ['IPv6'], 'PreferDualStack'],
  ] as const)('%s', (_, families, ipFamilyPolicy) => {
    expect(withFamilies({ kind: 'change', from: existing, to: existing }, families)).toMatchObject({
      to: { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy } },
    });
  });

  it('that has lost its address gets the families of a new one', () => {
    const alias = service({ type: 'ExternalName' });
    expect(withFamilies({ kind: 'change', from: alias, to: fresh }, ['IPv6'])).toMatchObject({
      to: { spec: { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' } },
    });
  });
});

it.each([
  ['all endpoints are of a family that it lacks', ['IPv4'], ['IPv6'], 'IPFamilyNotSupported'],
  ['some endpoints are of a family that it has', ['IPv4'], ['IPv4', 'IPv6'], undefined],
  ['no endpoint is known', ['IPv4'], [], undefined],
] as const)('a Service does not work where %s', (_, served, families, reason) => {
  expect(familyObstacle(served, families)?.reason).toBe(reason);
});
