/**
 * `npx node examples/config-copy/main.ts`: runs the controller against the API server of
 * `KUBECONFIG`, or of the Pod that it runs in. Health and metrics: http://127.0.0.1:8080. A
 * controller for production also takes a Lease (`runWithLease`), so that two copies of it do not
 * both write.
 */
import {
  connect,
  countExchanges,
  createClient,
  createHealthHandler,
  createLog,
  createMetricsRegistry,
  findConnection,
  readFile,
  runtimeMetrics,
  startHealthServer,
  systemClock,
  systemRandom,
} from '@isthmus/kube';
import { runConfigCopy } from './run.ts';

const clock = systemClock();
const log = createLog({ destination: process.stderr, format: 'text', clock });
const registry = createMetricsRegistry({ process: true });
const metrics = registry.declare(runtimeMetrics);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));

const settings = await findConnection({ env: process.env, home: process.env['HOME'], readFile });
const transport = await connect(settings, { clock, readFile, userAgent: 'config-copy' });
const client = createClient({
  transport,
  clock,
  server: settings.server,
  onExchange: countExchanges(metrics, 'local'),
});
const health = createHealthHandler({ ready: [], metrics: registry });
const port = Number(process.env['PORT'] ?? 8080);
await using server = await startHealthServer({ host: '127.0.0.1', port }, health, log);
log.info('starting', { server: settings.server, metrics: `http://127.0.0.1:${server.address.port}/metrics` });
await runConfigCopy(client, { clock, random: systemRandom(), log, metrics }, stop.signal);
client.close();
