import type { EndpointSlice, ResourceExport, Service, ServiceExport, Verdict } from '@isthmus/api';
import {
  Annotation,
  AntreaMessage,
  Finalizer,
  importedServiceName,
  joinedName,
  mirrored,
  resourceExportName,
  serviceExportStatus,
} from '@isthmus/api';
import { conflictCure } from './conflict-cure.ts';
import type { Outcome } from '@isthmus/kube';
import { again, blocked, done } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { dns1035LabelErrors, keyOfObject } from '@isthmus/machinery';
import type { Condition, Verdicts } from '@isthmus/wire';
import {
  conditionOf,
  isConditionReason,
  mergeProblemsOf,
  noConflicts,
  readExportedMetadata,
  setVerdicts,
} from '@isthmus/wire';
import type { ExportSettings, ExportedEndpoints } from './exported-endpoints.ts';
import { exportedEndpoints } from './exported-endpoints.ts';
import { isOfEachCluster } from '../local/never-imported.ts';
import { ownSlices } from './serving-slices.ts';
import { untilServed } from './until-served.ts';
import { restartOfController } from '../../../loss/held-condition.ts';
import { patienceCheckMs } from './patience.ts';
import type { PresentRemote, Remote } from './remote.ts';
import type { DesiredExports } from './resource-exports.ts';
import { desiredExports } from './resource-exports.ts';

export interface ServiceExportInput extends ExportSettings {
  readonly serviceExport: ServiceExport | undefined;
  readonly service: Service | undefined;
  /** The slices of the Service, by `kubernetes.io/service-name`. */
  readonly slices: readonly EndpointSlice[];
  readonly remote: Remote;
  /** The current time, RFC 3339: the lastTransitionTime of conditions that change. */
  readonly now: string;
  /** The leader had enough time to answer: report `Pending` now and stop waiting. */
  readonly patienceOver: boolean;
  /** The result of writing the exports that were decided before. */
  readonly answer: LeaderAnswer;
}

/** How the leader's API server answered the writes of what was decided. */
export type LeaderAnswer =
  /** Nothing is written yet, or everything was written. */
  | { readonly kind: 'none' }
  /** An object with this name exists that no watch of this member shows. */
  | { readonly kind: 'conflicting'; readonly with: ResourceExport }
  /**
   * The leader lost the export together with most exports of this cluster. It is created again
   * after this many milliseconds.
   */
  | { readonly kind: 'lost'; readonly forMs: number }
  | { readonly kind: 'failed'; readonly message: string }
  /** The API server rejects the export because of an admission policy, a quota or a role. */
  | { readonly kind: 'rejected'; readonly message: string };

export interface ServiceExportDecision {
  /** The exports that this cluster wants in the Common Area. Undefined: leave them unchanged. */
  readonly exports: DesiredExports | undefined;
  /**
   * The conditions of the ServiceExport. Undefined: write nothing, because there is no
   * ServiceExport or the leader's answer is awaited.
   */
  readonly conditions: readonly Condition[] | undefined;
  /** The leader's answer is awaited; the next look needs the time since when. */
  readonly waiting: boolean;
  /**
   * If a write failed, the failure comes first. Blocked, with the reason of the condition that
   * reports it.
   */
  readonly outcome: Outcome<string>;
}

/**
 * How often to retry an export whose name another cluster has. No watch of this member shows when
 * the name becomes free.
 */
const conflictCheckMs = 60_000;

type Says = typeof serviceExportStatus;

/**
 * Decides if and how one Service is exported, and the conditions of its ServiceExport
 * (docs/spec/mcs-api.md §2, docs/spec/merge.md §4).
 *
 * `Valid` describes the Service alone. `Ready` describes the connection to the leader and the
 * leader's answer. `Conflict` copies what the leader found among all exporters. A Service without
 * ready endpoints stays exported, without addresses.
 */
