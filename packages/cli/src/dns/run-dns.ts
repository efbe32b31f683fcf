import { createImportNames, dnsMetrics, noDnsMetrics } from '@isthmus/dataplane';
import type { BindAddress, HealthCheck, World } from '@isthmus/kube';
import { countExchanges, createClient, parseBindAddress, whenAborted } from '@isthmus/kube';
import { dns1123SubdomainErrors, sleep } from '@isthmus/machinery';
import { bindAddressOf, openLog, stopOnSignal } from '../long-running/command-process.ts';
import { flagsWithoutEffect } from '../controller/klog-flags.ts';
import { openMetrics } from '../controller/open-metrics.ts';
import { serveHealth } from '../controller/serve-health.ts';
import { ExitCode } from '../command/exit-code.ts';
import { findApiServer, openApiServer } from '../connection/find-api-server.ts';
import { smallMemory } from '../long-running/give-back-memory.ts';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';
import { isthmusVersion } from '../version/version.ts';
import type { DnsFlags } from './flags.ts';

/**
 * A server of names as a process, until SIGTERM or SIGINT: it then is not ready any more, and
 * answers for a while, because those who send queries learn of it later. A second signal ends it at
 * once. An API server that cannot be reached does not end it.
 *
 * Errors: {@link UsageError} before anything was begun; rejects where an address cannot be had.
 */
export async function runDns(io: Io, flags: DnsFlags): Promise<ExitCode> {
  const settings = settingsOf(flags);
  const connection = await findApiServer(io, flags, 'the API server of the cluster');
  const { clock, random } = io;
  const log = openLog(io, flags);
  for (const warning of connection.warnings) log.warn(warning);
  const transport = await openApiServer(io, connection, `isthmus-dns/${isthmusVersion}`);
  const { registry, metrics } = await openMetrics(settings.metrics);
  const world: World = { clock, random, log, metrics };
  const onExchange = countExchanges(metrics, 'local');
  const client = createClient({ transport, clock, server: `the API server ${connection.server}`, onExchange });
  const names = createImportNames({ client, zoneName: settings.zoneName, world });
  const stopping = new AbortController();
  const end = new AbortController();
  const forget = stopOnSignal(io, log, stopping);
  const ready = (): readonly HealthCheck[] => [
    { name: 'running', check: () => (stopping.signal.aborted ? 'the process is stopping' : undefined) },
    { name: 'caches', check: () => names.notReady().join(', ') || undefined },
  ];
  try {
    const { health, metrics: metricsAt, bind } = settings;
    const answering = { served: names.served, metrics: registry?.declare(dnsMetrics) ?? noDnsMetrics };
    await using servers = new AsyncDisposableStack();
    servers.use(await smallMemory(io));
    servers.use(
      await serveHealth({
        config: { health, metrics: metricsAt },
        registry,
        ready,
        network: io.network,
        client,
        clock,
        log,
      }),
    );
    const dns = servers.use(await io.network.serveNames({ bind, clock, log, ...answering }));
    log.info('running', {
      version: isthmusVersion,
      zone: settings.zoneName,
      server: connection.server,
      ...dns.address,
    });
    const idle = flagsWithoutEffect(flags);
    if (idle.length > 0) log.debug('flags without effect', { flags: idle });
    const running = names.run(end.signal);
    await whenAborted(stopping.signal);
    await sleep(clock, settings.shutdownDelayMs, end.signal);
    end.abort(new Error('stopped'));
    await running;
    return ExitCode.ok;
  } catch (error) {
    log.error('the DNS server has failed', error);
    return ExitCode.failed;
  } finally {
    end.abort(new Error('the process ends'));
    forget();
    client.close();
    log.info('stopped');
  }
}

interface DnsSettings {
  readonly zoneName: string;
  readonly bind: BindAddress;
  readonly health: BindAddress | undefined;
  readonly metrics: BindAddress | undefined;
  readonly shutdownDelayMs: number;
}

const mostDelaySeconds = 3_600;

function settingsOf(flags: DnsFlags): DnsSettings {
  const zoneName = (flags.zone ?? 'clusterset.local').toLowerCase().replace(/\.$/, '');
  const wrong = dns1123SubdomainErrors(zoneName);
  if (wrong.length > 0)
    throw new UsageError(
      `--zone is ${JSON.stringify(flags.zone)}, which is not a valid name of a zone: ${wrong.join('; ')}`,
    );
  const bind = queryAddressOf(flags['bind-address'] ?? ':5353');
  const delay = flags['shutdown-delay'] ?? 5;
  if (delay < 0 || delay > mostDelaySeconds)
    throw new UsageError(`--shutdown-delay is ${delay}. It must be a number from 0 to ${mostDelaySeconds}.`);
  return {
    zoneName,
    bind,
    health: bindAddressOf('health-probe-bind-address', flags['health-probe-bind-address'] ?? ':8080'),
    metrics: bindAddressOf('metrics-bind-address', flags['metrics-bind-address'] ?? '0'),
    shutdownDelayMs: delay * 1_000,
  };
}

/** Unlike the addresses of health and metrics, it cannot be 0. */
function queryAddressOf(text: string): BindAddress {
  let bind: BindAddress | undefined;
  try {
    bind = parseBindAddress(text);
  } catch {
    // Not an address, as 0.
  }
  if (bind === undefined)
    throw new UsageError(
      `--bind-address is ${JSON.stringify(text)}. It must be an address, such as ":5353" or "127.0.0.1:5353".`,
    );
  return bind;
}
