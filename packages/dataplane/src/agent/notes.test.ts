import { ApiError } from '@isthmus/kube';
import type { CacheState } from '@isthmus/kube';
import { describe, expect, test } from 'vitest';
import type { AgentNote } from '../status/agent-status.ts';
import {
  agentReader,
  bypassNotes,
  firewallNotes,
  flowNotes,
  forwardingNotes,
  laterNftNotes,
  leaseNotes,
  missingRights,
  refusalNotes,
  staleNotes,
  uncountedNotes,
} from './notes.ts';

const failing = (code?: number): CacheState => ({
  kind: 'failing',
  why: 'it does not answer',
  sinceMs: Date.UTC(2026, 10, 26),
  codeSinceMs: Date.UTC(2026, 10, 26),
  code,
});
const cache = (synced: boolean, state: CacheState) => ({ synced, state });
const refusal = (code: number) =>
  new ApiError({ verb: 'patch', resource: 'leases' }, { apiVersion: 'v1', kind: 'Status', status: 'Failure', code });

describe('objects that were read', () => {
  test.each([
    [undefined, 'Check whether the Node can reach its API server.'],
    [401, 'The API server does not accept the token or certificate of the agent'],
    [403, 'apply deploy/agent.yaml'],
  ])('and are not read now with code %s, are noted with the next step', (code, next) => {
    expect(staleNotes({ nodes: cache(true, failing(code)) }, agentReader)).toEqual([
      {
        message: 'nodes are those of 2026-11-26T00:00:00Z: it does not answer',
        next: expect.stringMatching(new RegExp(`^Packets are carried as before\\. .*${next}`)),
      },
    ]);
  });

  test('and are read now, or never were, are not noted', () => {
    const caches = { nodes: cache(true, { kind: 'watching' }), services: cache(false, failing()) };
    expect(staleNotes(caches, agentReader)).toEqual([]);
  });
});

describe('permissions for policies', () => {
  test.each([
    ['lacking since the start', cache(false, failing(403)), false, 1],
    ['lacking since the start, of objects that were read', cache(false, failing(403)), true, 0],
    ['lacking later', cache(true, failing(403)), true, 1],
    ['not the cause', cache(false, failing(500)), false, 0],
    ['there', cache(true, { kind: 'watching' }), true, 0],
  ])('are reported once: %s', (_, tiers, areRead, count) => {
    expect(missingRights({ tiers, pods: tiers }, areRead)).toHaveLength(count);
  });
});

describe('a Lease that cannot be written', () => {
  test.each<[string, unknown, string]>([
    ['for lack of a permission', refusal(403), 'Give the agent its permissions'],
    ['in a Namespace that does not exist', refusal(404), 'Use the Namespace of the controller, with --namespace'],
    ['without an answer', new Error('connect ECONNREFUSED'), 'Check whether the Node can reach its API server.'],
  ])('is noted with the next step: %s', (_, error, next) => {
    const [note] = leaseNotes('kube-system/isthmus-gateway-node-1', error);
    expect(note?.message).toContain('Lease kube-system/isthmus-gateway-node-1 cannot be written');
    expect(note?.next).toMatch(new RegExp(`^Packets are carried as before\\. ${next}`));
  });

  test('is not noted once it is written', () => {
    expect(leaseNotes('kube-system/isthmus-gateway-node-1', undefined)).toEqual([]);
  });
});

describe('a finding on the Node', () => {
  test.each<[string, readonly AgentNote[], string, string]>([
    [
      'a CNI that bypasses nft',
      bypassNotes({ by: 'Cilium', message: 'Cilium seems to replace kube-proxy' }),
      'Cilium seems',
      'lists for Cilium',
    ],
    ['a firewall', firewallNotes(['Chain FORWARD drops']), 'Chain FORWARD drops', 'looks again every ten minutes'],
    [
      'no forwarding of IPv4',
      forwardingNotes(['IPv4']),
      'forwards no packets of IPv4',
      'sysctl -w net.ipv4.ip_forward=1',
    ],
    [
      'no forwarding of IPv6',
      forwardingNotes(['IPv6']),
      'forwards no packets of IPv6',
      'sysctl -w net.ipv6.conf.all.forwarding=1',
    ],
    ['refused connections', refusalNotes(7), 'it refused 7 new connections', 'nf_conntrack_max'],
    [
      'connections that cannot be counted',
      uncountedNotes('conntrack: no memory'),
      ': conntrack: no memory',
      'the program conntrack',
    ],
    [
      'flows that cannot be ended',
      flowNotes('conntrack: no memory'),
      'UDP flows may continue',
      'the program conntrack',
    ],
    ['an nft that crashed', laterNftNotes(true), 'nft crashed', 'Nodes with a later nft'],
  ])('is noted with the next step: %s', (_, notes, message, next) => {
    expect(notes).toEqual([{ message: expect.stringContaining(message), next: expect.stringContaining(next) }]);
  });

  test('is not noted where nothing was found', () => {
    const found = [bypassNotes(undefined), firewallNotes([]), forwardingNotes([]), refusalNotes(0)];
    expect([...found, uncountedNotes(undefined), flowNotes(undefined), laterNftNotes(false)].flat()).toEqual([]);
  });
});
