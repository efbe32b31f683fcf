import { Label, managedByIsthmus } from '@isthmus/api';
import type { Gateway } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { GatewayCandidate } from './candidate.ts';
import type { GatewayInput } from './decide.ts';
import { decideGateways } from './decide.ts';

const ip = (name: string) => `192.0.2.${name.charCodeAt(0)}`;
const candidate = (name: string, more: Partial<GatewayCandidate> = {}): GatewayCandidate => ({
  node: { metadata: { name } },
  addresses: { kind: 'valid', gatewayIP: ip(name), internalIP: ip(name) },
  isReady: true,
  isExpired: false,
  publicKey: undefined,
  dataPlane: undefined,
  directProbes: [],
  localRanges: [],
  agent: 'none',
  probes: undefined,
  smallPaths: [],
  ignored: undefined,
  ...more,
});
const unready = (name: string) => candidate(name, { isReady: false });
const invalid = (name: string) => candidate(name, { addresses: { kind: 'invalid', problem: 'it has none' } });
const ours = (name: string, more: Partial<Gateway> = {}): Gateway => ({
  metadata: {
    name,
    namespace: 'kube-system',
    labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  },
  gatewayIP: ip(name),
  internalIP: ip(name),
  serviceCIDR: '10.96.0.0/12',
  ...more,
});
const unmarked = (name: string): Gateway => ({ ...ours(name), metadata: { name, namespace: 'kube-system' } });
const decide = (more: Partial<GatewayInput>) => {
  const decision = decideGateways({
    joined: true,
    candidates: [],
    gateways: [],
    serviceCIDR: '10.96.0.0/12',
    namespace: 'kube-system',
    ...more,
  });
  const object =
    decision.kind === 'change' ? decision.desired : decision.kind === 'keep' ? undefined : decision.gateway;
  return [decision.kind, object?.metadata.name].filter((word) => word !== undefined).join(' ');
};

describe('the Gateway of a cluster', () => {
  it.each<[string, Partial<GatewayInput>, string]>([
    [
      'is made for the first usable Node by name',
      { candidates: [candidate('b'), unready('a'), candidate('c')] },
      'create b',
    ],
    ['is not made where no Node is marked', {}, 'keep'],
    [
      'is not made for a Node that is not ready, or has no address',
      { candidates: [unready('a'), invalid('b')] },
      'keep',
    ],
    ['stays while its Node is usable', { candidates: [candidate('a'), candidate('b')], gateways: [ours('b')] }, 'keep'],
    [
      'is made on another Node before the former one is deleted',
      { candidates: [unready('a'), candidate('b')], gateways: [ours('a')] },
      'create b',
    ],
    [
      'is deleted once another has taken over',
      { candidates: [unready('a'), candidate('b')], gateways: [ours('a'), ours('b')] },
      'delete a',
    ],
    ['stays where no other Node can take over', { candidates: [unready('a')], gateways: [ours('a')] }, 'keep'],
    [
      'stays where its Node has no valid address any more',
      { candidates: [invalid('a')], gateways: [ours('a')] },
      'keep',
    ],
    ['goes with the mark of its Node', { gateways: [ours('a')] }, 'delete a'],
    [
      'goes with the mark of its Node after another has taken over',
      { candidates: [candidate('b')], gateways: [ours('a')] },
      'create b',
    ],
    [
      'takes the addresses that its Node has now',
      { candidates: [candidate('a')], gateways: [ours('a', { gatewayIP: '192.0.2.1' })] },
      'change a',
    ],
    [
      'of Antrea for a marked Node is taken over',
      { candidates: [candidate('a')], gateways: [unmarked('a')] },
      'change a',
    ],
    [
      'of a person for another Node stays, and is the only one',
      { candidates: [candidate('a')], gateways: [unmarked('x')] },
      'keep',
    ],
    [
      'goes when the cluster is in no ClusterSet any more',
      { joined: false, candidates: [candidate('a')], gateways: [ours('a')] },
      'delete a',
    ],
    ['of a person stays when the cluster leaves', { joined: false, gateways: [unmarked('x')] }, 'keep'],
  ])('%s', (_, input, expected) => {
    expect(decide(input)).toBe(expected);
  });

  it('keeps the key that the agent wrote, and its Service CIDR where none is known', () => {
    const gateway = ours('a', { gatewayIP: '192.0.2.1', wireGuard: { publicKey: 'key' } });
    const decision = decideGateways({
      joined: true,
      candidates: [candidate('a')],
      gateways: [gateway],
      serviceCIDR: undefined,
      namespace: 'kube-system',
    });
    expect(decision).toMatchObject({
      kind: 'change',
      desired: { gatewayIP: ip('a'), serviceCIDR: '10.96.0.0/12', wireGuard: { publicKey: 'key' } },
    });
  });
});

it('the next Gateway names the data plane of the one before, so that the cluster never seems to have none', () => {
  const annotations = { 'isthmus.dev/dataplane': 'isthmus/gbp' };
  const before = ours('a', { metadata: { ...ours('a').metadata, annotations } });
  const input = { joined: true, serviceCIDR: undefined, namespace: 'kube-system' };
  const candidates = [unready('a'), candidate('b')];
  expect(decideGateways({ ...input, candidates, gateways: [before] })).toMatchObject({
    kind: 'create',
    gateway: { metadata: { name: 'b', annotations } },
  });
  const [first] = [decideGateways({ ...input, candidates, gateways: [ours('a')] })];
  expect(first).toMatchObject({ kind: 'create', gateway: { metadata: { name: 'b' } } });
  expect(JSON.stringify(first)).not.toContain('dataplane');
});

it('a Gateway names the data plane that the agent on its Node publishes', () => {
  const input = { joined: true, serviceCIDR: undefined, namespace: 'kube-system' };
  const candidates = [{ ...candidate('a'), dataPlane: 'isthmus' }];
  const annotated = { metadata: { annotations: { 'isthmus.dev/dataplane': 'isthmus' } } };
  expect(decideGateways({ ...input, candidates, gateways: [] })).toMatchObject({ kind: 'create', gateway: annotated });
  const before = { ...ours('a'), gatewayIP: ip('a'), internalIP: ip('a') };
  expect(decideGateways({ ...input, candidates, gateways: [before] })).toMatchObject({
    kind: 'change',
    desired: annotated,
  });
  const now = { ...before, metadata: { ...before.metadata, ...annotated.metadata } };
  expect(decideGateways({ ...input, candidates: [candidate('a')], gateways: [now] })).toEqual({ kind: 'keep' });
});
