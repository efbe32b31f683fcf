import { defaultControllerConfig } from '@isthmus/controlplane';
import type { HealthCheck } from '@isthmus/kube';
import { createClient, createMetricsRegistry, noLog } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { madeUpIo, nobody } from '../testing/made-up-io.ts';
import { serveHealth } from './serve-health.ts';

const health = { host: '127.0.0.1', port: 8080 };
const elsewhere = { host: '127.0.0.1', port: 8081 };
const everywhere = { host: undefined, port: 8081 };
const rest = {
  client: createClient({ transport: nobody, clock: createVirtualClock({ startMs: 0 }) }),
  clock: createVirtualClock({ startMs: 0 }),
};

async function serve(binds: Pick<ReturnType<typeof defaultControllerConfig>, 'health' | 'metrics'>) {
  const io = madeUpIo();
  const state: { checks: readonly HealthCheck[] } = { checks: [] };
  const servers = await serveHealth({
    config: { ...defaultControllerConfig(), ...binds },
    registry: createMetricsRegistry(),
    ready: () => state.checks,
    network: io.network,
    log: noLog,
    ...rest,
  });
  const statusOf = async (port: number, url: string) => (await io.ask(port, url)).status;
  return { io, state, servers, statusOf };
}

describe('health and metrics', () => {
  it('have an address each', async () => {
    const { statusOf } = await serve({ health, metrics: elsewhere });
    expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map((url) => statusOf(8080, url)))).toEqual([
      200, 200, 404,
    ]);
    expect(await Promise.all(['/healthz', '/readyz', '/metrics?x'].map((url) => statusOf(8081, url)))).toEqual([
      404, 404, 200,
    ]);
  });

  it('share one address where it is the same', async () => {
    const { statusOf } = await serve({ health, metrics: health });
    expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map((url) => statusOf(8080, url)))).toEqual([
      200, 200, 200,
    ]);
  });

  it('are served at an address that other hosts reach only to those whom the API server allows to read metrics', async () => {
    const { statusOf } = await serve({ health, metrics: everywhere });
    expect(await Promise.all(['/healthz', '/metrics'].map((url) => statusOf(8080, url)))).toEqual([200, 404]);
    expect(await Promise.all(['/healthz', '/metrics'].map((url) => statusOf(8081, url)))).toEqual([401, 401]);
  });

  it('cannot share an address that other hosts reach', async () => {
    await expect(serve({ health: everywhere, metrics: everywhere })).rejects.toThrow('(setting metrics.bindAddress)');
  });

  it('are served nowhere where they are off', async () => {
    const { statusOf } = await serve({ health: undefined, metrics: undefined });
    await expect(statusOf(8080, '/healthz')).rejects.toThrow('nobody listens');
    await expect(statusOf(8081, '/metrics')).rejects.toThrow('nobody listens');
  });

  it('show the checks of the moment', async () => {
    const { state, statusOf } = await serve({ health, metrics: undefined });
    state.checks = [{ name: 'caches', check: () => 'services are not read yet' }];
    expect(await statusOf(8080, '/readyz')).toBe(500);
    state.checks = [{ name: 'caches', check: () => undefined }];
    expect(await statusOf(8080, '/readyz')).toBe(200);
  });

  it('leave no server behind where the second address is taken', async () => {
    const io = madeUpIo();
    const { listen } = io.network;
    const network: typeof io.network = {
      ...io.network,
      listen: (bind, ...more) => (bind.port === 8081 ? Promise.reject(new Error('taken')) : listen(bind, ...more)),
    };
    const config = { ...defaultControllerConfig(), metrics: elsewhere };
    const serving = serveHealth({
      config,
      registry: createMetricsRegistry(),
      ready: () => [],
      network,
      log: noLog,
      ...rest,
    });
    await expect(serving).rejects.toThrow('taken (setting metrics.bindAddress)');
    await expect(io.ask(8080, '/healthz')).rejects.toThrow('nobody listens');
  });
});
