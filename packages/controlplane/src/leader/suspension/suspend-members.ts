import type { ClusterSet, ServiceAccount } from '@isthmus/api';
import { Annotation, leaderClusterSetStatus } from '@isthmus/api';
import type { Log } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { rfc3339 } from '@isthmus/machinery';
import { announcedCluster, announcerOf } from '@isthmus/wire';
import type { CommonArea } from '../../common-area/common-area.ts';
import { createNotes } from '../../reporting/tally.ts';
import { annotateAccount } from '../annotate-account.ts';
import type { Suspension } from './decide.ts';
import { decideSuspensions, suspendedText } from './decide.ts';

export interface SuspendOptions {
  readonly area: CommonArea;
  readonly clusterSet: ClusterSet;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What the ClusterSet reports of suspensions, by account or cluster. */
export interface SuspensionReports {
  readonly suspended: ReadonlyMap<string, string>;
  /** Why members that are above their quota are not suspended. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Returns a function that reports suspensions on the ClusterSet, in place of those before. */
export function createSuspensionReports(area: CommonArea): (reports: SuspensionReports) => void {
  const [suspended, failed] = [area.suspensions.suspended, area.suspensions.failed].map(createNotes);
  return (reports) => {
    suspended?.(reports.suspended);
    failed?.(reports.failed);
  };
}

/** What a member wrote before its suspension is forgotten when a person ends it. */
export function forgetForgiven(area: CommonArea): void {
  area.accounts.cache.subscribe(({ before, after }) => {
    const { [Annotation.suspended]: was, [Annotation.clusterID]: clusterID } = before?.metadata.annotations ?? {};
    const isSuspended = after?.metadata.annotations?.[Annotation.suspended] !== undefined;
    if (was !== undefined && !isSuspended && clusterID !== undefined) area.suspensions.writes.forget(clusterID);
  });
}

/** Suspends the accounts of members that are above their quota. */
export async function suspendMembers({
  area,
  clusterSet,
  clock,
  log,
  signal,
}: SuspendOptions): Promise<SuspensionReports> {
  const accounts = area.accounts.cache.list();
  const decision = decideSuspensions({
    namespace: area.namespace,
    over: area.suspensions.writes.over(),
    accounts: accounts.map(({ metadata: { name, annotations } }) => ({
      name,
      boundTo: annotations?.[Annotation.clusterID],
      suspended: annotations?.[Annotation.suspended],
    })),
    announcers: announcersIn(area),
    now: rfc3339(clock.now()),
  });
  const suspended = new Map(decision.suspended);
  const failed = new Map(decision.unknown);
  for (const suspension of decision.suspend) {
    const { account } = suspension;
    const found = accounts.find(({ metadata }) => metadata.name === account);
    if (found === undefined) continue;
    const why = await annotate(area, found, suspension, signal);
    if (why !== undefined) {
      failed.set(account, why);
      continue;
    }
    const message = suspendedText(area.namespace, suspension, found.metadata.annotations?.[Annotation.clusterID]);
    suspended.set(account, message);
    log.warn('suspended the account of a member', { account, why: suspension.text });
    area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'MemberSuspended', message });
  }
  return { suspended, failed };
}

function announcersIn(area: CommonArea): ReadonlyMap<string, string> {
  return new Map(
    area.announces.cache.list().flatMap((announce) => {
      const [clusterID, account] = [announcedCluster(announce), announcerOf(announce)?.account];
      return clusterID === undefined || account === undefined ? [] : [[clusterID, account] as const];
    }),
  );
}

/** Why the API server rejects the annotation. Undefined: the account is suspended. */
async function annotate(
  area: CommonArea,
  found: ServiceAccount,
  { account, text }: Suspension,
  signal: AbortSignal,
): Promise<string | undefined> {
  const why = await annotateAccount(area, found, { [Annotation.suspended]: text }, signal);
  return (
    why &&
    `ServiceAccount ${account} should be suspended (${text}), and the API server rejects that: ${why}. Suspend it yourself: kubectl -n ${area.namespace} annotate serviceaccount ${account} ${Annotation.suspended}=true`
  );
}
