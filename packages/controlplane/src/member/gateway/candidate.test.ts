import type { Node } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { CandidateLease } from './candidate-leases.ts';
import { readCandidate, usableInOrder } from './candidate.ts';

const node = (more: {
  annotations?: Record<string, string>;
  addresses?: readonly (readonly [string, string])[];
  ready?: string;
}): Node =>
  ({
    metadata: { name: 'node-1', annotations: more.annotations },
    status: {
      addresses: (more.addresses ?? [['InternalIP', '172.18.0.2']]).map(([type, address]) => ({ type, address })),
      conditions: [{ type: 'Ready', status: more.ready ?? 'True' }],
    },
  }) as Node;
const given = (address: string) => ({ 'multicluster.antrea.io/gateway-ip': address });
const both = [
  ['ExternalIP', '203.0.113.7'],
  ['InternalIP', '172.18.0.2'],
] as const;

describe('the addresses of a Node that is marked as a gateway', () => {
  it('are its InternalIP twice, or its ExternalIP for other clusters where the precedence is public', () => {
    const one = node({ addresses: both });
    expect(readCandidate(one, 'private', undefined).addresses).toMatchObject({
      gatewayIP: '172.18.0.2',
      internalIP: '172.18.0.2',
    });
    expect(readCandidate(one, 'public', undefined).addresses).toMatchObject({
      gatewayIP: '203.0.113.7',
      internalIP: '172.18.0.2',
    });
  });

  it('are for other clusters that of the annotation, whatever the precedence', () => {
    const one = node({ annotations: given('198.51.100.9') });
    expect(readCandidate(one, 'public', undefined).addresses).toMatchObject({
      gatewayIP: '198.51.100.9',
      internalIP: '172.18.0.2',
    });
  });

  it('are the first of IPv4 where there are several, and else the first', () => {
    const found = (...texts: readonly string[]) =>
      readCandidate(node({ addresses: texts.map((text) => ['InternalIP', text] as const) }), 'private', undefined)
        .addresses;
    expect(found('fd00::2', '172.18.0.2', '172.18.0.3')).toMatchObject({ gatewayIP: '172.18.0.2' });
    expect(found('fd00::2', 'fd00::3')).toMatchObject({ gatewayIP: 'fd00::2' });
  });

  it.each([
    ['there is no InternalIP', { addresses: [['ExternalIP', '203.0.113.7']] as const }, 'private', 'type InternalIP'],
    ['there is no ExternalIP where the precedence is public', {}, 'public', 'type ExternalIP'],
    ['the InternalIP is no address', { addresses: [['InternalIP', 'none']] as const }, 'private', 'type InternalIP'],
    ['the annotation is no address', { annotations: given('node-1.example') }, 'private', 'not "node-1.example"'],
    ['the annotation is a loopback address', { annotations: given('127.0.0.1') }, 'private', 'not "127.0.0.1"'],
    [
      'the InternalIP is a link-local address',
      { addresses: [['InternalIP', '169.254.1.1']] as const },
      'private',
      'type InternalIP',
    ],
    ['the annotation is empty', { annotations: given('') }, 'private', 'not ""'],
  ] as const)('are invalid where %s', (_, more, precedence, problem) => {
    const candidate = readCandidate(node(more), precedence, undefined);
    expect(candidate.addresses).toMatchObject({ kind: 'invalid', problem: expect.stringContaining(problem) as string });
    expect(usableInOrder([candidate])).toEqual([]);
  });

  it('are of use only while the Node is ready', () => {
    expect(
      ['True', 'False', 'Unknown'].map(
        (ready) => usableInOrder([readCandidate(node({ ready }), 'private', undefined)]).length === 1,
      ),
    ).toEqual([true, false, false]);
  });
});

describe('what the agent on a marked Node publishes in its Lease', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const lease = (more: Partial<CandidateLease> = {}): CandidateLease => ({
    isAlive: true,
    gatewayIP: undefined,
    publicKey: undefined,
    dataPlane: undefined,
    directProbes: [],
    localRanges: [],
    probes: undefined,
    smallPaths: [],
    ...more,
  });

  it('decides whether the Node is of use, whatever its condition', () => {
    const isUsed = (ready: string, isAlive: boolean) =>
      usableInOrder([readCandidate(node({ ready }), 'private', lease({ isAlive }))]).length === 1;
    expect([isUsed('True', true), isUsed('True', false), isUsed('Unknown', true), isUsed('False', false)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('is its address for other clusters, unless a person gave the Node one', () => {
    const published = lease({ gatewayIP: '203.0.113.9' });
    expect(readCandidate(node({}), 'public', published).addresses).toMatchObject({
      gatewayIP: '203.0.113.9',
      internalIP: '172.18.0.2',
    });
    const annotated = node({ annotations: given('198.51.100.9') });
    expect(readCandidate(annotated, 'public', published).addresses).toMatchObject({ gatewayIP: '198.51.100.9' });
  });

  it('is ignored where it is not valid, and the key is not quoted', () => {
    const found = readCandidate(node({}), 'private', lease({ gatewayIP: 'none', publicKey: `${key}x` }));
    expect(found).toMatchObject({ publicKey: undefined, addresses: { gatewayIP: '172.18.0.2' } });
    expect(found.ignored).toMatch(
      /gateway-ip "none" is not an IP address and annotation isthmus.dev\/public-key is not a/,
    );
    expect(found.ignored).not.toContain(key);
    expect(readCandidate(node({}), 'private', lease({ publicKey: key }))).toMatchObject({
      publicKey: key,
      ignored: undefined,
    });
  });
});
