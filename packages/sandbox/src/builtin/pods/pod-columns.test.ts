import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { podColumns } from './pod-columns.ts';

const now = Date.parse('2026-11-21T00:05:00Z');
const pod = (spec: object, status: object) =>
  ({ metadata: { name: 'web', creationTimestamp: '2026-11-21T00:00:00Z' }, spec, status }) as unknown as Stored;

describe('the row of a Pod', () => {
  it('shows what the Pod does, and with -o wide where', () => {
    const titles = podColumns.definitions.map(({ name, priority }) => (priority === 0 ? name : `${name} (wide)`));
    const shown = (spec: object, status: object) =>
      Object.fromEntries(podColumns.cells(pod(spec, status), now).map((cell, at) => [titles[at], cell]));
    expect(shown({ containers: [{}] }, { phase: 'Pending' })).toEqual({
      Name: 'web',
      Ready: '0/1',
      Status: 'Pending',
      Restarts: '0',
      Age: '5m',
      'IP (wide)': '<none>',
      'Node (wide)': '<none>',
      'Nominated Node (wide)': '<none>',
      'Readiness Gates (wide)': '<none>',
    });
    const gates = ['a/b', 'c/d', 'e/f'].map((conditionType) => ({ conditionType }));
    const conditions = [
      { type: 'a/b', status: 'True' },
      { type: 'c/d', status: 'False' },
    ];
    const status = {
      phase: 'Running',
      conditions,
      podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
      nominatedNodeName: 'n2',
      containerStatuses: [{ ready: true, restartCount: 2, state: { running: {} } }],
    };
    expect(shown({ containers: [{}], nodeName: 'n1', readinessGates: gates }, status)).toMatchObject({
      Ready: '1/1',
      Status: 'Running',
      Restarts: '2',
      'IP (wide)': '10.0.0.7',
      'Node (wide)': 'n1',
      'Nominated Node (wide)': 'n2',
      'Readiness Gates (wide)': '1/3',
    });
  });

  it.each([
    ['Succeeded', [{ reason: 'Succeeded', message: 'The pod has completed successfully.' }]],
    ['Failed', [{ reason: 'Failed', message: 'The pod failed.' }]],
    ['Running', undefined],
    ['Pending', undefined],
    ['Unknown', undefined],
    ['constructor', undefined],
    [undefined, undefined],
  ])('of the phase %s has the condition Completed if the Pod has ended', (phase, expected) => {
    const completed = expected?.map((one) => ({ type: 'Completed', status: 'True', ...one }));
    expect(podColumns.conditions?.(pod({}, { phase }))).toEqual(completed);
  });
});
