import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { oldAutoscalers } from './autoscaler-versions.ts';

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};

const autoscaler = (spec: object, annotations?: object): Stored =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a', namespace: 'b', ...(annotations !== undefined && { annotations }) },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      minReplicas: 1,
      maxReplicas: 3,
      ...spec,
    },
    status: { desiredReplicas: 0, currentMetrics: null },
  }) as unknown as Stored;

describe('an autoscaler in its older version', () => {
  it.each<readonly [string, object]>([
    ['the use of processors', { metrics: [cpu] }],
    [
      'other metrics, and behavior',
      { metrics: [cpu, memory], behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } },
    ],
    ['other metrics alone', { metrics: [memory] }],
  ])('loses nothing of %s', (_what, spec) => {
    const stored = autoscaler(spec, { own: 'x' });
    expect(oldAutoscalers.toStored(oldAutoscalers.toServed(stored))).toEqual(stored);
  });

  it('has the use of processors in its own field', () => {
    expect(oldAutoscalers.toServed(autoscaler({ metrics: [cpu] }))).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { targetCPUUtilizationPercentage: 50, minReplicas: 1, maxReplicas: 3 },
    });
  });

  it('passes over an annotation that somebody else wrote', () => {
    const odd = { ...oldAutoscalers.toServed(autoscaler({ metrics: [cpu] })) };
    const annotated = {
      ...odd,
      metadata: { ...odd.metadata, annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '{' } },
    };
    expect(oldAutoscalers.toStored(annotated)['spec']).toMatchObject({ metrics: [cpu] });
  });
});
