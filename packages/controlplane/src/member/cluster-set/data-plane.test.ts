import { Gateway } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { dataPlaneVerdict } from './data-plane.ts';

const gateway = (deletionTimestamp?: string): Gateway => ({
  apiVersion: apiVersionOf(Gateway),
  kind: Gateway.kind,
  metadata: { namespace: 'kube-system', name: 'node-1', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
});
const verdictOn = (endpointIPType: 'ClusterIP' | 'PodIP', gateways: readonly Gateway[] | undefined) =>
  dataPlaneVerdict({ config: { endpointIPType }, namespace: 'kube-system', gateways });

describe('whether calls to imported Services can arrive', () => {
  it('is doubted where the endpoints are ClusterIPs and there is no Gateway', () => {
    expect(verdictOn('ClusterIP', [])).toMatchObject({ status: 'True', reason: 'NoGateway' });
    expect(verdictOn('ClusterIP', [gateway('2026-11-21T10:00:00Z')])).toMatchObject({ reason: 'NoGateway' });
  });

  it('is not doubted with a Gateway, or with Pod IPs', () => {
    expect(verdictOn('ClusterIP', [gateway()])).toBe('absent');
    expect(verdictOn('PodIP', [])).toBe('absent');
    expect(verdictOn('PodIP', undefined)).toBe('absent');
  });

  it('is not known until the Gateways are read, so what was reported stays', () => {
    expect(verdictOn('ClusterIP', undefined)).toBeUndefined();
  });
});
