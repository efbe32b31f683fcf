import { Annotation } from '@isthmus/api';
import { shown } from '@isthmus/wire';
import type { OverQuota } from './member-writes.ts';

/** A ServiceAccount of the leader's Namespace. */
export interface SuspendableAccount {
  readonly name: string;
  /** The cluster in its annotation. */
  readonly boundTo: string | undefined;
  /** Since when, and why, it is suspended. */
  readonly suspended: string | undefined;
}

export interface SuspensionInput {
  readonly namespace: string;
  readonly over: readonly OverQuota[];
  readonly accounts: readonly SuspendableAccount[];
  /** Cluster ID → the account that announces it, if that is known. */
  readonly announcers: ReadonlyMap<string, string>;
  /** RFC 3339. */
  readonly now: string;
}

export interface Suspension {
  readonly account: string;
  /** The value of the annotation. */
  readonly text: string;
}

export interface SuspensionDecision {
  readonly suspend: readonly Suspension[];
  /** What is suspended already, by account. */
  readonly suspended: ReadonlyMap<string, string>;
  /** Clusters that are above their quota and have no account that could be suspended. */
  readonly unknown: ReadonlyMap<string, string>;
}

/**
 * Which accounts to suspend: those that are bound to the cluster; if none is, the one that
 * announces it. The admission policy then also rejects what other accounts write of the cluster.
 */
export function decideSuspensions(input: SuspensionInput): SuspensionDecision {
  const { namespace, accounts, announcers, now } = input;
  const suspend = new Map<string, Suspension>();
  const unknown = new Map<string, string>();
  for (const { clusterID, excess } of input.over) {
    const bound = accounts.filter(({ boundTo }) => clusterID !== '' && boundTo === clusterID);
    const announcer = announcers.get(clusterID);
    const found = bound.length > 0 ? bound : accounts.filter(({ name }) => name === announcer);
    if (found.length === 0) unknown.set(clusterID, withoutAccount(namespace, clusterID, excess));
    for (const { name, suspended } of found)
      if (suspended === undefined) suspend.set(name, { account: name, text: `${now} ${excess}` });
  }
  return {
    suspend: [...suspend.values()],
    unknown,
    suspended: new Map(
      accounts.flatMap(({ name, boundTo, suspended }) =>
        suspended === undefined ? [] : [[name, suspendedText(namespace, { account: name, text: suspended }, boundTo)]],
      ),
    ),
  };
}

/** How the condition and the Event report a suspended account. */
export function suspendedText(namespace: string, { account, text }: Suspension, clusterID: string | undefined): string {
  const whose = clusterID === undefined ? '' : ` of cluster ${shown(clusterID)}`;
  return `ServiceAccount ${account}${whose} is suspended and can write nothing: ${JSON.stringify(text.slice(0, longest))}. When you have found the cause, let it write again: kubectl -n ${namespace} annotate serviceaccount ${account} ${Annotation.suspended}-`;
}

/** What the leader writes is shorter; a person may write anything. */
const longest = 250;

function withoutAccount(namespace: string, clusterID: string, excess: string): string {
  const what = clusterID === '' ? 'a member without a valid cluster ID' : `cluster ${clusterID}`;
  return `The objects of ${what} are written too often: ${excess}. No ServiceAccount is known to belong to it. To list the accounts of members: kubectl -n ${namespace} get rolebindings -o wide. Delete the account whose token is misused.`;
}
