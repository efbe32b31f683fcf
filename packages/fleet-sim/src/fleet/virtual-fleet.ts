import * as api from '@isthmus/api';
import type { ControlPlane } from '@isthmus/controlplane';
import type { EndpointIPType, LeaderConfig } from '@isthmus/wire';
import { createLeader, createMember, defaultControllerConfig } from '@isthmus/controlplane';
import { leaderAdmission, memberAdmission } from '@isthmus/install';
import type { Client, OwnerLimits, Transport, World } from '@isthmus/kube';
import { createClient, createEventRecorder, memoryLog, noMetrics } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { errorMessage, seededRandom } from '@isthmus/machinery';
import type { Sandbox } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import { createVirtualClock } from '../clock/virtual-clock.ts';
import type { WriteVerdict } from '../faults/with-faults.ts';
import { withFaults } from '../faults/with-faults.ts';
import { requestLine } from './request-line.ts';
import type { Role } from './cluster-setup.ts';
import { isMember, prepareCluster, startControllers } from './cluster-setup.ts';
import { serviceAccount } from './credentials.ts';
import { definitions } from './definitions.ts';
import { clusterSetName, leaderNamespace, leaderSecret, memberNamespace } from './fleet-names.ts';
import type { LoggedSandbox, MemberSettings, VirtualCluster, VirtualFleet } from './fleet.ts';
import { fleetState } from './fleet-state.ts';
import type { FleetWrite, Way } from './links.ts';
import { createLinks } from './links.ts';

export interface VirtualFleetOptions {
  /** Name of each cluster, which is also its ID, and its role. Exactly one leader. */
  readonly clusters: Readonly<Record<string, Role>>;
  readonly seed?: number | undefined;
  readonly endpointIPType?: EndpointIPType | undefined;
  /** The Namespace of the leader's controller: the Common Area. Default `antrea-multicluster`. */
  readonly leaderNamespace?: string | undefined;
  /** The Namespace of the members' controllers. Default `kube-system`. */
  readonly memberNamespace?: string | undefined;
  /** More host names of API servers, by cluster; each also answers at `<cluster>.test`. */
  readonly hosts?: Readonly<Record<string, string>> | undefined;
  /** The Service ranges of clusters; two, joined by a comma, make one dual-stack. Default: a range of IPv4 for each. */
  readonly serviceCIDRs?: Readonly<Record<string, string>> | undefined;
  /** The leader's API server has the CRDs of Antrea: what they do not know is pruned. Its controller is the test's to leave out. */
  readonly antreaCrds?: boolean | undefined;
  /** Asked before each write of a controller; one that dies is started anew a second later. */
  readonly onWrite?: ((write: FleetWrite) => WriteVerdict) | undefined;
  /** How long silent members are remembered. Default: as long as in production, a day. */
  readonly forgottenAfterMs?: number | undefined;
  /** Label identities are exchanged: `enableStretchedNetworkPolicy` everywhere. Default false. */
  readonly stretched?: boolean | undefined;
  /** What the configuration file of the leader has. Default: nothing. */
  readonly leaderConfig?: Partial<LeaderConfig> | undefined;
  /** How much of the exports of one cluster the leader accepts. Default: as much as in production. */
  readonly exportLimits?: OwnerLimits | undefined;
  /** By how many milliseconds the clocks of controllers are wrong, by cluster; those of API servers are right. Default: not at all. */
  readonly clockErrorsMs?: Readonly<Record<string, number>> | undefined;
  /** Joins the members before it returns. Default true. */
  readonly join?: boolean | undefined;
}

const start = Date.parse('2026-11-21T10:00:00Z');

