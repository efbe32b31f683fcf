import { FixedName } from '@isthmus/api';
import { LeaseName, createLeader, createMember, leaderAccess, memberAccess } from '@isthmus/clusterset';
import type { ControlPlane, ControllerConfig } from '@isthmus/clusterset';
import type { Access, Client, World } from '@isthmus/kube';
import { createEventRecorder } from '@isthmus/kube';
import { isthmusVersion } from '../version/version.ts';
import type { Network } from '../io.ts';
import { leaderClient } from './leader-client.ts';

export type RoleName = 'leader' | 'member';

/** What a control plane is made of, once there is a way to the API server. */
export interface RoleOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly config: ControllerConfig;
  /** Names this process. */
  readonly identity: string;
  readonly userAgent: string;
  readonly network: Network;
  readonly world: World;
  /** Ends what the control plane leaves running beside its own `run`. */
  readonly signal: AbortSignal;
}

/** What differs between the two controllers. */
export interface Role {
  readonly name: RoleName;
  readonly defaultNamespace: string;
  readonly leaseName: string;
  readonly access: readonly Access[];
  /** The manifest that brings its CustomResourceDefinitions. */
  readonly resourcesManifest: string;
  /** The manifest that brings everything: also what it may do. */
  readonly manifest: string;
  createControlPlane(options: RoleOptions): ControlPlane;
}

export const roles: Readonly<Record<RoleName, Role>> = {
  leader: {
    name: 'leader',
    defaultNamespace: FixedName.leaderNamespace,
    leaseName: LeaseName.leader,
    access: leaderAccess,
    resourcesManifest: 'deploy/leader-crds.yaml',
    manifest: 'deploy/leader.yaml',
    createControlPlane: ({ client, namespace, identity, world, signal }) =>
      createLeader({
        client,
        namespace,
        version: isthmusVersion,
        events: createEventRecorder({ ...world, client, component: 'isthmus-leader', instance: identity, signal }),
        world,
      }),
  },
  member: {
    name: 'member',
    defaultNamespace: FixedName.memberNamespace,
    leaseName: LeaseName.member,
    access: memberAccess,
    resourcesManifest: 'deploy/member-crds.yaml',
    manifest: 'deploy/member.yaml',
    createControlPlane: ({ client, namespace, config, identity, userAgent, network, world, signal }) =>
      createMember({
        client,
        namespace,
        config,
        version: isthmusVersion,
        connect: (spec) => leaderClient(spec, { network, userAgent, world }),
        decodeBase64: (text) => Buffer.from(text, 'base64').toString('utf8'),
        events: createEventRecorder({ ...world, client, component: 'isthmus-member', instance: identity, signal }),
        world,
      }),
  },
};
