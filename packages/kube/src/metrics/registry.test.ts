import { describe, expect, it } from 'vitest';
import {
  defineMetrics,
  noMetrics,
  runtimeMetrics,
  silentInstruments,
  noWebhookMetrics,
  webhookMetrics,
} from './metrics.ts';
import { createMetricsRegistry } from './registry.ts';
import { countExchanges } from '../client/count-exchanges.ts';

const table = defineMetrics({
  done: { kind: 'counter', name: 'isthmus_test_done_total', stability: 'alpha', help: 'Done.', labels: ['who'] },
  size: { kind: 'gauge', name: 'isthmus_test_size_bytes', stability: 'alpha', help: 'Size.', labels: [] },
  took: {
    kind: 'histogram',
    name: 'isthmus_test_took_seconds',
    stability: 'alpha',
    help: 'Took.',
    labels: [],
    buckets: [1, 2],
  },
});

describe('metrics', () => {
  it('counts, sets and observes, and renders the text of Prometheus', async () => {
    const registry = createMetricsRegistry();
    const metrics = registry.declare(table);
    metrics.done.inc({ who: 'a' });
    metrics.done.inc({ who: 'a' }, 2);
    metrics.size.set({}, 7);
    metrics.took.observe({}, 1.5);
    // @ts-expect-error a label is missing
    expect(() => silentInstruments(table).done.inc({})).not.toThrow();
    expect(await registry.render()).toMatchInlineSnapshot(`
      "# HELP isthmus_test_done_total Done.
      # TYPE isthmus_test_done_total counter
      isthmus_test_done_total{who="a"} 3

      # HELP isthmus_test_size_bytes Size.
      # TYPE isthmus_test_size_bytes gauge
      isthmus_test_size_bytes 7

      # HELP isthmus_test_took_seconds Took.
      # TYPE isthmus_test_took_seconds histogram
      isthmus_test_took_seconds_bucket{le="1"} 0
      isthmus_test_took_seconds_bucket{le="2"} 1
      isthmus_test_took_seconds_bucket{le="+Inf"} 1
      isthmus_test_took_seconds_sum 1.5
      isthmus_test_took_seconds_count 1
      "
    `);
    expect(registry.contentType).toContain('text/plain; version=0.0.4');
  });

  it('forgets the values of a gauge that is replaced', async () => {
    const registry = createMetricsRegistry();
    const { up } = registry.declare({
      up: { kind: 'gauge', name: 'isthmus_test_up', stability: 'alpha', help: 'Up.', labels: ['who'] },
    });
    up.replace([[{ who: 'a' }, 1]]);
    up.replace([[{ who: 'b' }, 0]]);
    expect(await registry.render()).toMatch(/gauge\nisthmus_test_up\{who="b"\} 0\n/);
  });

  it('refuses to declare a name twice, and keeps registries apart', () => {
    const registry = createMetricsRegistry();
    registry.declare(table);
    expect(() => registry.declare(table)).toThrow('isthmus_test_done_total');
    expect(() => createMetricsRegistry().declare(table)).not.toThrow();
  });

  it('shows the process only where that is asked for', async () => {
    expect(await createMetricsRegistry({ process: true }).render()).toContain('process_resident_memory_bytes');
    expect(await createMetricsRegistry().render()).not.toContain('process_');
  });

  it('names every metric of the runtime isthmus_<subsystem>_<thing>_<unit>, counters with _total, and each once', () => {
    const definitions = Object.values({ ...runtimeMetrics, ...webhookMetrics });
    for (const { name, kind, help } of definitions) {
      expect(name).toMatch(/^isthmus_[a-z]+(_[a-z]+)+$/);
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(help).toMatch(/\.$/);
    }
    expect(new Set(definitions.map(({ name }) => name)).size).toBe(definitions.length);
    expect(Object.keys(noMetrics)).toEqual(Object.keys(runtimeMetrics));
    expect(Object.keys(noWebhookMetrics)).toEqual(Object.keys(webhookMetrics));
  });

  it('counts the exchanges of a client by verb and answer', async () => {
    const registry = createMetricsRegistry();
    const count = countExchanges(registry.declare(runtimeMetrics), 'leader');
    count({ verb: 'get', resource: 'services', result: 200, ms: 3 });
    count({ verb: 'get', resource: 'services', result: 'timeout', ms: 10_000 });
    const text = await registry.render();
    expect(text).toContain('isthmus_client_request_total{server="leader",verb="get",code="200"} 1');
    expect(text).toContain('isthmus_client_request_total{server="leader",verb="get",code="timeout"} 1');
    expect(text).toContain('isthmus_client_request_duration_seconds_sum{server="leader",verb="get"} 10.003');
  });
});
