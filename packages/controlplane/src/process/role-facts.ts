import { FixedName } from '@isthmus/api';

/**
 * The facts about a role that the help of the command shows. They are separate from the rest of the
 * role, which takes longer to load than the help takes to print.
 */
export interface RoleFacts<Name extends string = string> {
  readonly name: Name;
  readonly defaultNamespace: string;
  /**
   * The Lease for leader election among several replicas, in the process's Namespace. Each role has
   * its own, so that no two roles wait for each other.
   */
  readonly leaseName: string;
  readonly manifests: {
    /** The manifest with its CRDs. */
    readonly definitions: string;
    /** The manifest with everything, including its RBAC. */
    readonly all: string;
  };
}

export const roleFacts = {
  leader: {
    name: 'leader',
    defaultNamespace: FixedName.leaderNamespace,
    leaseName: 'isthmus-leader',
    manifests: { definitions: 'deploy/leader-crds.yaml', all: 'deploy/leader.yaml' },
  },
  member: {
    name: 'member',
    defaultNamespace: FixedName.memberNamespace,
    leaseName: 'isthmus-member',
    manifests: { definitions: 'deploy/member-crds.yaml', all: 'deploy/member.yaml' },
  },
} as const satisfies Readonly<Record<string, RoleFacts>>;

/** The name of a control plane. */
export type RoleName = keyof typeof roleFacts;