export function decideServiceExport(input: ServiceExportInput): ServiceExportDecision {
  const { answer, remote } = input;
  switch (answer.kind) {
    case 'none':
      return decideExport(input);
    case 'conflicting': {
      const known = remote.kind === 'present' ? { ...remote, service: answer.with } : remote;
      // The other export has just been created. When the cache shows it, this one gets the names
      // with a dot.
      const isOwn = known.kind === 'present' && answer.with.spec?.clusterID === known.clusterID;
      if (isOwn && known.acceptsDottedNames === true)
        return { ...nothing, waiting: true, outcome: again(patienceCheckMs, 'another Service has taken the name') };
      const decision = decideExport({ ...input, remote: known });
      const { outcome } = decision;
      // No watch fires when the obstacle disappears.
      const lookAgain: Outcome<string> =
        outcome.kind === 'blocked'
          ? { ...outcome, lookAgainMs: conflictCheckMs }
          : again(conflictCheckMs, `${answer.with.metadata.name} belongs to another cluster`);
      return { ...decision, outcome: lookAgain };
    }
    case 'lost': {
      const decision = decideExport(input);
      return {
        ...decision,
        outcome: again(answer.forMs, 'the leader lost the export; an administrator may be cleaning up'),
      };
    }
    case 'rejected': {
      const { serviceExport } = input;
      const decision = decideExport(input);
      if (serviceExport === undefined || remote.kind === 'absent' || decision.exports?.service === undefined)
        return decision;
      const message = `The API server of leader ${remote.leaderClusterID} rejects a write of the export: ${answer.message}. Correct the admission policy, the quota or the role there; the write is tried again.`;
      const verdicts = { Valid: validity(input.service, serviceExport), Ready: failedWith(message) };
      return { ...decision, conditions: conditionsOf(input, serviceExport, verdicts), waiting: false };
    }
    case 'failed': {
      const isKnown = input.patienceOver || remote.silence !== undefined;
      if (!isKnown || remote.kind === 'absent') return { ...nothing, waiting: true };
      // The problem includes the next step. The answer is most likely a consequence of the problem.
      const message = `Waiting for ${remote.leader}: ${remote.problem ?? answer.message}`;
      const { silence } = remote;
      const failed = decideExport({ ...input, remote: { kind: 'absent', message, connecting: false, silence } });
      return { ...failed, waiting: true };
    }
  }
}

const nothing: ServiceExportDecision = { exports: undefined, conditions: undefined, waiting: false, outcome: done };

function decideExport(input: ServiceExportInput): ServiceExportDecision {
  const { serviceExport, remote } = input;
  if (serviceExport === undefined || serviceExport.metadata.deletionTimestamp !== undefined) {
    const exports = remote.kind === 'present' ? {} : undefined;
    const finalizers = serviceExport?.metadata.finalizers ?? [];
    if (serviceExport === undefined || exports === undefined || finalizers.length === 0) return { ...nothing, exports };
    // The condition stays, but it must not go on to report its former state.
    const ready = notExported(
      `the ServiceExport is being deleted, and stays until its finalizers are removed: ${finalizers.join(', ')}. Find out which controller has set them, and why it does not remove them.`,
    );
    const verdicts = { Valid: validity(input.service, serviceExport), Ready: ready };
    const conditions = conditionsOf(input, serviceExport, verdicts);
    return { exports, conditions, waiting: false, outcome: outcomeOf(ready, false) };
  }
  const valid = validity(input.service, serviceExport);
  if (valid.status !== 'True' || input.service === undefined) {
    const ready = notExported(valid.message);
    const exports = remote.kind === 'present' ? {} : undefined;
    const conditions = conditionsOf(input, serviceExport, { Valid: valid, Ready: ready });
    return { exports, conditions, waiting: false, outcome: blocked(valid.reason, valid.message) };
  }
  const silent = throughSilence(serviceExport, remote);
  if (remote.kind === 'absent') {
    const ready: Verdict<Says, 'Ready'> = silent ?? { status: 'False', reason: 'Pending', message: remote.message };
    // Otherwise each restart would write every ServiceExport twice.
    const isPatient = remote.connecting && !input.patienceOver;
    const waiting = silent === undefined && (isPatient || (remote.mayAnswer === true && wasAccepted(serviceExport)));
    return {
      exports: undefined,
      conditions: waiting ? undefined : conditionsOf(input, serviceExport, { Valid: valid, Ready: ready }),
      waiting,
      outcome: outcomeOf(ready, waiting),
    };
  }
  const obstacle = exportability(input.service, remote);
  if (obstacle !== undefined) {
    const exports = obstacle.withdraw ? {} : undefined;
    return {
      exports,
      conditions: conditionsOf(input, serviceExport, { Valid: valid, Ready: obstacle.ready }),
      waiting: false,
      outcome: outcomeOf(obstacle.ready, false),
    };
  }
  const exportedPorts = remote.service?.spec?.service?.serviceSpec?.ports ?? [];
  const own = ownSlices(input.slices, remote.clusterID);
  const { service, slices, notes } = untilServed({ service: input.service, slices: own.slices }, exportedPorts);
  const endpoints = exportedEndpoints(service, slices, input);
  const problems = mergeProblemsOf(remote.clusterID);
  const exported = readExportedMetadata(serviceExport.spec ?? {}, problems);
  const exports = desiredExports({ service, exported, endpoints, remote });
  const leftOut = problems.list().map(({ message }) => message);
  const ready =
    silent ??
    readiness(
      remote,
      { endpoints, leftOut, notes: [...notes, ...own.notes, ...endpoints.notes, ...nodeLocalNotes(service)] },
      keyOfObject(input.service),
    );
  const pending = ready.reason === 'Pending';
  const waiting = pending && !input.patienceOver;
  const { overdueInMs } = pending ? remote : {};
  const Conflict = conflictOf(remote, input.service);
  const ImportFailed = importFailedOf(remote.service);
  const verdicts = { Valid: valid, Ready: ready, ImportFailed, ...(Conflict === undefined ? {} : { Conflict }) };
  return {
    exports,
    conditions: waiting ? undefined : conditionsOf(input, serviceExport, verdicts),
    waiting: waiting || overdueInMs !== undefined,
    outcome:
      !waiting && overdueInMs !== undefined && overdueInMs > 0
        ? again(overdueInMs, 'the leader has not merged the export')
        : outcomeOf(ready, waiting),
  };
}

