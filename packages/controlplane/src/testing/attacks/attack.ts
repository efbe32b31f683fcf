import type { KnownCluster, ServiceSpec } from '@isthmus/api';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';

/** A member whose token is in the wrong hands. Each attack has one for itself. */
export interface Attacker {
  readonly id: string;
  /** What an administrator of the leader granted to it. */
  readonly pods: string;
  /** Its Pod CIDR of IPv6: without one, its endpoints of that family could be anywhere. */
  readonly pods6: string;
  readonly services: string;
  readonly gateway: string;
  /** An address in `pods`. */
  readonly pod: string;
  /** The name of its Service, in Namespace `shop`. */
  readonly service: string;
  /** The name of a Service in Namespace `shop` that the third cluster has exported before. */
  readonly victim: string;
}

/** A request with the token of the attacker, to the API server of the leader. */
export type Write =
  | { readonly verb: 'create'; readonly type: ResourceType; readonly object: KubernetesObject }
  | {
      readonly verb: 'patch';
      readonly type: ResourceType;
      readonly ref: ObjectRef;
      readonly body: object;
      readonly subresource?: 'status' | undefined;
    }
  | { readonly verb: 'delete' | 'deletecollection' | 'list'; readonly type: ResourceType; readonly ref: ObjectRef };

/** Where an attack is named: a condition of an object, or an Event about it. */
export interface Report {
  /**
   * `exporter` and `third`: the controller of the attacker, or of the cluster whose things are
   * claimed, reads it on its ResourceExport at the leader.
   */
  readonly by: 'exporter' | 'third' | 'leader' | 'importer';
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  /** The type of the condition; undefined: an Event. */
  readonly condition?: string | undefined;
  /** The reason; undefined: the condition has none (Antrea's Succeeded). */
  readonly reason?: string | undefined;
  /** What the message names. */
  readonly says: string;
}

/** What an attack consists of, and who names it. */
export interface Course {
  readonly writes: readonly Write[];
  /** Within ten seconds of the last write. */
  readonly reports: readonly Report[];
  /**
   * Why the API server of the leader rejects the last write: the name of a policy, or `RBAC`. The
   * API server names one of several (`one or other`).
   * Undefined: it accepts all.
   */
  readonly denied?: string | undefined;
  /** Why nobody names it: the attack has no effect at all, or is what any member may do. */
  readonly unnamed?: string | undefined;
}

/** An attack by a member with a valid token. What it may not do is the same for all. */
export interface Attack {
  /** What the attacker does, in the present tense. */
  readonly name: string;
  /** The advisories that are about the same fault of another project. */
  readonly advisory?: string | undefined;
  /** What differs from the usual grant at the leader. */
  readonly grant?: Partial<KnownCluster['spec']> | undefined;
  /** Quotas that the administrators of the other members have set. */
  readonly quotas?: NonNullable<KnownCluster['spec']['quotas']> | undefined;
  /** The third cluster has exported {@link Attacker.victim} with this. */
  readonly victim?: ServiceSpec | undefined;
  /** The importer has a Service of its own with the name of the import. */
  readonly isNameTaken?: boolean | undefined;
  readonly course: (attacker: Attacker) => Course;
}

/** Attacks on the same thing. */
export interface Family {
  readonly name: string;
  /**
   * Whether they are rejected by what the manifests install on the API server of the leader. The
   * API servers of virtual fleets have none of it, and evaluate no admission policy.
   */
  readonly needsManifests?: boolean | undefined;
  readonly attacks: readonly Attack[];
}

/** The attacker of the attack with that number. */
export function attackerOf(number: number): Attacker {
  const id = `m${String(number).padStart(3, '0')}`;
  return {
    id,
    pods: `10.200.${number}.0/24`,
    pods6: `fd66:0:0:${number}::/64`,
    services: `10.201.${number}.0/24`,
    gateway: `203.0.113.${number}`,
    pod: `10.200.${number}.7`,
    service: `of-${id}`,
    victim: `victim-of-${id}`,
  };
}
