import type { ControllerConfig } from '@isthmus/clusterset';
import type { BindAddress, HealthCheck, HealthRequest, HealthResponse, Log, MetricsRegistry } from '@isthmus/kube';
import { createHealthHandler } from '@isthmus/kube';
import type { Network } from '../io.ts';

export interface ServeOptions {
  readonly config: ControllerConfig;
  readonly registry: MetricsRegistry;
  /** Asked for each request. */
  readonly ready: () => readonly HealthCheck[];
  readonly network: Network;
  readonly log: Log;
}

type Answer = (request: HealthRequest) => Promise<HealthResponse>;

/**
 * Serves `/healthz` and `/readyz` at the one address of the configuration and `/metrics` at the other; all three where they are the same.
 *
 * Errors: rejects where an address can't be had, with the setting to change.
 */
export async function serveHealth(options: ServeOptions): Promise<AsyncDisposable> {
  const { registry, network, log } = options;
  const { health, metrics } = options.config;
  await using servers = new AsyncDisposableStack();
  const serve = async (bind: BindAddress, setting: string, answer: Answer): Promise<void> => {
    try {
      const server = servers.use(await network.listen(bind, answer, log));
      log.info('listening', { setting, ...server.address });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${why} (setting ${setting})`, { cause: error });
    }
  };
  const answering = (counted: MetricsRegistry | undefined): Answer =>
    createHealthHandler({
      get ready() {
        return options.ready();
      },
      metrics: counted,
    });
  const isOneAddress = health !== undefined && metrics !== undefined && isSame(health, metrics);
  if (health !== undefined) {
    await serve(health, 'health.healthProbeBindAddress', answering(isOneAddress ? registry : undefined));
  }
  if (metrics !== undefined && !isOneAddress) {
    await serve(metrics, 'metrics.bindAddress', onlyMetrics(answering(registry)));
  }
  return servers.move();
}

function isSame(one: BindAddress, other: BindAddress): boolean {
  // Port 0 is any free port: another one for each server.
  return one.host === other.host && one.port === other.port && one.port !== 0;
}

/** Probes have their own address: asked for at this one they would hide a wrong Deployment. */
function onlyMetrics(answer: Answer): Answer {
  return (request) => answer(request.url.split('?', 1)[0] === '/metrics' ? request : { ...request, url: '/' });
}