/**
 * The conditions of an export that the leader had accepted, if the leader has not answered for long
 * or cannot be asked. It is not known if the leader still has the export. The time of the last
 * answer stays as an earlier look reported it, so that a look does not cause a write.
 */
function throughSilence(
  serviceExport: ServiceExport,
  { silence }: Remote,
): (Verdict<Says, 'Ready'> & { readonly reason: 'Disconnected' }) | undefined {
  if (silence === undefined || !wasAccepted(serviceExport)) return undefined;
  const before = conditionOf(serviceExport.status?.conditions, 'Ready');
  const isKept = before?.reason === 'Disconnected' && [before.message, silence].every(namesSince);
  const message = isKept ? before.message : silence;
  return { status: 'Unknown', reason: 'Disconnected', message };
}

/** Whether the message about a silent leader contains a time, see `silenceOf`. */
function namesSince(text = ''): boolean {
  return text.includes(' a heartbeat of this cluster since ');
}

/** Whether the leader had the export when it last answered, by the conditions reported then. */
function wasAccepted({ status }: ServiceExport): boolean {
  const { reason } = conditionOf(status?.conditions, 'Ready') ?? {};
  return reason === 'Exported' || reason === 'Disconnected';
}

function failedWith(message: string): Verdict<Says, 'Ready'> {
  return { status: 'False', reason: 'Failed', message };
}

/** `Failed` stays until a user fixes it. Every other outcome wakes the key by itself. */
function outcomeOf({ reason, message }: Verdict<Says, 'Ready'>, waiting: boolean): Outcome<string> {
  if (waiting) return again(patienceCheckMs, 'the leader has not answered yet');
  return reason === 'Failed' ? blocked(reason, message) : done;
}

function validity(service: Service | undefined, { metadata }: ServiceExport): Verdict<Says, 'Valid'> {
  const ref = keyOfObject({ metadata });
  if (isOfEachCluster(metadata)) {
    const message = `Every cluster has its own Service ${ref}, so it is never exported. Delete this ServiceExport.`;
    return { status: 'False', reason: 'NotExportable', message };
  }
  if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
    const message = `${AntreaMessage.noService}. Create Service ${ref}, or delete this ServiceExport.`;
    return { status: 'False', reason: 'NoService', message };
  }
  if (service.spec?.type === 'ExternalName') {
    const message = `${AntreaMessage.externalName}. Give Service ${ref} another type, or delete this ServiceExport.`;
    return { status: 'False', reason: 'InvalidServiceType', message };
  }
  if (service.metadata.annotations?.[Annotation.importedService] !== undefined) {
    const message = `Service ${ref} was imported from the ClusterSet; it can only be exported by the clusters that own it. Delete this ServiceExport; if the Service is this cluster's own, remove its annotation ${Annotation.importedService} instead.`;
    return { status: 'False', reason: 'ImportedService', message };
  }
  return { status: 'True', reason: 'Valid', message: 'The Service can be exported' };
}

interface Obstacle {
  readonly ready: Verdict<Says, 'Ready'>;
  /** An export under our name that may exist on the leader is ours and no longer wanted. */
  readonly withdraw: boolean;
}