export async function createVirtualFleet(options: VirtualFleetOptions): Promise<VirtualFleet> {
  const { seed = 1 } = options;
  const area = options.leaderNamespace ?? leaderNamespace;
  const home = options.memberNamespace ?? memberNamespace;
  const revoked = new Set<string>();
  const stop = new AbortController();
  const clock = createVirtualClock({ startMs: start });
  const names = Object.keys(options.clusters);
  const leaderName = names.find((name) => options.clusters[name]?.startsWith('leader')) ?? '';
  const ours = await definitions.ours();
  const leaders = options.antreaCrds === true ? await definitions.antreas() : ours;
  const servers = new Map(names.map((name, index) => [name, loggedSandbox(name, index)]));
  const serverOf = (name: string): LoggedSandbox => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`no cluster ${name}`);
    return server;
  };

  const links = createLinks({
    clock,
    onWrite: options.onWrite,
    died({ controller }) {
      const [, name = '', role] = /^(.*)-(leader|member)$/.exec(controller) ?? [];
      const cluster = fleet.cluster(name);
      cluster.kill(role as 'leader' | 'member');
      clock.after(1_000, () => cluster.start(role as 'leader' | 'member'));
    },
  });
  const clusters = names.map((name, index) => virtualCluster(name, index));
  const fleet: VirtualFleet = {
    clock,
    clusters,
    link: (controller, server) => links.link(controller, server),
    get leader() {
      return fleet.cluster(leaderName);
    },
    cluster(name) {
      const found = clusters.find((cluster) => cluster.name === name);
      if (found === undefined) throw new Error(`no cluster ${name}; there are ${names.join(', ')}`);
      return found;
    },
    join() {
      createClusterSets({ ...options, area, home }, leaderName, serverOf);
    },
    revoke: (token) => void revoked.add(token),
    async until(what, predicate, limitMs = 60_000) {
      try {
        await clock.runUntil(predicate, { limitMs, what });
      } catch (error) {
        const states = clusters.map(({ name, log }) => {
          const said = log.entries.filter(({ level }) => level !== 'debug').slice(-8);
          return [
            `--- log of ${name}`,
            ...said.map(
              (entry) =>
                `${entry.level} ${entry.message} ${JSON.stringify(entry.fields)} ${entry.error instanceof Error ? entry.error.message : ''}`,
            ),
          ].join('\n');
        });
        const why = errorMessage(error);
        throw new Error([`${what}: ${why}`, ...fleetState(fleet), ...states].join('\n'), { cause: error });
      }
    },
    requestLog: () => clusters.flatMap(({ server }) => server.requestLog()),
    async [Symbol.asyncDispose]() {
      for (const cluster of clusters) cluster.kill();
      stop.abort(new Error('the fleet is over'));
      await clock.settle();
    },
  };
  for (const [name, role] of Object.entries(options.clusters)) {
    prepareCluster(serverOf(name), role, { area, home });
    const world = { clock, random: seededRandom(seed * 1_000 + names.indexOf(name)) };
    void startControllers(serverOf(name), role, { world, signal: stop.signal });
  }
  await clock.settle();
  if (options.join !== false) {
    for (const cluster of clusters) cluster.start();
    fleet.join();
    const joined = () => names.every((name) => !isMember(options.clusters[name]) || isReady(serverOf(name), home));
    await fleet.until('all members are connected', joined);
  }
  return fleet;

  function loggedSandbox(name: string, index: number): LoggedSandbox {
    const waiting: (() => string)[] = [];
    const log: string[] = [];
    const sandbox = createSandbox({
      name,
      clock,
      image: name === leaderName ? leaders : ours,
      seed: seed * 100 + index,
      serviceCIDR: options.serviceCIDRs?.[name] ?? `10.${96 + index}.0.0/16`,
      onAnswer: (request, username, status) => waiting.push(() => requestLine(name, username, request, status)),
    });
    return {
      ...sandbox,
      // Written when it is read, which most stories never do.
      requestLog() {
        for (const line of waiting.splice(0)) log.push(line());
        return log;
      },
    };
  }

  function virtualCluster(name: string, index: number): VirtualCluster {
    const role = options.clusters[name] ?? 'member';
    const log = memoryLog();
    const running = new Map<string, AbortController>();
    const roles = (only?: 'leader' | 'member') =>
      (['leader', 'member'] as const).filter((one) => role.includes(one) && (only ?? one) === one);
    let starts = 0;
    let settings: Partial<MemberSettings> = {
      endpointIPType: options.endpointIPType ?? 'ClusterIP',
      enableStretchedNetworkPolicy: options.stretched ?? false,
    };
    return {
      name,
      server: serverOf(name),
      log,
      running: (one) => running.has(one),
      start(only, changed) {
        settings = { ...settings, ...changed };
        for (const one of roles(only)) {
          if (running.has(one)) continue;
          const end = new AbortController();
          running.set(one, end);
          const random = seededRandom(seed * 10_000 + index * 100 + starts++);
          const world: World = {
            clock: clockOf(name),
            random,
            log: log.with({ cluster: name, role: one }),
            metrics: noMetrics,
          };
          const plane =
            one === 'leader' ? leader(name, world, end.signal) : member(name, { settings, world, signal: end.signal });
          void plane.run(end.signal);
        }
      },
      kill(only) {
        for (const one of roles(only)) {
          running.get(one)?.abort(new Error('killed'));
          running.delete(one);
        }
      },
    };
  }

  function clockOf(name: string): Clock {
    const errorMs = options.clockErrorsMs?.[name];
    return errorMs === undefined ? clock : { ...clock, now: () => clock.now() + errorMs };
  }

  function leader(name: string, world: World, signal: AbortSignal): ControlPlane {
    const transport = serverOf(name).transport(serviceAccount(area, 'antrea-mc-controller'));
    const client = clientOf(transport, { controller: `${name}-leader`, server: name }, signal);
    const events = createEventRecorder({ ...world, client, component: 'isthmus-leader', instance: name, signal });
    const { exportLimits, forgottenAfterMs } = options;
    const enableStretchedNetworkPolicy = options.stretched ?? false;
    const config = { ...defaultControllerConfig(), enableStretchedNetworkPolicy, ...options.leaderConfig };
    const limits = { exportLimits, forgottenAfterMs };
    const admission = leaderAdmission({ client, namespace: area, world });
    return createLeader({ client, namespace: area, config, version: '0.1.0', events, world, admission, ...limits });
  }

  function member(
    name: string,
    how: { readonly settings: Partial<MemberSettings>; readonly world: World; readonly signal: AbortSignal },
  ): ControlPlane {
    const { world, signal } = how;
    const transport = serverOf(name).transport(serviceAccount(home, 'antrea-mc-controller'));
    const client = clientOf(transport, { controller: `${name}-member`, server: name }, signal);
    const events = createEventRecorder({ ...world, client, component: 'isthmus-member', instance: name, signal });
    return createMember({
      client,
      namespace: home,
      config: { ...defaultControllerConfig(), ...how.settings },
      version: '0.1.0',
      world,
      admission: memberAdmission({ client, namespace: home, world }),
      events,
      forgottenAfterMs: options.forgottenAfterMs,
      decodeBase64: (text) => Buffer.from(text, 'base64').toString('utf8'),
      connect(spec) {
        const { hostname } = new URL(spec.server);
        const server = options.hosts?.[hostname] ?? hostname.split('.')[0] ?? '';
        const accepted = serverOf(server).transport(serviceAccount(area, spec.token));
        const refused = withFaults(accepted, clock);
        refused.add({ match: () => true, fault: { kind: 'status', code: 401 } });
        const transport: Transport = {
          send: (request, own) => (revoked.has(spec.token) ? refused : accepted).send(request, own),
          close: () => accepted.close(),
        };
        return clientOf(transport, { controller: `${name}-member`, server }, signal);
      },
    });
  }

  function clientOf(transport: Transport, way: Way, signal: AbortSignal): Client {
    return createClient({ transport: untilKilled(links.attach(way, transport), signal), clock, server: way.server });
  }
}

