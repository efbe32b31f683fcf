import type { ResourceDefinition } from '@isthmus/schema';
import type { AdmissionRule } from '../admission/admission-rule.ts';
import type { Access } from '@isthmus/kube';
import type { RoleFacts } from '@isthmus/controlplane';

/**
 * A process of Isthmus as data: what it reads and writes, where, with which credential, and what it serves. RBAC, manifests and the reference page follow from it. It
 * has as many credentials as API servers that it speaks to, and serves any ports; nothing assumes two.
 */
export interface ProcessDefinition {
  readonly name: string;
  /** What it does, in a sentence for the reference page. */
  readonly docs: string;
  /** The cluster of the process. */
  readonly own: OwnCredential;
  /** What it does at other API servers. */
  readonly remote: readonly RemoteCredential[];
  readonly ports: readonly ServedPort[];
  readonly installedAs: InstalledNames;
}

/** A control plane: a process of which one replica acts, with the Namespace and the kinds that it serves. The wiring of the command follows from it as well. */
export interface RoleDefinition<Name extends string = string> extends ProcessDefinition, RoleFacts<Name> {
  readonly name: Name;
  /** What the API server of its cluster refuses in the Namespace of the process, whether the process runs or not. */
  readonly admission: readonly AdmissionRule[];
  /** The CustomResourceDefinitions that its cluster must have. */
  readonly definitions: readonly ResourceDefinition[];
}

/** Names and labels of what is installed for a process. They never change: an upgrade in place finds its objects by them. */
export interface InstalledNames {
  readonly serviceAccount: string;
  /** Of its Role and its ClusterRole. */
  readonly role: string;
  /** Of their bindings. */
  readonly binding: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The ServiceAccount of the process. */
export interface OwnCredential {
  readonly access: readonly Access[];
  /**
   * `own`: only in the process's Namespace; a role that is installed beside others of the same names must keep to it. `cluster`: a ClusterRole
   * as well.
   */
  readonly reach: 'own' | 'cluster';
}

/** A token that another cluster issued, and the Role there that an administrator binds its ServiceAccount to. */
export interface RemoteCredential {
  /** The API server, as {@link Access.at} names it. */
  readonly at: string;
  /** The role of the process that runs there: its manifests bring the Role. */
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