function exportability(service: Service, remote: PresentRemote): Obstacle | undefined {
  const { name } = service.metadata;
  const tooLong = dns1035LabelErrors(importedServiceName(name));
  if (tooLong.length > 0) {
    const message = `The name of the imported Service would be ${importedServiceName(name)}, which is not a valid Service name: ${tooLong.join('; ')}. Choose a Service name of at most 53 characters.`;
    return { ready: failedWith(message), withdraw: true };
  }
  const clusterIP = service.spec?.clusterIP ?? '';
  if (clusterIP === '') {
    const message = 'The Service has no ClusterIP yet';
    return { ready: { status: 'False', reason: 'Pending', message }, withdraw: true };
  }
  for (const found of [remote.service, remote.endpoints]) {
    if (found === undefined || !isConflictingExport(found, service.metadata, remote.clusterID)) continue;
    const theirCluster = found.spec?.clusterID ?? '';
    const ofCluster = theirCluster === remote.clusterID ? '' : ` of cluster ${theirCluster}`;
    const theirs = `${found.spec?.namespace ?? ''}/${found.spec?.name ?? ''}${ofCluster}`;
    const message = `ResourceExport ${found.metadata.name} on leader ${remote.leaderClusterID} already belongs to ${theirs}: both have the same name there. Use another name for one of the two Services or Namespaces.`;
    // The Service export decides who has the name. With our endpoints we would keep the name from
    // the other cluster, while it keeps the Service export from us.
    const isHalf = found === remote.service && remote.endpoints !== undefined;
    const isDottedInVain = remote.hasOther === true && remote.acceptsDottedNames === false;
    if (theirCluster === remote.clusterID && remote.acceptsDottedNames === undefined) {
      const waits = `Waiting for leader ${remote.leaderClusterID}: it has not shown yet which names it accepts`;
      return { ready: { status: 'False', reason: 'Pending', message: waits }, withdraw: false };
    }
    return { ready: failedWith(message), withdraw: isHalf || isDottedInVain };
  }
  return undefined;
}

/**
 * Whether the export correctly belongs to another Service: the names and cluster IDs of both
 * concatenate to the same name (docs/spec/wire.md §5). False if the name of the export does not
 * follow from its spec.
 */
export function isConflictingExport(
  { metadata, spec }: ResourceExport,
  service: ObjectRef,
  clusterID: string,
): boolean {
  const { kind, namespace = '', name = '' } = spec ?? {};
  if (kind !== 'Service' && kind !== 'Endpoints') return false;
  const theirs = spec?.clusterID ?? '';
  const joined = joinedName(metadata.name, `${theirs}-${namespace}`);
  if (joined !== resourceExportName(theirs, namespace, name, kind)) return false;
  return spec?.clusterID !== clusterID || namespace !== service.namespace || name !== service.name;
}

interface Exported {
  readonly endpoints: ExportedEndpoints;
  /** What the ServiceExport requests and is not exported, and why. */
  readonly leftOut: readonly string[];
  /** What is exported in another way than the Service defines, and why. */
  readonly notes: readonly string[];
}

/** Other clusters import the policy, by which each Node uses endpoints on itself only. */
function nodeLocalNotes({ spec }: Service): readonly string[] {
  if (spec?.internalTrafficPolicy !== 'Local' || spec.clusterIP === 'None') return [];
  return [
    'Its internalTrafficPolicy is Local, so calls in other clusters fail, except on Nodes with Pods of it that their cluster exports. For calls between clusters, set internalTrafficPolicy: Cluster',
  ];
}