/** A dead process sends nothing, and hears nothing of what it had asked. What it follows ends with the signals of its own work. */
function untilKilled(transport: Transport, signal: AbortSignal): Transport {
  return {
    async send(request, own) {
      signal.throwIfAborted();
      const response = await transport.send(request, own);
      signal.throwIfAborted();
      return response;
    },
    close: () => transport.close(),
  };
}

function isReady(server: Sandbox, home: string): boolean {
  const [clusterSet] = server.admin.list(api.ClusterSet, home);
  return (
    clusterSet?.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ===
    true
  );
}

function createClusterSets(
  options: VirtualFleetOptions & { readonly area: string; readonly home: string },
  leaderName: string,
  serverOf: (name: string) => Sandbox,
): void {
  const { area, home } = options;
  for (const [name, role] of Object.entries(options.clusters)) {
    const { admin } = serverOf(name);
    if (role.startsWith('leader')) {
      admin.put(api.Namespace, { metadata: { name: area } });
      admin.put(api.ClusterSet, {
        metadata: { name: clusterSetName, namespace: area },
        spec: { clusterID: name, leaders: [{ clusterID: name }], namespace: area },
      });
    }
    if (isMember(role)) {
      admin.put(api.Secret, {
        metadata: { name: leaderSecret.name, namespace: home },
        data: { 'ca.crt': base64('a certificate'), token: base64(`member-${name}`) },
      });
      admin.put(api.ClusterSet, {
        metadata: { name: clusterSetName, namespace: home },
        spec: {
          clusterID: name,
          leaders: [{ clusterID: leaderName, server: `https://${leaderName}.test:6443`, secret: leaderSecret.name }],
          namespace: area,
        },
      });
    }
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
