import type { AccountSeen, ClusterSeen } from './decide.ts';

/** A ServiceAccount with the list of those that share its cluster, as it is written. */
export interface ListedAccount extends AccountSeen {
  readonly listed: string | undefined;
}

export interface ListInput {
  readonly accounts: readonly ListedAccount[];
  readonly clusters: readonly Pick<ClusterSeen, 'clusterID' | 'announcer'>[];
}

/** The list to write on an account. */
export interface AccountList {
  readonly account: string;
  readonly text: string;
}

/**
 * The lists that are not written, or not as they should be. Only accounts on the list of a cluster
 * may write what belongs to it (policy `bound-clusters`).
 *
 * A cluster gets no first list while an account without annotation announces it: that member would
 * be cut off. The condition AccountsNotBound names it.
 */
export function missingLists({ accounts, clusters }: ListInput): readonly AccountList[] {
  const names = new Map<string, string[]>();
  for (const { name, boundTo = '' } of accounts)
    if (boundTo !== '') names.set(boundTo, [...(names.get(boundTo) ?? []), name]);
  const announcers = new Map(clusters.map(({ clusterID, announcer }) => [clusterID, announcer?.account]));
  return accounts.flatMap(({ name, boundTo = '', listed }) => {
    const all = names.get(boundTo);
    if (all === undefined) return [];
    const announcer = announcers.get(boundTo);
    if (listed === undefined && announcer !== undefined && !all.includes(announcer)) return [];
    const text = all.toSorted().join();
    return text === listed ? [] : [{ account: name, text }];
  });
}
