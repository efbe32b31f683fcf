import { createLeader, createMember, unusedSettings } from '@isthmus/controlplane';
import { leaderAdmission, memberAdmission, roles as definitions } from '@isthmus/install';
import type { ControlPlane, ControllerConfig, RejectedConfig, RoleName } from '@isthmus/controlplane';
import type { RoleDefinition } from '@isthmus/install';
import type { Client, World } from '@isthmus/kube';
import { createEventRecorder } from '@isthmus/kube';
import { isthmusVersion } from '../version/version.ts';
import type { Network } from '../world/io.ts';
import { leaderClient } from './leader-client.ts';

/** The parts of a control plane, once the API server can be reached. */
export interface RoleOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly config: ControllerConfig;
  /** The configuration file that the process does not use, if there is one. */
  readonly rejectedConfig?: RejectedConfig | undefined;
  /** Names this process. */
  readonly identity: string;
  readonly userAgent: string;
  readonly network: Network;
  readonly world: World;
  /** Ends what the control plane leaves running beside its own `run`. */
  readonly signal: AbortSignal;
}

/** A role as the command runs it: its definition, and how its control plane is made. */
export interface Role extends RoleDefinition<RoleName> {
  createControlPlane(options: RoleOptions): ControlPlane;
}

export const roles: Readonly<Record<RoleName, Role>> = {
  leader: {
    ...definitions.leader,
    createControlPlane: ({ client, namespace, config, rejectedConfig, identity, world, signal }) =>
      createLeader({
        client,
        namespace,
        config,
        unusedSettings: unusedSettings(config),
        rejectedConfig,
        version: isthmusVersion,
        events: createEventRecorder({ ...world, client, component: 'isthmus-leader', instance: identity, signal }),
        world,
        admission: leaderAdmission({ client, namespace, world }),
      }),
  },
  member: {
    ...definitions.member,
    createControlPlane: ({ client, namespace, config, rejectedConfig, identity, userAgent, network, world, signal }) =>
      createMember({
        client,
        namespace,
        config,
        unusedSettings: unusedSettings(config),
        rejectedConfig,
        version: isthmusVersion,
        connect: (spec, token) => leaderClient(spec, { token, network, userAgent, world }),
        decodeBase64: (text) => Buffer.from(text, 'base64').toString('utf8'),
        events: createEventRecorder({ ...world, client, component: 'isthmus-member', instance: identity, signal }),
        world,
        admission: memberAdmission({ client, namespace, world }),
      }),
  },
};
