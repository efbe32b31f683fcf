import { describe, expect, test } from 'vitest';
import { builtInType } from '../types/load.ts';
import { fieldDefaults } from './field-defaults.ts';

const policy = builtInType('networking.k8s.io/v1', 'NetworkPolicy');
const level = builtInType('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration');

describe('Defaults by paths', () => {
  test.each([
    ['an absent pointer', { spec: { limited: {} } }, { spec: { limited: { lendablePercent: 5 } } }],
    ['nothing below an absent pointer', { spec: {} }, { spec: {} }],
    [
      'no pointer to zero',
      { spec: { limited: { lendablePercent: 0 } } },
      { spec: { limited: { lendablePercent: 0 } } },
    ],
  ])('fill in %s', (_, object, filled) => {
    expect(fieldDefaults(level, { 'spec.limited.lendablePercent': 5 })(object)).toEqual(filled);
  });

  test('fill in Go’s zero value of a field that is not a pointer', () => {
    const fill = fieldDefaults(level, { 'spec.limited.limitResponse.queuing.queues': 64 });
    const withQueues = (queues: number) => ({ spec: { limited: { limitResponse: { queuing: { queues } } } } });
    expect(fill(withQueues(0))).toEqual(withQueues(64));
    expect(fill(withQueues(8))).toEqual(withQueues(8));
  });

  test('fill in each item of a list', () => {
    const fill = fieldDefaults(policy, { 'spec.ingress[].ports[].protocol': 'TCP' });
    expect(fill({ spec: { ingress: [{ ports: [{ port: 1 }, { protocol: 'UDP' }] }, {}] } })).toEqual({
      spec: { ingress: [{ ports: [{ port: 1, protocol: 'TCP' }, { protocol: 'UDP' }] }, {}] },
    });
    expect(fill({ spec: {} })).toEqual({ spec: {} });
  });

  test('must name fields of the type', () => {
    expect(() => fieldDefaults(policy, { 'spec.ingress[].port': 1 })).toThrow('it has no field port');
    expect(() => fieldDefaults(policy, { 'spec.policyTypes.x': 1 })).toThrow('policyTypes has no fields');
  });
});