function readiness(
  remote: PresentRemote,
  { endpoints, leftOut, notes }: Exported,
  ref: string,
): Verdict<Says, 'Ready'> {
  const leader = remote.leaderClusterID;
  const { service, problem } = remote;
  const why = problem === undefined ? '' : `: ${problem}`;
  const kept = [service, remote.endpoints].find((object) => foreignFinalizers(object).length > 0);
  if (kept !== undefined) {
    const message = `Waiting for leader ${leader} to delete ResourceExport ${kept.metadata.name} of Namespace ${remote.leaderNamespace}, which finalizers keep: ${foreignFinalizers(kept).join(', ')}. Find out there which controller has set them, and why it does not remove them.`;
    return { status: 'False', reason: 'Pending', message };
  }
  if (service === undefined || service.metadata.deletionTimestamp !== undefined || remote.endpoints === undefined) {
    return { status: 'False', reason: 'Pending', message: `Waiting for leader ${leader} to accept the export${why}` };
  }
  const [condition] = service.status?.conditions ?? [];
  if (condition === undefined && !remote.publishedAlone) {
    const message = `Waiting for leader ${leader} to merge the export${why}${remote.overdueInMs === 0 ? `. ${howToUnstick(remote)}` : ''}`;
    return { status: 'False', reason: 'Pending', message };
  }
  if (condition !== undefined && condition.status !== 'True') {
    const answer = condition.message ?? condition.reason ?? 'no reason given';
    return failedWith(`Leader ${leader} rejected the export: ${answer}`);
  }
  const none = endpoints.ready === 0;
  const unserved = endpoints.isMismatched
    ? `but none of its endpoints serves a port of Service ${ref}.`
    : `but none of its endpoints is ready. Check the Pods and EndpointSlices of Service ${ref}.`;
  const exported = none ? `${AntreaMessage.exported}, ${unserved}` : AntreaMessage.exported;
  const { message = '' } = condition ?? {};
  const noted = [
    ...notes,
    ...(leftOut.length === 0 ? [] : [`Parts of spec are not exported: ${leftOut.join('; ')}`]),
    ...(message === '' ? [] : [`Leader ${leader}: ${message}`]),
  ].join('. ');
  const more = noted === '' ? '' : `${none ? '' : '.'} ${noted}`;
  return { status: 'True', reason: 'Exported', message: `${exported}${more}` };
}

/**
 * If its API server goes back in time, an Antrea controller keeps its open watches and learns
 * nothing more.
 */
function howToUnstick({ leaderNamespace }: PresentRemote): string {
  return `It has not done so for a minute. Its controller may be stopped, or may not have noticed that its API server was restored from a backup. Restart it there: ${restartOfController(leaderNamespace)}`;
}

/** The finalizers of an export that is being deleted, without those that a leader removes. */
function foreignFinalizers(object: ResourceExport | undefined): readonly string[] {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  const ofLeaders: readonly string[] = [Finalizer.resourceExport, Finalizer.legacyResourceExport];
  return deletionTimestamp === undefined ? [] : finalizers.filter((finalizer) => !ofLeaders.includes(finalizer));
}

function conflictOf(
  { service: exported, publishedAlone }: PresentRemote,
  service: Service,
): Verdict<Says, 'Conflict'> | undefined {
  const conditions = exported?.status?.conditions ?? [];
  const unsaid = publishedAlone && conditions.length === 0;
  const found = unsaid ? noConflicts : conditionOf(conditions, 'Conflict');
  if (found === undefined) return undefined;
  const { status, reason = '', message = '' } = found;
  const isTrue = status === 'True';
  const own = isTrue ? 'Conflict' : 'NoConflicts';
  const told = isTrue ? [message, conflictCure(reason, service)].filter((part) => part !== '').join('. ') : message;
  return {
    status: isTrue ? 'True' : 'False',
    reason: mirrored(isConditionReason(reason) ? reason : own),
    message: told,
  };
}

/** The import failures that other clusters report, as the leader passes them on. */
function importFailedOf(exported: ResourceExport | undefined): Verdict<Says, 'ImportFailed'> | 'absent' {
  const found = conditionOf(exported?.status?.conditions, 'ImportFailed');
  if (found?.status !== 'True') return 'absent';
  const { reason = '', message = '' } = found;
  return { status: 'True', reason: mirrored(isConditionReason(reason) ? reason : 'NotImported'), message };
}

function notExported(why: string): Verdict<Says, 'Ready'> {
  return { status: 'False', reason: 'Failed', message: `Not exported: ${why}` };
}

function conditionsOf(
  input: ServiceExportInput,
  serviceExport: ServiceExport,
  verdicts: Verdicts<Says>,
): readonly Condition[] {
  const before = serviceExport.status?.conditions ?? [];
  const { Ready: ready } = verdicts;
  const isSilent = typeof ready === 'object' && ready.reason === 'Disconnected';
  // A condition that the leader no longer reports is over: the leader is another one, or the export
  // is not made. A silent leader reports nothing about it.
  const all: Verdicts<Says> = isSilent ? verdicts : { Conflict: 'absent', ImportFailed: 'absent', ...verdicts };
  const observedGeneration = serviceExport.metadata.generation;
  return setVerdicts(serviceExportStatus, before, all, { now: input.now, observedGeneration });
}
