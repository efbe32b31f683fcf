import type { ResourceDefinition } from '@isthmus/schema';
import type { AdmissionRule } from '../admission/admission-rule.ts';
import type { Access } from '@isthmus/kube';
import type { RoleFacts } from '@isthmus/controlplane';

/**
 * A process of Isthmus as data: its access with each credential, and its ports. RBAC, manifests and
 * the reference page follow from it. It has one credential for each API server that it connects to,
 * and any number of ports; no code assumes two.
 */
export interface ProcessDefinition {
  readonly name: string;
  /** Its purpose, in a sentence for the reference page. */
  readonly docs: string;
  /** Its access to its own cluster. */
  readonly own: OwnCredential;
  /** Its access to other API servers. */
  readonly remote: readonly RemoteCredential[];
  readonly ports: readonly ServedPort[];
  readonly installedAs: InstalledNames;
}

/**
 * A control plane: a process of which one replica acts, with its Namespace and the kinds that it
 * serves. The wiring of the command follows from it as well.
 */
export interface RoleDefinition<Name extends string = string> extends ProcessDefinition, RoleFacts<Name> {
  readonly name: Name;
  /**
   * The rules by which the API server of its cluster restricts the Namespace of the process,
   * whether the process runs or not.
   */
  readonly admission: readonly AdmissionRule[];
  /** The CustomResourceDefinitions that its cluster must have. */
  readonly definitions: readonly ResourceDefinition[];
}

/**
 * Names and labels of the objects that are installed for a process. They never change: an upgrade
 * in place finds its objects by them.
 */
export interface InstalledNames {
  readonly serviceAccount: string;
  /** The name of its Role and its ClusterRole. */
  readonly role: string;
  /** The name of their bindings. */
  readonly binding: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The ServiceAccount of the process. */
export interface OwnCredential {
  readonly access: readonly Access[];
  /**
   * `own`: only in the process's Namespace; required for a role that is installed beside others of
   * the same names. `cluster`: a ClusterRole as well.
   */
  readonly reach: 'own' | 'cluster';
}

/**
 * A token that another cluster issued, and the Role there to which an administrator binds its
 * ServiceAccount.
 */
export interface RemoteCredential {
  /** The API server, as {@link Access.at} names it. */
  readonly at: string;
  /** The role of the process that runs there: its manifests contain the Role. */
  readonly grantedBy: string;
  readonly roleName: string;
  readonly access: readonly Access[];
}

export interface ServedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
}

export function defineRole<const Name extends string>(role: RoleDefinition<Name>): RoleDefinition<Name> {
  return role;
}
