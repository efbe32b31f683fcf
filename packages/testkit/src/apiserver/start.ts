/**
 * One of the modules that may touch the world: it runs real clusters (fs, os, timers, randomness,
 * environment).
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServerOptions, ProcessPlace, RealApiServer } from './api-server.ts';
import { issueClusterCredentials } from './certificates.ts';
import type { ClusterCredentials } from './certificates.ts';
import { clusterProcesses, ComponentEnded } from './cluster-processes.ts';
import type { ClusterProcesses } from './cluster-processes.ts';
import { findBinaries } from './find-binaries.ts';
import {
  apiServerFlags,
  auditPolicy,
  controllerManagerFlags,
  defaultControllers,
  etcdFlags,
  files,
  renderFlags,
} from './flags.ts';
import type { Component, Flags } from './flags.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { freePort } from './ports.ts';
import { untilControllersWork, untilServerReady } from './readiness.ts';
import { superviseIn } from './supervision.ts';

/**
 * Starts a cluster of real processes on 127.0.0.1. Resolves when it works: `/readyz` answers 200,
 * and with a controller manager, Namespace `default` has its ServiceAccount.
 *
 * Guarantees: several may start at once. When it rejects, nothing is left. If another process takes
 * the port first, it starts again, up to five times. Errors: missing programs (with the command
 * that installs them); a component that ends (with an excerpt of its log); not ready in time (with
 * the server's last answer).
 */
export async function startApiServer(options: ApiServerOptions): Promise<RealApiServer> {
  const { name, serviceCIDR = '10.96.0.0/16', startTimeoutMs = 480_000 } = options;
  if (!/^[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?$/.test(name)) {
    throw new Error(`starting cluster ${JSON.stringify(name)}: the name must be a DNS label of at most 42 characters`);
  }
  const binaries = options.binaries ?? findBinaries(process.env);
  const controllers = controllersOf(options);
  const limit = () => AbortSignal.timeout(startTimeoutMs);
  const signal = options.signal === undefined ? limit() : AbortSignal.any([options.signal, limit()]);
  signal.throwIfAborted();

  // Made while the supervisor and etcd start; awaited below.
  const pendingCredentials = issueClusterCredentials(name, options.place?.addresses);
  pendingCredentials.catch(() => {});
  await using stack = new AsyncDisposableStack();
  const directory = join(tmpdir(), `isthmus-${name}-${randomBytes(6).toString('hex')}`);
  const processes = clusterProcesses(name, stack.use(await superviseIn(directory)));
  const spawn = (component: Component, flags: Flags) =>
    processes.spawn(
      component,
      commandAt(options.place, binaries[component], renderFlags({ ...flags, ...options.flags?.[component] })),
    );

  await spawn('etcd', etcdFlags());
  const credentials = await pendingCredentials;
  await writeFiles(directory, credentialFiles(credentials));
  const { caData, admin } = credentials;
  const targetAt = (port: number) => ({ url: `https://127.0.0.1:${port}`, caData, client: admin });

  const startServer = async (port: number, signal: AbortSignal) => {
    await spawn('kube-apiserver', apiServerFlags({ port, serviceCIDR, controllerManager: controllers.length > 0 }));
    await processes.whileRunning(['etcd', 'kube-apiserver'], (over) => untilServerReady(targetAt(port), over), signal);
  };
  const port = await onFreePort(options.pickPort ?? freePort, (port) => startServer(port, signal));
  const target = targetAt(port);

  await writeFiles(directory, {
    [files.adminKubeconfig]: renderKubeconfig({ name, url: target.url, caData, user: admin }),
    [files.controllerManagerKubeconfig]: renderKubeconfig({
      name,
      url: target.url,
      caData,
      user: credentials.controllerManager,
    }),
  });
  const startControllerManager = async (signal: AbortSignal) => {
    await spawn('kube-controller-manager', controllerManagerFlags(controllers));
    if (!controllers.includes('serviceaccount-controller')) return;
    await processes.whileRunning(
      ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      (over) => untilControllersWork(target, over),
      signal,
    );
  };
  if (controllers.length > 0) await startControllerManager(signal);

  const start: RealApiServer['start'] = async (component) => {
    switch (component) {
      case 'etcd':
        return spawn('etcd', etcdFlags());
      case 'kube-apiserver':
        return startServer(port, limit());
      case 'kube-controller-manager':
        if (controllers.length > 0) return startControllerManager(limit());
        throw new Error(`starting ${component} of cluster ${name}: the cluster was made without one`);
    }
  };
  return handleOf({
    name,
    url: target.url,
    caData,
    admin,
    serviceCIDR,
    issueClient: credentials.issueClient,
    directory,
    processes,
    start,
    owner: stack.move(),
  });
}

function commandAt(place: ProcessPlace | undefined, program: string, args: readonly string[]) {
  return place === undefined ? { program, args } : place.command(program, args);
}

function controllersOf(options: ApiServerOptions): readonly string[] {
  const wanted = options.controllerManager ?? false;
  if (wanted === true) return defaultControllers;
  return wanted === false ? [] : wanted;
}

/** Runs `start` on one port after the other until no other process takes the port first. */
async function onFreePort(pick: () => Promise<number>, start: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await pick();
    try {
      await start(port);
      return port;
    } catch (error) {
      const taken = error instanceof ComponentEnded && error.wrote.includes('address already in use');
      if (!taken || attempt === 5) throw error;
    }
  }
}

function credentialFiles(credentials: ClusterCredentials): Readonly<Record<string, string>> {
  return {
    [files.auditPolicy]: auditPolicy,
    [files.caCertificate]: credentials.caData,
    [files.adminCertificate]: credentials.admin.certData,
    [files.adminKey]: credentials.admin.keyData,
    [files.servingCertificate]: credentials.serving.certData,
    [files.servingKey]: credentials.serving.keyData,
    [files.serviceAccountKey]: credentials.serviceAccountPrivateKey,
    [files.serviceAccountPublicKey]: credentials.serviceAccountPublicKey,
  };
}

async function writeFiles(directory: string, contents: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(contents);
  await Promise.all(entries.map(([name, text]) => writeFile(join(directory, name), text, { mode: 0o600 })));
}

function handleOf(
  parts: Pick<RealApiServer, 'name' | 'url' | 'caData' | 'admin' | 'serviceCIDR' | 'issueClient' | 'start'> & {
    readonly directory: string;
    readonly processes: ClusterProcesses;
    readonly owner: AsyncDisposable;
  },
): RealApiServer {
  const { directory, processes, owner, start, ...identity } = parts;
  const running = (component: Component, signal: NodeJS.Signals) => {
    const process = processes.get(component);
    if (process === undefined)
      throw new Error(`sending ${signal} to ${component} of cluster ${parts.name}: it does not run`);
    return process;
  };
  return {
    ...identity,
    kubeconfigPath: join(directory, files.adminKubeconfig),
    auditLogPath: join(directory, files.auditLog),
    pid: (component) => processes.get(component)?.pid,
    logs: (component) => processes.logs(component),
    stop: (component) => processes.stop(component),
    start,
    async restart(component) {
      await processes.stop(component);
      await start(component);
    },
    freeze: async (component) => running(component, 'SIGSTOP').freeze(),
    resume: (component) => running(component, 'SIGCONT').signal('SIGCONT'),
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}
