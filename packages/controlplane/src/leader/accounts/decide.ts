import { Annotation } from '@isthmus/api';
import { shown } from '@isthmus/wire';
import type { Announcer } from '@isthmus/wire';

/** A ServiceAccount of the leader's Namespace. */
export interface AccountSeen {
  readonly name: string;
  /** The cluster in its annotation, which may be empty. */
  readonly boundTo: string | undefined;
}

/** A cluster that is announced. */
export interface ClusterSeen {
  readonly clusterID: string;
  /** Undefined: not known. */
  readonly announcer: Announcer | undefined;
  /** Whether the announcer was recorded while the API server checked it. */
  readonly isProven: boolean;
}

/** An entry of `spec.members` of a ClusterSet in v1alpha1. */
export interface NamedAccount {
  readonly account: string;
  readonly clusterID: string;
}

export interface BindingInput {
  readonly accounts: readonly AccountSeen[];
  readonly clusters: readonly ClusterSeen[];
  readonly named: readonly NamedAccount[];
}

export interface Binding {
  readonly account: string;
  readonly clusterID: string;
  readonly by: 'name' | 'announcement';
}

export interface BindingDecision {
  /**
   * The bindings to write. An account that the ClusterSet names is bound now; an account that was
   * announced is bound when it has settled.
   */
  readonly bind: readonly Binding[];
  /** The bindings to write as soon as their records are proven. */
  readonly unproven: readonly Binding[];
  /** Why used accounts are not bound, by their names. */
  readonly problems: ReadonlyMap<string, string>;
}

/** A limit, because a message that names all clusters would change with each cluster that joins. */
const mostNamed = 5;

/**
 * Decides which ServiceAccounts without annotation are bound to a cluster
 * (docs/adr/0018-account-bindings.md). An account is bound to the cluster that the ClusterSet names
 * for it, or to the first cluster that it announces.
 *
 * An account of several clusters is bound to none of them. While the announcing account of any
 * cluster is unknown, no account is bound by an announcement. That cluster might use the same
 * account, and would be rejected from then on.
 */
export function decideBindings({ accounts, clusters, named }: BindingInput): BindingDecision {
  const allKnown = clusters.every(({ announcer }) => announcer !== undefined);
  const bind: Binding[] = [];
  const unproven: Binding[] = [];
  const problems = new Map<string, string>();
  for (const { name: account, boundTo } of accounts.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const ofAccount = named.filter((one) => one.account === account);
    const namedFor = distinct(ofAccount);
    if (boundTo !== undefined) {
      const other = namedFor.find((clusterID) => clusterID !== boundTo);
      if (other !== undefined) problems.set(account, namedOtherwise(account, boundTo, other));
      continue;
    }
    const announcedBy = clusters.filter(({ announcer }) => announcer?.account === account);
    const all = distinct([...announcedBy, ...ofAccount]);
    const [clusterID, second] = all;
    if (clusterID === undefined) continue;
    if (second !== undefined) {
      problems.set(account, shared(account, all));
      continue;
    }
    if (namedFor.length > 0) {
      bind.push({ account, clusterID, by: 'name' });
      continue;
    }
    const holder = accounts.find((one) => one.boundTo === clusterID);
    if (holder !== undefined) {
      problems.set(account, taken(account, clusterID, holder.name));
      continue;
    }
    if (!allKnown) continue;
    const list = announcedBy.every(({ isProven }) => isProven) ? bind : unproven;
    list.push({ account, clusterID, by: 'announcement' });
  }
  return { bind, unproven, problems };
}

function distinct(all: readonly { readonly clusterID: string }[]): readonly string[] {
  return [...new Set(all.map(({ clusterID }) => clusterID))].toSorted();
}

function shared(account: string, clusterIDs: readonly string[]): string {
  const more = clusterIDs.length > mostNamed ? ' and others' : '';
  return `ServiceAccount ${account} is used by the clusters ${clusterIDs.slice(0, mostNamed).join(', ')}${more}, so it is not bound to any of them. Give each cluster the token of its own ServiceAccount, with the annotation ${Annotation.clusterID}.`;
}

/** Its member has, or had, another account; or this account has lost its annotation. */
function taken(account: string, clusterID: string, holder: string): string {
  return `ServiceAccount ${account} has no annotation ${Annotation.clusterID} and announces cluster ${clusterID}, to which ServiceAccount ${holder} is bound: it can write the objects of every cluster that its token names. If it belongs to ${clusterID}, set the annotation to ${clusterID}; otherwise set it to the cluster that has its token, or delete the account.`;
}

function namedOtherwise(account: string, boundTo: string, named: string): string {
  return `ServiceAccount ${account} has the annotation ${Annotation.clusterID} ${shown(boundTo)}, but spec.members of the ClusterSet names it for ${named}. The annotation applies. Correct one of the two.`;
}
