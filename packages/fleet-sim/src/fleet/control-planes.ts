import type { ControlPlane } from '@isthmus/controlplane';
import { createLeader, createMember, defaultControllerConfig } from '@isthmus/controlplane';
import { leaderAdmission, memberAdmission } from '@isthmus/install';
import type { Client, Transport, World } from '@isthmus/kube';
import { createClient, createEventRecorder } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { Credentials } from '@isthmus/sandbox';
import { withFaults } from '../faults/with-faults.ts';
import { clusterAdmin, serviceAccount } from './credentials.ts';
import type { LoggedSandbox, MemberSettings } from './fleet.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { serverAt } from './fleet-plan.ts';
import type { Links, Way } from './links.ts';

/** The parts of a fleet that its controllers use. */
export interface FleetParts {
  readonly plan: FleetPlan;
  readonly clock: Clock;
  readonly links: Links;
  readonly serverOf: (name: string) => LoggedSandbox;
  /** The tokens that the leader rejects. */
  readonly revoked: ReadonlySet<string>;
}

/** One process: its cluster, its clock and random numbers, and the signal that kills it. */
export interface Process {
  readonly name: string;
  readonly world: World;
  readonly signal: AbortSignal;
}

/** The controllers of a leader, as a process that has just started. */
export function leaderOf(parts: FleetParts, { name, world, signal }: Process): ControlPlane {
  const { area, options } = parts.plan;
  const transport = parts.serverOf(name).transport(serviceAccount(area, 'antrea-mc-controller'));
  const client = clientOf(parts, transport, { controller: `${name}-leader`, server: name }, signal);
  const events = createEventRecorder({ ...world, client, component: 'isthmus-leader', instance: name, signal });
  const { exportLimits, forgottenAfterMs } = options;
  const enableStretchedNetworkPolicy = options.stretched ?? false;
  const config = { ...defaultControllerConfig(), enableStretchedNetworkPolicy, ...options.leaderConfig };
  const limits = { exportLimits, forgottenAfterMs };
  const admission = leaderAdmission({ client, namespace: area, world });
  return createLeader({ client, namespace: area, config, version: '0.1.0', events, world, admission, ...limits });
}

/** The controllers of a member, as a process that has just started. */
export function memberOf(
  parts: FleetParts,
  { name, world, signal }: Process,
  settings: Partial<MemberSettings>,
): ControlPlane {
  const { home, options } = parts.plan;
  const controller = `${name}-member`;
  const transport = parts.serverOf(name).transport(serviceAccount(home, 'antrea-mc-controller'));
  const client = clientOf(parts, transport, { controller, server: name }, signal);
  const events = createEventRecorder({ ...world, client, component: 'isthmus-member', instance: name, signal });
  return createMember({
    client,
    namespace: home,
    config: { ...defaultControllerConfig(), ...settings },
    version: '0.1.0',
    world,
    admission: memberAdmission({ client, namespace: home, world }),
    events,
    forgottenAfterMs: options.forgottenAfterMs,
    decodeBase64: (text) => Buffer.from(text, 'base64').toString('utf8'),
    connect(spec, token) {
      const server = serverAt(new URL(spec.server).hostname, parts.plan);
      return clientOf(parts, tokenTransport(parts, server, token), { controller, server }, signal);
    },
  });
}

/**
 * Requests with the present token to the leader, which answers 401 once the token is revoked. As
 * over HTTPS, a request with an older token is then sent again.
 */
function tokenTransport(parts: FleetParts, server: string, present: () => string): Transport {
  const transport = { token: '', to: refusing(parts, server) };
  const sendAs = (token: string) => {
    if (parts.revoked.has(token)) return refusing(parts, server);
    if (transport.token !== token) transport.to = parts.serverOf(server).transport(bearerOf(token, parts.plan.area));
    transport.token = token;
    return transport.to;
  };
  return {
    async send(request, signal) {
      const token = present();
      const response = await sendAs(token).send(request, signal);
      if (response.status !== 401 || present() === token) return response;
      await response.body[Symbol.asyncIterator]().return?.();
      return sendAs(present()).send(request, signal);
    },
    close: () => transport.to.close(),
  };
}

function refusing({ clock, serverOf }: FleetParts, server: string): Transport {
  const refused = withFaults(serverOf(server).transport(clusterAdmin), clock);
  refused.add({ match: () => true, fault: { kind: 'status', code: 401 } });
  return refused;
}

/** Tokens of fleets are names of ServiceAccounts, unless the leader has issued them. */
function bearerOf(token: string, area: string): Credentials {
  return token.startsWith('eyJ') ? { kind: 'token', token } : serviceAccount(area, token);
}

function clientOf({ links, clock }: FleetParts, transport: Transport, way: Way, signal: AbortSignal): Client {
  return createClient({ transport: untilKilled(links.attach(way, transport), signal), clock, server: way.server });
}

/**
 * The transport of a process. Once the process is dead, it sends nothing and receives no answer.
 * Its open streams end with the signals of its own work.
 */
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
