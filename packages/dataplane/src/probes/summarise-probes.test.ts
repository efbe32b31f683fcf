import { probesText } from '@isthmus/api';
import { describe, expect, test } from 'vitest';
import type { GatewayReport } from './gateway-record.ts';
import { createProbeSummary } from './summarise-probes.ts';

const report = (
  clusterID: string | undefined,
  underlay: string,
  state: GatewayReport['state'],
  { ms = 3, loss = 0 }: { readonly ms?: number; readonly loss?: number } = {},
): GatewayReport => ({
  state,
  inARow: 0,
  deaths: 0,
  sinceMs: 0,
  gateway: { key: underlay, underlay, clusterID, isReady: true, device: 'isthmus-gw', address: 'fe80::1', port: 8479 },
  probes: 9,
  roundTripMs: ms,
  typicalRoundTripMs: state === 'new' ? undefined : ms,
  loss,
  impossible: undefined,
});

describe('the summary of probes', () => {
  test('counts for each other cluster who answers, names who does not, and leaves out the own cluster', () => {
    const text = probesText(
      createProbeSummary()([
        report('west', '192.0.2.12', 'dead', { loss: 1 }),
        report('west', '192.0.2.11', 'alive', { ms: 4, loss: 0.1 }),
        report('west', '192.0.2.13', 'new'),
        report('north', '192.0.2.21', 'dead', { loss: 1 }),
        report(undefined, '172.30.1.12', 'dead'),
      ]),
    );
    expect(text).toBe('north 0/1/1 100% 192.0.2.21, west 1/1/3 5ms 20% 192.0.2.12');
  });

  test('names three silent gateways at most', () => {
    const reports = Array.from({ length: 9 }, (_, index) => report('west', `192.0.2.${index}`, 'dead'));
    expect(probesText(createProbeSummary()(reports))).toBe('west 0/9/9 100% 192.0.2.0+192.0.2.1+192.0.2.2');
  });

  test('stays the same while a measure hovers at the limit of a step, and follows one that leaves it', () => {
    const summary = createProbeSummary();
    const at = (ms: number, loss: number) =>
      summary([report('west', '192.0.2.11', 'alive', { ms, loss })]).map((one) => [one.roundTripMs, one.lossPercent]);
    expect([4.9, 5.1, 5.6, 4.2].map((ms) => at(ms, 0.02))).toEqual([[[5, 5]], [[5, 5]], [[5, 5]], [[5, 5]]]);
    expect(at(7, 0.06)).toEqual([[10, 5]]);
    expect(at(4.5, 0.1)).toEqual([[10, 20]]);
    expect(at(3.9, 0.03)).toEqual([[5, 5]]);
    expect(at(0.2, 0)).toEqual([[1, 5]]);
    expect(at(90_000, 1)).toEqual([[1_000, 100]]);
  });
});
