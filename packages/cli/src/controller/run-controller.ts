import { applyManifest } from '@isthmus/controlplane';
import type { Client, LeaseEnd, Log, MetricsRegistry, World } from '@isthmus/kube';
import { countExchanges, createClient, createLog, runWithLease } from '@isthmus/kube';
import { jittered, sleep } from '@isthmus/machinery';
import { stopOnSignal } from '../long-running/command-process.ts';
import { ExitCode } from '../command/exit-code.ts';
import { openApiServer } from '../connection/find-api-server.ts';
import { smallMemory } from '../long-running/give-back-memory.ts';
import type { Io } from '../world/io.ts';
import { isthmusVersion } from '../version/version.ts';
import type { ControllerFlags } from './flags.ts';
import { watchingLease } from './lease-view.ts';
import type { FollowedConfig } from './follow-config.ts';
import { followConfig } from './follow-config.ts';
import { lackedRights, neededKinds, obstacleTo } from './needed-kinds.ts';
import type { ProcessState } from './process-state.ts';
import { readyChecks } from './process-state.ts';
import { createReminder } from './reminder.ts';
import type { Role } from './role.ts';
import { openMetrics } from './open-metrics.ts';
import { serveHealth } from './serve-health.ts';
import type { ControllerSettings } from './settings.ts';
import { resolveSettings } from './settings.ts';

/**
 * A controller as a process: serves health at once, waits until its custom resources can be read,
 * then for its Lease, then works.
 *
 * Guarantees: the first SIGTERM or SIGINT ends it in good order, with 0; a second one ends it at
 * once, with 1. It does not end if the API server cannot be reached, lacks the custom resources or
 * rejects the credentials. It reports that on `/readyz` and once a minute in the log, and keeps
 * trying. If it loses its Lease, for example because the API server stalls, it stops working and
 * waits for its turn again. It ends with 1 only if its work does not stop in time.
 *
 * Errors: those of `openApiServer` and `resolveSettings`, before it has begun.
 */
export async function runController(io: Io, role: Role, flags: ControllerFlags): Promise<ExitCode> {
  const settings = await resolveSettings(io, role, flags);
  const log = createLog({
    destination: io.stderr,
    level: settings.logLevel,
    format: settings.logFormat,
    clock: io.clock,
  });
  const userAgent = `isthmus-${role.name}/${isthmusVersion}`;
  const transport = await openApiServer(io, settings.connection, userAgent);
  const { registry, metrics } = await openMetrics(settings.config.metrics);
  const world: World = { clock: io.clock, random: io.random, log, metrics };
  const client = createClient({
    transport,
    clock: io.clock,
    server: `the API server ${settings.connection.server}`,
    onExchange: countExchanges(world.metrics, 'local'),
  });
  const stop = new AbortController();
  const forget = stopOnSignal(io, log, stop);
  tellSettings(log, role, settings);
  await using _memory = await smallMemory(io);
  try {
    const { config: first, readConfig: read } = settings;
    const config = followConfig({ config: first, read, clock: io.clock, log });
    return await serveAndWork({ io, role, settings, config, world, registry, client, userAgent, signal: stop.signal });
  } catch (error) {
    log.error('the controller has failed', error);
    return ExitCode.failed;
  } finally {
    forget();
    client.close();
    log.info('stopped');
  }
}

