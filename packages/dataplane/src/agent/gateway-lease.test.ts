import { Annotation, Lease, Namespace, gatewayLeaseName, parseLocalRanges } from '@isthmus/api';
import type { ClusterProbes, LocalRange, SmallPath } from '@isthmus/api';
import type { Transport } from '@isthmus/kube';
import { createClient, memoryLog, noMetrics, runController } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock } from '@isthmus/fleet-sim';
import { address } from '../testing/addresses.ts';
import { describe, expect, test } from 'vitest';
import type { GatewayOffer } from './gateway-lease.ts';
import { gatewayLease } from './gateway-lease.ts';

const namespace = 'antrea-multicluster';
const ref = { namespace, name: gatewayLeaseName('node-1') };

/** `beforeSend`: is called with the method of each request. */
async function startLease(
  first: GatewayOffer | undefined,
  probes?: () => readonly ClusterProbes[],
  beforeSend: (method: string, server: ReturnType<typeof createSandbox>) => void = () => {},
  localRanges?: () => readonly LocalRange[],
  smallPaths?: () => readonly SmallPath[],
) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
  const server = createSandbox({ name: 'east', clock });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const inner = server.transport(clusterAdmin);
  const transport: Transport = {
    send: (request, ...rest) => {
      beforeSend(request.method, server);
      return inner.send(request, ...rest);
    },
    close: () => inner.close(),
  };
  const client = createClient({ transport, clock });
  let offered = first;
  /** The result of each write: an error, or undefined. */
  const results: unknown[] = [];
  const end = new AbortController();
  const world = { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics };
  const reconciler = gatewayLease({
    client,
    namespace,
    node: 'node-1',
    clock,
    offer: () => offered,
    probes,
    localRanges,
    smallPaths,
    onWritten: (error) => void results.push(error),
  });
  const running = runController(reconciler, { ...world, signal: end.signal });
  const lease = () => server.admin.list(Lease).find(({ metadata }) => metadata.name === ref.name);
  return {
    clock,
    server,
    lease,
    results,
    offer: (next: GatewayOffer | undefined) => (offered = next),
    async [Symbol.asyncDispose]() {
      end.abort(new Error('over'));
      await running;
    },
  };
}

