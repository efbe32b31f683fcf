import type { EndpointIPType, LeaderConfig } from '@isthmus/wire';
import { createLeader, createMember, defaultControllerConfig } from '@isthmus/controlplane';
import { leaderAdmission, memberAdmission } from '@isthmus/install';
import type { Client, World } from '@isthmus/kube';
import { changingToken, createClient, createEventRecorder, httpsTransport } from '@isthmus/kube';

/** How to reach an API server as a certain user. */
export interface Access {
  readonly url: string;
  readonly caData: string;
  readonly token: string;
  /** The present token, if it is renewed. */
  readonly present?: (() => string) | undefined;
}

export interface ControllerSpec {
  readonly role: 'leader' | 'member';
  /** The controller's own Namespace. */
  readonly namespace: string;
  readonly cluster: string;
  readonly access: Access;
  readonly endpointIPType: EndpointIPType;
  /** Whether label identities are exchanged. Default false. */
  readonly stretched?: boolean | undefined;
  /** The Pod networks in the configuration of a member. Default none. */
  readonly podCIDRs?: readonly string[] | undefined;
  /** The interval at which it checks its admission policies. Default: that of production. */
  readonly admissionCheckMs?: number | undefined;
  /** What one member may write. Default: that of production. */
  readonly memberWrites?: LeaderConfig['memberWrites'] | undefined;
  readonly world: World;
  /** How it reaches its own API server, and the leader's. Default: {@link tokenClient}. */
  readonly connect?: ((access: Access, world: World) => Client) | undefined;
}

/**
 * A client over HTTPS with a bearer token. Controllers reach a real API server with it, never as
 * administrators.
 */
export function tokenClient(
  { url, caData, token, present = () => token }: Access,
  { clock }: Pick<World, 'clock'>,
): Client {
  const transport = httpsTransport({
    server: url,
    caPem: caData,
    credentials: changingToken(present),
    userAgent: 'isthmus',
  });
  return createClient({ transport, clock, server: url });
}

/** Runs a controller in this process until `signal` aborts. */
export async function runController(spec: ControllerSpec, signal: AbortSignal): Promise<void> {
  const { role, namespace, cluster, access, world, connect = tokenClient } = spec;
  const { endpointIPType, stretched = false, podCIDRs = [], admissionCheckMs, memberWrites } = spec;
  const client = connect(access, world);
  const version = '0.1.0';
  try {
    const recorder = { ...world, client, component: `isthmus-${role}`, instance: cluster, signal };
    const events = createEventRecorder(recorder);
    if (role === 'leader') {
      const defaults = defaultControllerConfig();
      const limits = { memberWrites: memberWrites ?? defaults.memberWrites };
      const config = { ...defaults, ...limits, enableStretchedNetworkPolicy: stretched };
      const admission = leaderAdmission({ client, namespace, world, everyMs: admissionCheckMs });
      await createLeader({ client, namespace, config, version, events, world, admission }).run(signal);
      return;
    }
    const member = createMember({
      client,
      namespace,
      config: { ...defaultControllerConfig(), endpointIPType, podCIDRs, enableStretchedNetworkPolicy: stretched },
      version,
      world,
      events,
      admission: memberAdmission({ client, namespace, world, everyMs: admissionCheckMs }),
      decodeBase64: (text) => Buffer.from(text, 'base64').toString('utf8'),
      connect: ({ server, caPem, token }, present) => connect({ url: server, caData: caPem, token, present }, world),
    });
    await member.run(signal);
  } finally {
    client.close();
  }
}