interface Process {
  readonly io: Io;
  readonly role: Role;
  readonly settings: ControllerSettings;
  readonly config: FollowedConfig;
  readonly world: World;
  /** Where metrics are served. */
  readonly registry: MetricsRegistry | undefined;
  readonly client: Client;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

async function serveAndWork(process: Process): Promise<ExitCode> {
  const { io, settings, world, registry, signal } = process;
  let state: ProcessState = { kind: 'looking', why: undefined };
  const enter = (next: ProcessState): void => void (state = signal.aborted ? { kind: 'stopping' } : next);
  signal.addEventListener('abort', () => enter({ kind: 'stopping' }), { once: true });

  const ready = () => readyChecks(state);
  await using _servers = await serveHealth({
    ...settings,
    registry,
    ready,
    network: io.network,
    client: process.client,
    clock: world.clock,
    log: world.log,
  });
  await whenReadable(process, enter);
  if (signal.aborted) return ExitCode.ok;
  if (!settings.leaderElect) {
    world.log.info('running without a Lease: no other replica may run');
    await work(process, { enter, elected: false, signal });
    return ExitCode.ok;
  }
  return await workInTurn(process, enter);
}

type Enter = (state: ProcessState) => void;

const LOOK_AGAIN_MS = 2_000;

/** Resolves when every kind that the role needs can be read, or when the signal aborts. */
async function whenReadable({ role, settings, world, client, signal }: Process, enter: Enter): Promise<void> {
  const { clock, random, log } = world;
  const options = { client, role, namespace: settings.namespace, signal };
  const all = neededKinds(role.own.access, settings.namespace);
  const kinds = all.filter(({ optional }) => !optional);
  const reminder = createReminder(clock);
  let waited = false;
  while (!signal.aborted) {
    const obstacle = await obstacleTo(kinds, options).catch(() => 'the process is stopping');
    if (signal.aborted) return;
    if (obstacle === undefined) {
      if (waited) log.info('the API server is reachable again');
      const optional = all.filter((kind) => kind.optional);
      const why = await obstacleTo(optional, options).catch(() => undefined);
      if (why !== undefined) log.warn('part of the controller is waiting', { why });
      // Other missing permissions would fail later, request by request: they are logged before the
      // first write.
      const lacked = why === undefined ? await lackedRights(options).catch(() => undefined) : undefined;
      const cure = `run: ${applyManifest(role.manifests.all)}`;
      if (lacked !== undefined) log.warn('some changes will be rejected', { why: `${lacked}; ${cure}` });
      return;
    }
    waited = true;
    enter({ kind: 'looking', why: obstacle });
    if (reminder.isDue(obstacle)) log.warn('not running yet; trying again', { why: obstacle });
    await sleep(clock, jittered(random, LOOK_AGAIN_MS, 0.5), signal).catch(() => {});
  }
}

async function workInTurn(process: Process, enter: Enter): Promise<ExitCode> {
  const { role, settings, world, client, signal } = process;
  const { log } = world;
  const reminder = createReminder(world.clock);
  for (;;) {
    const end = await oneTurn();
    switch (end.kind) {
      case 'stopped':
        return ExitCode.ok;
      case 'finished':
        throw new Error('the control plane ended unexpectedly');
      case 'lost': {
        // Nothing of the work is left: it ended in time, and the next turn begins with caches of
        // its own.
        const lease = `${settings.namespace}/${role.leaseName}`;
        log.warn('the Lease is lost; another replica may be active now. Waiting for the Lease', {
          lease,
          why: end.why,
        });
        // A pause, in case another replica still writes the Lease.
        await sleep(world.clock, jittered(world.random, LOOK_AGAIN_MS, 0.5), signal).catch(() => {});
      }
    }
  }

  async function oneTurn(): Promise<LeaseEnd> {
    let leads = false;
    enter({ kind: 'candidate', lease: { kind: 'unseen' } });
    return runWithLease({
      ...world,
      client: watchingLease(client, (lease) => {
        if (lease.kind === 'failing') world.metrics.databaseFull.set({}, Number(lease.isFull));
        else if (lease.kind === 'seen' && lease.isWritten) world.metrics.databaseFull.set({}, 0);
        // While it leads, a failed renewal ends as a lost Lease. Leader election itself logs the
        // failures before.
        if (leads) return;
        enter({ kind: 'candidate', lease });
        if (lease.kind === 'homeless' && reminder.isDue(lease.why)) {
          log.warn('the Namespace of the Lease does not exist; trying again', { why: lease.why });
        }
      }),
      namespace: settings.namespace,
      name: role.leaseName,
      identity: settings.identity,
      signal,
      lead(held) {
        leads = true;
        return work(process, { enter, elected: true, signal: held });
      },
    });
  }
}

/**
 * Works until `signal` aborts; with other controllers, as in a restarted process, each time that
 * the configuration file changes.
 */
async function work(
  { io, role, settings, world, client, userAgent, config }: Process,
  { enter, elected, signal }: { readonly enter: Enter; readonly elected: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { namespace, identity } = settings;
  // A standby may have waited for days.
  await config.look();
  for (;;) {
    const changed = new AbortController();
    const own = AbortSignal.any([signal, changed.signal]);
    const following = config.whenChanged(own).then(
      () => changed.abort(new Error('the configuration file has changed')),
      () => {},
    );
    const plane = role.createControlPlane({
      client,
      namespace,
      config: config.config,
      rejectedConfig: config.rejected,
      identity,
      userAgent,
      network: io.network,
      world,
      signal: own,
    });
    enter({ kind: 'leading', plane, elected });
    let isOver = true;
    try {
      await plane.run(own);
      isOver = !changed.signal.aborted || signal.aborted;
    } finally {
      changed.abort(new Error('the work has ended'));
      await following;
    }
    if (isOver) return;
  }
}

function tellSettings(log: Log, role: Role, settings: ControllerSettings): void {
  const { config, connection, namespace, identity, leaderElect, warnings, flagsWithoutEffect: idle } = settings;
  const { server, origin } = connection;
  log.info('starting', { role: role.name, version: isthmusVersion, namespace, server, connection: origin, identity });
  for (const warning of warnings) log.warn(warning);
  log.debug('configuration', { config: JSON.stringify(config), leaderElect });
  if (idle.length > 0) log.debug('flags without effect', { flags: idle });
}
