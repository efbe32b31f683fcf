import { FixedName } from '@isthmus/api';

/** What the help of the command shows of a role: apart from the rest of it, which takes longer to load than the help to print. */
export interface RoleFacts<Name extends string = string> {
  readonly name: Name;
  readonly defaultNamespace: string;
  /** The Lease by which one of several replicas leads, in the process's Namespace. One for each role, so that no two roles wait for each other. */
  readonly leaseName: string;
  readonly manifests: {
    /** Brings its CustomResourceDefinitions. */
    readonly definitions: string;
    /** Brings everything: also what it may do. */
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
