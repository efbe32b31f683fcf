import type { ControllerConfig } from '@isthmus/controlplane';
import type {
  BindAddress,
  Client,
  HealthCheck,
  HealthRequest,
  HealthResponse,
  HealthServer,
  Log,
  MetricsRegistry,
} from '@isthmus/kube';
import { createHealthHandler, isLoopback } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import type { Network } from '../world/io.ts';
import { withAccessReview } from './metrics-access.ts';

export interface ServeOptions {
  readonly config: Pick<ControllerConfig, 'health' | 'metrics'>;
  /** The metrics of `/metrics`; undefined where the configuration has no address for it. */
  readonly registry: MetricsRegistry | undefined;
  /** Called for each request. */
  readonly ready: () => readonly HealthCheck[];
  readonly network: Network;
  /** A client of the API server, which decides who may read metrics. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

type Answer = (request: HealthRequest) => Promise<HealthResponse>;

/**
 * Serves `/healthz` and `/readyz` at one address of the configuration and `/metrics` at the other;
 * all three if they are the same. On loopback, metrics are open to all clients. At any other
 * address, they are served over HTTPS to users whom the API server allows to read them.
 *
 * Errors: rejects if an address cannot be opened, with the setting to change, and if metrics would
 * need HTTPS at the address of health.
 */
export async function serveHealth(options: ServeOptions): Promise<AsyncDisposable> {
  const { registry, network, client, clock, log } = options;
  const { health, metrics } = options.config;
  await using servers = new AsyncDisposableStack();
  const serve = async (setting: string, listen: () => Promise<HealthServer>): Promise<void> => {
    try {
      const server = servers.use(await listen());
      log.info('listening', { setting, ...server.address });
    } catch (error) {
      const why = errorMessage(error);
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
  if (isOneAddress && !isLoopback(metrics)) {
    throw new Error(
      'health and metrics cannot share an address that other hosts reach: metrics are served over HTTPS there. Choose another port (setting metrics.bindAddress)',
    );
  }
  if (health !== undefined) {
    const answer = answering(isOneAddress ? registry : undefined);
    await serve('health.healthProbeBindAddress', () => network.listen(health, answer, log));
  }
  if (metrics !== undefined && !isOneAddress) {
    const answer = onlyMetrics(answering(registry));
    const listen = () =>
      isLoopback(metrics)
        ? network.listen(metrics, answer, log)
        : network.listenSecurely(metrics, withAccessReview(answer, { client, clock }), { clock, log });
    await serve('metrics.bindAddress', listen);
  }
  return servers.move();
}

function isSame(one: BindAddress, other: BindAddress): boolean {
  // Port 0 is any free port: another one for each server.
  return one.host === other.host && one.port === other.port && one.port !== 0;
}

/**
 * Probes have their own address. If this one answered them too, it would hide a wrong Deployment.
 */
function onlyMetrics(answer: Answer): Answer {
  return (request) => answer(request.url.split('?', 1)[0] === '/metrics' ? request : { ...request, url: '/' });
}
