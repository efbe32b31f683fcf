import {
  Annotation,
  ClusterSet,
  MemberClusterAnnounce,
  ServiceAccount,
  clusterIDErrors,
  leaderClusterSetStatus,
} from '@isthmus/api';
import type { Client, Reconciler, World } from '@isthmus/kube';
import { again, blocked, defineReconciler, done, from, isRejected, onChange } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';
import { announcedByPolicy, announcedCluster, announcerOf } from '@isthmus/wire';
import type { CommonArea } from '../../common-area/common-area.ts';
import type { ControllerAccess } from '../../controller-access.ts';
import { createNotes } from '../../reporting/tally.ts';
import { createSuspensionReports, forgetForgiven, suspendMembers } from '../suspension/suspend-members.ts';
import type { ListInput } from './cluster-accounts.ts';
import { annotateAccount } from '../annotate-account.ts';
import { missingLists } from './cluster-accounts.ts';
import type { Binding, BindingInput } from './decide.ts';
import { decideBindings } from './decide.ts';
import type { ProvenRecords } from './proven-records.ts';
import { createProvenRecords } from './proven-records.ts';
import { createSettling } from './settled-announcers.ts';

/**
 * The access that this controller needs. The manifests of an earlier release do not grant it. Then
 * it waits, and accounts stay unchanged.
 */
export const memberAccountsAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ServiceAccount, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'], optional: true },
  { at: 'local', type: MemberClusterAnnounce, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** A limit on looks: each member sends a heartbeat every ten seconds. */
const coalesceMs = 1_000;
/** How often to check again if the API server checks records, or accepts a binding. */
const lookAgainMs = 30_000;
/** How often to try again to suspend a member, for as long as it writes too much. */
const suspendAgainMs = 5_000;

export interface MemberAccountsOptions {
  readonly area: CommonArea;
  readonly client: Client;
  readonly world: Pick<World, 'clock'>;
}

/**
 * Binds ServiceAccounts of members without a cluster to the cluster that uses them
 * (docs/adr/0018-account-bindings.md), and suspends those that write too much. One key: the
 * ClusterSet.
 */
export function memberAccountsController(options: MemberAccountsOptions): Reconciler {
  const { area, world } = options;
  const { clock } = world;
  const served = () => {
    const clusterSet = area.served();
    return clusterSet === undefined ? [] : [keyOfObject(clusterSet)];
  };
  const proven = createProvenRecords();
  const areRecordsChecked = createRecordCheck(options, proven);
  const settling = createSettling(clock);
  const report = createNotes(area.unbound);
  const reportSuspensions = createSuspensionReports(area);
  forgetForgiven(area);
  const rejections = createRejections(clock);
  return defineReconciler({
    name: 'member-accounts',
    concurrency: 1,
    coalesceMs,
    sources: [
      from(area.clusterSets.cache, (clusterSet) => [keyOfObject(clusterSet)]),
      from(area.announces.cache, served),
      from(area.accounts.cache, served),
      onChange(area.suspensions.writes.onOver, served),
    ],
    access: memberAccountsAccess,
    async reconcile(key, { signal, log }) {
      const clusterSet = area.served();
      if (clusterSet === undefined || keyOfObject(clusterSet) !== key) return done;
      const suspensions = await suspendMembers({ area, clusterSet, clock, log, signal });
      reportSuspensions(suspensions);
      const input = inputOf(area, proven, clusterSet);
      const { bind, unproven, problems } = decideBindings(input);
      const [byName, announced] = [bind.filter(isNamed), bind.filter((one) => !isNamed(one))];
      const settled = settling.settled(announced);
      const isChecked = await areRecordsChecked({ settled, unproven }, signal);
      const failed = new Map(problems);
      rejections.begin();
      for (const { account, text } of missingLists(input)) {
        const write = () => annotateNamed(area, account, { [Annotation.clusterAccounts]: text }, signal);
        const why = await rejections.unless(`list of ${account}`, write);
        if (why !== undefined && !failed.has(account)) failed.set(account, notListed(area.namespace, account, why));
      }
      for (const binding of [...byName, ...(isChecked ? settled : [])]) {
        const why = await rejections.unless(binding.account, () => bindAccount(area, binding, signal));
        if (why !== undefined) {
          failed.set(binding.account, why);
          continue;
        }
        const message = messageOf(binding);
        log.info('bound an account to a cluster', { account: binding.account, clusterID: binding.clusterID });
        area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'AccountBound', message });
      }
      report(failed);
      // The ClusterSet reports them.
      if (failed.size > 0)
        return blocked('AccountNotBound', [...failed.values()].join(' '), rejections.isEmpty() ? {} : { lookAgainMs });
      if (suspensions.failed.size > 0) return again(suspendAgainMs, 'a member that writes too much is not suspended');
      return isChecked ? done : again(lookAgainMs, 'the API server does not check who announces a cluster');
    },
  });
}