describe('the Lease of a gateway', () => {
  test('is there as soon as the Node can carry packets, with its key, and is renewed while it can', async () => {
    await using own = await startLease(undefined);
    await own.clock.advance(5_000);
    expect(own.lease()).toBeUndefined();
    own.offer({ publicKey: 'first' });
    await own.clock.advance(2_000);
    const made = own.lease();
    expect(made).toMatchObject({
      metadata: {
        labels: { 'isthmus.dev/gateway-lease': 'true' },
        annotations: { [Annotation.publicKey]: 'first', [Annotation.dataPlane]: 'isthmus' },
      },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 60 },
    });
    await own.clock.advance(5_000);
    expect(own.lease()?.metadata.resourceVersion).toBe(made?.metadata.resourceVersion);
    await own.clock.advance(10_000);
    expect(Date.parse(own.lease()?.spec?.renewTime ?? '')).toBeGreaterThan(Date.parse(made?.spec?.renewTime ?? ''));
  });

  test('has another key within two seconds, and none where packets are not encrypted', async () => {
    await using own = await startLease({ publicKey: 'first' });
    await own.clock.advance(2_000);
    own.offer({ publicKey: 'second' });
    await own.clock.advance(2_000);
    expect(own.lease()?.metadata.annotations).toEqual({
      [Annotation.publicKey]: 'second',
      [Annotation.dataPlane]: 'isthmus',
    });
    own.offer({ publicKey: undefined });
    await own.clock.advance(2_000);
    expect(own.lease()?.metadata.annotations).toEqual({ [Annotation.dataPlane]: 'isthmus' });
  });

  test('names the addresses at which the agent answers past the tunnels, as long as it does', async () => {
    await using own = await startLease({ publicKey: undefined });
    own.offer({ publicKey: undefined, directProbes: ['10.10.1.0', 'fd00:1::'].map(address) });
    await own.clock.advance(2_000);
    expect(own.lease()?.metadata.annotations?.[Annotation.directProbes]).toBe('10.10.1.0,fd00:1::');
    own.offer({ publicKey: undefined, directProbes: [] });
    await own.clock.advance(2_000);
    expect(own.lease()?.metadata.annotations).toEqual({ [Annotation.dataPlane]: 'isthmus' });
  });

  test('has the results of probes, at once when a gateway stops answering, and else with the next renewal', async () => {
    const west: ClusterProbes = {
      clusterID: 'west',
      answering: 2,
      silent: 0,
      gateways: 2,
      roundTripMs: 5,
      lossPercent: 5,
      silentAddresses: [],
    };
    let found: readonly ClusterProbes[] = [west];
    await using own = await startLease({ publicKey: undefined }, () => found);
    const text = () => own.lease()?.metadata.annotations?.[Annotation.probes];
    await own.clock.advance(2_000);
    expect(text()).toBe('west 2/0/2 5ms 5%');
    found = [{ ...west, roundTripMs: 10 }];
    await own.clock.advance(5_000);
    expect(text()).toBe('west 2/0/2 5ms 5%');
    await own.clock.advance(6_000);
    expect(text()).toBe('west 2/0/2 10ms 5%');
    found = [{ ...west, answering: 1, silent: 1, silentAddresses: ['192.0.2.11'] }];
    await own.clock.advance(1_500);
    expect(text()).toBe('west 1/1/2 5ms 5% 192.0.2.11');
    found = [];
    await own.clock.advance(1_500);
    expect(text()).toBe('');
  });

  test('has the gateways to which large packets are lost, at once when that changes', async () => {
    const west = { clusterID: 'west', carries: 1_316, largest: 1_450, addresses: ['192.0.2.11'] };
    let small: readonly SmallPath[] = [];
    await using own = await startLease({ publicKey: undefined }, undefined, undefined, undefined, () => small);
    const text = () => own.lease()?.metadata.annotations?.[Annotation.smallPaths];
    await own.clock.advance(2_000);
    expect(text()).toBeUndefined();
    small = [west];
    await own.clock.advance(1_500);
    expect(text()).toBe('west 1316/1450 192.0.2.11');
    small = [];
    await own.clock.advance(1_500);
    expect(text()).toBeUndefined();
  });

  test('has the local ranges of its Node, which are written with renewals only', async () => {
    let texts = 'network 192.0.2.0/24';
    const localRanges = () => parseLocalRanges(texts);
    await using own = await startLease({ publicKey: undefined }, undefined, undefined, localRanges);
    const text = () => own.lease()?.metadata.annotations?.[Annotation.localRanges];
    await own.clock.advance(2_000);
    expect(text()).toBe('network 192.0.2.0/24');
    const writes = own.results.length;
    texts = '';
    await own.clock.advance(5_000);
    expect([text(), own.results.length]).toEqual(['network 192.0.2.0/24', writes]);
    await own.clock.advance(6_000);
    expect([text(), own.results.length]).toEqual([undefined, writes + 1]);
  });

  test('is given back when the Node stops being a gateway, and stays given back', async () => {
    await using own = await startLease({ publicKey: undefined });
    await own.clock.advance(2_000);
    own.offer(undefined);
    await own.clock.advance(2_000);
    const released = own.lease();
    expect(released?.spec?.holderIdentity ?? '').toBe('');
    await own.clock.advance(60_000);
    expect(own.lease()).toEqual(released);
  });

  test('is not given back where somebody has deleted it, and given back later where that fails', async () => {
    await using own = await startLease({ publicKey: undefined });
    await own.clock.advance(2_000);
    own.server.admin.remove(Lease, ref);
    own.offer(undefined);
    await own.clock.advance(2_000);
    expect([own.lease(), own.results.at(-1)]).toEqual([undefined, undefined]);
    let isAway = false;
    await using other = await startLease({ publicKey: undefined }, undefined, () => {
      if (isAway) throw new Error('connect ECONNREFUSED');
    });
    await other.clock.advance(2_000);
    isAway = true;
    other.offer(undefined);
    await other.clock.advance(2_000);
    expect(other.lease()?.spec?.holderIdentity).toBe('node-1');
    isAway = false;
    await other.clock.advance(60_000);
    expect(other.lease()?.spec?.holderIdentity ?? '').toBe('');
  });

  test('is made again when somebody has deleted it', async () => {
    await using own = await startLease({ publicKey: 'first' });
    await own.clock.advance(2_000);
    own.server.admin.remove(Lease, ref);
    await own.clock.advance(11_000);
    expect(own.lease()?.spec?.holderIdentity).toBe('node-1');
  });

  test('is taken over at once when another agent has made it in the same moment', async () => {
    const beforeSend: Parameters<typeof startLease>[2] = (method, server) => {
      if (method === 'POST')
        server.admin.put(Lease, {
          metadata: { ...ref, annotations: { other: 'kept' } },
          spec: { holderIdentity: 'x' },
        });
    };
    await using own = await startLease({ publicKey: 'first' }, undefined, beforeSend);
    await own.clock.advance(100);
    expect(own.results).toEqual([undefined]);
    expect(own.lease()).toMatchObject({
      metadata: { annotations: { other: 'kept', [Annotation.publicKey]: 'first' } },
      spec: { holderIdentity: 'node-1' },
    });
  });
});
