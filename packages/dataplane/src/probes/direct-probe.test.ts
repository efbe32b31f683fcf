import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, test } from 'vitest';
import type { DirectPeer, DirectSocket } from './direct-probe.ts';
import { createDirectProbes } from './direct-probe.ts';
import type { ProbedGateway } from './targets.ts';

/** Agents on one network, each at its address. Datagrams to other addresses are lost. */
function network() {
  const clock = createVirtualClock({ startMs: 0 });
  const listeners = new Map<string, Set<(text: string, from: DirectPeer) => void>>();
  const sent: string[] = [];
  const socketAt = (address: string): DirectSocket => ({
    async send(text, to) {
      sent.push(text);
      clock.after(5, () => {
        for (const listener of listeners.get(to.address) ?? []) listener(text, { address, port: 8484 });
      });
    },
    onMessage(listener) {
      const own = listeners.get(address) ?? new Set();
      listeners.set(address, own.add(listener));
      return () => own.delete(listener);
    },
  });
  let count = 0;
  const agent = (address: string, clusterID: string | undefined) =>
    createDirectProbes({
      socket: socketAt(address),
      clock,
      nonce: () => (++count).toString(16).padStart(32, '0'),
      clusterID: () => clusterID,
    });
  return { clock, agent, sent, socketAt };
}

const target = (address: string, clusterID: string): ProbedGateway => ({
  key: address,
  device: '',
  address,
  port: 8484,
  underlay: address,
  clusterID,
  isReady: false,
});

describe('a question to an agent of another cluster', () => {
  test('is answered by that cluster, and by no other that has the same address, nor by one that is in no ClusterSet', async () => {
    const { clock, agent } = network();
    const east = agent('10.10.1.0', 'east');
    agent('10.20.1.0', 'west');
    agent('10.30.1.0', undefined);
    const results = [
      east.probe(target('10.20.1.0', 'west'), 600),
      east.probe(target('10.20.1.0', 'south'), 600),
      east.probe(target('10.30.1.0', 'south'), 600),
      east.probe(target('10.40.1.0', 'west'), 600),
    ];
    await clock.advance(600);
    expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual(['answered', 'missed', 'missed', 'missed']);
    expect(await results[0]).toEqual({ kind: 'answered', roundTripMs: 10 });
  });

  test('is not answered by a host that does not receive it, and by no agent after its end', async () => {
    const { clock, agent, socketAt, sent } = network();
    const east = agent('10.10.1.0', 'east');
    const west = agent('10.20.1.0', 'west');
    const liar = socketAt('192.0.2.66');
    const result = east.probe(target('10.50.1.0', 'west'), 600);
    await liar.send(`isthmus-direct-1 ! ${'f'.repeat(32)} west`, { address: '10.10.1.0', port: 8484 });
    west.end();
    const late = east.probe(target('10.20.1.0', 'west'), 600);
    await clock.advance(600);
    expect([(await result).kind, (await late).kind]).toEqual(['missed', 'missed']);
    expect(sent).toHaveLength(3);
  });
});
