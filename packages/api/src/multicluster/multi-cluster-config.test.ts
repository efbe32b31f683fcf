import { formatFieldError } from '@isthmus/schema';
import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { multiClusterConfig } from './multi-cluster-config.ts';

const decode = (text: string) => {
  const [document] = parseYaml(`apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: MultiClusterConfig\n${text}`, {
    source: 'f',
  });
  const { value, unknownFields, errors } = multiClusterConfig.decode(document?.value);
  return { value, unknownFields, errors: errors.map(formatFieldError) };
};

describe('the configuration file', () => {
  it('may be empty but for its kind: every key has the default that upstream has', () => {
    expect(decode('')).toEqual({
      value: {
        apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
        kind: 'MultiClusterConfig',
        enableStretchedNetworkPolicy: false,
        endpointIPType: 'ClusterIP',
        gatewayIPPrecedence: 'private',
        hardened: false,
        health: { healthProbeBindAddress: '' },
        memberWrites: { megabytesPerMinute: 64, rewritesPerMinute: 12_000 },
        metrics: { bindAddress: '0' },
        serviceCIDR: '',
        unknownClusters: 'Observe',
        webhook: { port: 9443 },
      },
      unknownFields: [],
      errors: [],
    });
  });

  it('as shipped, also before 2.0, is accepted', () => {
    const shipped = `health:
  healthProbeBindAddress: :8080
metrics:
  bindAddress: "0"
webhook:
  port: 9443
leaderElection:
  leaderElect: false
serviceCIDR: ""
podCIDRs:
  - ""
gatewayIPPrecedence: "private"
endpointIPType: "ClusterIP"
enableStretchedNetworkPolicy: false
`;
    expect(decode(shipped)).toMatchObject({
      unknownFields: [],
      errors: [],
      value: { podCIDRs: [''], leaderElection: { leaderElect: false } },
    });
  });

  it.each([
    [
      'endpointIPType: podip',
      [],
      ['endpointIPType: Unsupported value: "podip": supported values: "", "ClusterIP", "PodIP"'],
    ],
    [
      'gatewayIPPrecedence: any',
      [],
      [
        'gatewayIPPrecedence: Unsupported value: "any": supported values: "", "private", "internal", "public", "external"',
      ],
    ],
    [
      'webhook: {port: 70000}',
      [],
      ['webhook.port: Invalid value: 70000: webhook.port in body should be less than or equal to 65535'],
    ],
    [
      'podCIDRs: 10.0.0.0/8',
      [],
      ['podCIDRs: Invalid value: "string": podCIDRs in body must be of type array: "string"'],
    ],
    [
      'enableStretchedNetworkPolicy: "true"',
      [],
      [
        'enableStretchedNetworkPolicy: Invalid value: "string": enableStretchedNetworkPolicy in body must be of type boolean: "string"',
      ],
    ],
    ['servicecidr: 10.0.0.0/8\nhealth: {port: 1}', ['health.port', 'servicecidr'], []],
  ])('%j is reported', (text, unknownFields, errors) => {
    expect(decode(text)).toMatchObject({ unknownFields, errors });
  });
});