function inputOf(area: CommonArea, proven: ProvenRecords, clusterSet: ClusterSet): BindingInput & ListInput {
  return {
    accounts: area.accounts.cache.list().map(({ metadata: { name, annotations } }) => ({
      name,
      boundTo: annotations?.[Annotation.clusterID],
      listed: annotations?.[Annotation.clusterAccounts],
    })),
    clusters: area.announces.cache.list().flatMap((announce) => {
      const clusterID = announcedCluster(announce);
      if (clusterID === undefined) return [];
      return [{ clusterID, announcer: announcerOf(announce), isProven: proven.isProven(announce) }];
    }),
    named: (clusterSet.spec?.members ?? []).flatMap(({ clusterID = '', serviceAccount = '' }) =>
      serviceAccount === '' || clusterIDErrors(clusterID).length > 0 ? [] : [{ account: serviceAccount, clusterID }],
    ),
  };
}

/** What the API server rejects, so that heartbeats do not repeat it. */
interface Rejections {
  /** A round begins: what is not tried in it is forgotten. */
  begin(): void;
  /** Why the write is rejected, now or a moment ago; undefined: it is written. */
  unless(key: string, write: () => Promise<string | undefined>): Promise<string | undefined>;
  isEmpty(): boolean;
}

function createRejections(clock: Pick<Clock, 'monotonic'>): Rejections {
  type Known = Map<string, { readonly why: string; readonly askAgainAtMs: number }>;
  let before: Known = new Map();
  let now: Known = new Map();
  return {
    begin: () => void ([before, now] = [now, new Map()]),
    isEmpty: () => now.size === 0,
    async unless(key, write) {
      const recent = before.get(key);
      const isRecent = recent !== undefined && clock.monotonic() < recent.askAgainAtMs;
      const why = isRecent ? recent.why : await write();
      if (why === undefined) return undefined;
      const askAgainAtMs = isRecent ? recent.askAgainAtMs : clock.monotonic() + lookAgainMs;
      now.set(key, { why, askAgainAtMs });
      return why;
    },
  };
}

/** Whether the API server checks the records by which these accounts are bound now or later. */
type RecordCheck = (
  bindings: Readonly<Record<'settled' | 'unproven', readonly Binding[]>>,
  signal: AbortSignal,
) => Promise<boolean>;

/** The API server is asked before each binding, but not at each heartbeat. */
function createRecordCheck(
  { area, client, world: { clock } }: MemberAccountsOptions,
  proven: ProvenRecords,
): RecordCheck {
  let askAgainAtMs = 0;
  return async ({ settled, unproven }, signal) => {
    const [next] = proven.isChecked ? settled : unproven;
    const announces = area.announces.cache.list();
    const announce = announces.find((one) => next !== undefined && announcedCluster(one) === next.clusterID);
    if (announce === undefined) return true;
    if (clock.monotonic() < askAgainAtMs) return false;
    if (await rejectsForgedRecord(client, announce, signal)) {
      proven.checked(announces);
      return true;
    }
    proven.unchecked();
    askAgainAtMs = clock.monotonic() + lookAgainMs;
    return false;
  };
}

/**
 * Tries to write another user's name, without a lasting change. The policy rejects that for this
 * controller as well.
 */
async function rejectsForgedRecord(
  client: Client,
  { metadata }: MemberClusterAnnounce,
  signal: AbortSignal,
): Promise<boolean> {
  const body = { metadata: { annotations: { [Annotation.announcedBy]: 'nobody' } } };
  try {
    await client.patch(MemberClusterAnnounce, metadata, { type: 'merge', body }, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!isRejected(error)) throw error;
    return error.message.includes(announcedByPolicy);
  }
}

/** Why the API server rejects the binding. Undefined: the account is bound. */
async function bindAccount(
  area: CommonArea,
  { account, clusterID }: Binding,
  signal: AbortSignal,
): Promise<string | undefined> {
  const why = await annotateNamed(area, account, { [Annotation.clusterID]: clusterID }, signal);
  return (
    why &&
    `ServiceAccount ${account} is not bound to cluster ${clusterID}, which uses it: ${why}. Correct the cause, or annotate the account yourself.`
  );
}

/** As {@link annotateAccount}, of the account of that name, if it is still there. */
async function annotateNamed(
  area: CommonArea,
  name: string,
  added: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = area.accounts.cache.get({ namespace: area.namespace, name });
  return found === undefined ? undefined : annotateAccount(area, found, added, signal);
}

/** Other accounts could write as its cluster. */
function notListed(namespace: string, account: string, why: string): string {
  return `Accounts without annotation can write what belongs to the cluster of ServiceAccount ${account}: the API server rejects its list, ${why}. Apply the manifest of this release again: kubectl apply -f deploy/leader.yaml. To see the account: kubectl -n ${namespace} get serviceaccount ${account} -o yaml`;
}

function isNamed({ by }: Binding): boolean {
  return by === 'name';
}

function messageOf({ account, clusterID, by }: Binding): string {
  const why = by === 'name' ? 'spec.members names it for this cluster' : 'this cluster was the first that it announced';
  return `Bound ServiceAccount ${account} to cluster ${clusterID}: ${why}. It can no longer write objects of other clusters.`;
}
