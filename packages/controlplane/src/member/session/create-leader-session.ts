import type { MemberClusterAnnounce as MemberClusterAnnounceObject } from '@isthmus/api';
import { MemberClusterAnnounce, ResourceExport, ResourceImport, memberAnnounceName } from '@isthmus/api';
import { createTally } from '../../reporting/tally.ts';
import type { Tally } from '../../reporting/tally.ts';
import { followAreaLoss } from '../../loss/area-loss.ts';
import { lastingUnserved, onLastingState } from '../../loss/lasting-unserved.ts';
import type { CacheLimits, Client, World } from '@isthmus/kube';
import { resourceOf } from '@isthmus/kube';
import { equal, keyOfObject, resourceNameOf, rfc3339 } from '@isthmus/machinery';
import type { AnnouncedSettings } from '@isthmus/wire';
import { disconnectedAfterMs, isMeantFor } from '@isthmus/wire';
import type { Exchange } from '../../define-exchange.ts';
import { createCollectedImportProblems } from '../../own-cluster/collected-import-problems.ts';
import type { ExportLosses } from '../../own-cluster/missing/export-losses.ts';
import { createExportLosses } from '../../own-cluster/missing/export-losses.ts';
import { kindsProblem, leaderProblem, mayBeReplaced, settingsVerdict } from './leader-answers.ts';
import type { LeaderSession } from '../../own-cluster/leader-session.ts';
import { isUsable } from '../../own-cluster/leader-session.ts';
import type { SessionState } from '../../own-cluster/session-state.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { Heartbeat } from './heartbeat.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createTokenCheck } from './token-check.ts';
import type { SessionCaches } from './session-caches.ts';
import { createSessionCaches } from './session-caches.ts';
import type { SessionMemory } from './session-memory.ts';
import { lastAreaLossMs, newSession, overdueAtMs, reportedAnswers, sawAnnounce } from './session-memory.ts';

export interface SessionOptions {
  readonly client: Client;
  readonly spec: SessionSpec;
  /** The token that the client uses now. */
  readonly token: () => string;
  readonly version: string;
  /** The exchanges of the session. */
  readonly exchanges: readonly Exchange[];
  /** The uid of Namespace kube-system of this cluster; empty if it is unknown. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly settings: () => AnnouncedSettings;
  readonly world: World;
  /**
   * The limits of a leader on one cluster. Default: those of our leaders. Tests use smaller
   * exports.
   */
  readonly exportLimits?: CacheLimits<ResourceExport> | undefined;
}

/** Follows the Common Area while a session runs. */
interface Following {
  readonly options: SessionOptions;
  readonly caches: SessionCaches;
  readonly losses: ExportLosses;
  readonly heartbeat: Heartbeat;
  /** Kinds of imports that this member does not import. */
  readonly unserved: Tally;
  readonly listeners: ReadonlySet<() => void>;
  memory: SessionMemory;
}

/** A session over `client`, which it doesn't close. Nothing is sent before it is run. */
export function createLeaderSession(options: SessionOptions): LeaderSession {
  const { client, spec, world } = options;
  const { clock } = world;
  const caches = createSessionCaches(options);
  const { exports, imports, announces } = caches;
  const losses = createExportLosses(exports, clock, () => heartbeat.beatNow());
  const importProblems = createCollectedImportProblems(clock, () => heartbeat.beatNow());
  const read = { [resourceNameOf(ResourceExport)]: exports, [resourceNameOf(ResourceImport)]: imports };
  const areaLoss = followAreaLoss({ ...read, [resourceNameOf(MemberClusterAnnounce)]: announces }, world);
  const heartbeat = createHeartbeat({
    ...options,
    announce: resourceOf(MemberClusterAnnounce, announces, client),
    answers: () => at.memory.leaderAnswers,
    mayBeReplaced: () => mayBeReplaced(at.memory.answers, clock.monotonic()),
    isRestoring: () => losses.isPending || exports.state.kind !== 'watching',
    importProblems: (found) => importProblems.textAfter(found),
    onTouched: (found) => announces.wrote(found),
    onRecovered: () => Object.values(caches).forEach((cache) => cache.renew()),
    onAnnounced: () => {
      at.memory = { ...at.memory, announcedMs: clock.monotonic() };
    },
  });
  const unserved = createTally();
  const token = createTokenCheck({ client, spec, world });
  const listeners = new Set<() => void>();
  const at: Following = { options, caches, losses, heartbeat, unserved, listeners, memory: newSession };
  const session: LeaderSession = {
    spec,
    client,
    exports: resourceOf(ResourceExport, exports, client),
    losses,
    importProblems,
    get unservedKinds() {
      return unserved.facts();
    },
    get tokenBinding() {
      return token.verdict;
    },
    get settings() {
      return settingsVerdict(at.memory.answers);
    },
    get otherMembers() {
      return at.memory.others;
    },
    get isHeard() {
      return at.memory.isHeard;
    },
    get answers() {
      return at.memory.leaderAnswers;
    },
    get acceptsDottedNames() {
      return at.memory.acceptsDotted;
    },
    get areaLostMs() {
      return lastAreaLossMs(at.memory, areaLoss.lastMs);
    },
    imports: resourceOf(ResourceImport, imports, client),
    get announced() {
      const found = announces.get({ namespace: spec.leaderNamespace, name: memberAnnounceName(spec.clusterID) });
      const isRefused = heartbeat.state.kind === 'disconnected' && heartbeat.state.reason === 'Refused';
      return isOurs(heartbeat, found) && !isRefused;
    },
    get state() {
      return stateOf(at, lastingUnserved(read, world));
    },
    get answeredMs() {
      return at.memory.answeredMs;
    },
    get silence() {
      const { state, answered } = heartbeat;
      if (state.kind !== 'disconnected' || silentMs(at) < disconnectedAfterMs) return undefined;
      return { since: rfc3339(answered.wallMs), reason: state.reason };
    },
    onState(listener) {
      listeners.add(listener);
      const unsubscribe = [
        heartbeat.onState(listener),
        unserved.onChange(listener),
        token.onChange(listener),
        () => listeners.delete(listener),
        onAnnounce(at, listener),
        onLastingState([exports, imports], world, listener),
      ];
      return () => unsubscribe.forEach((stop) => stop());
    },
    async run(signal) {
      const stops = follow(at, session, () => areaLoss.stop());
      const runs = [exports, imports, announces].map((cache) => cache.run(signal));
      try {
        await Promise.all([...runs, heartbeat.run(signal), token.run(signal)]);
      } finally {
        stops.forEach((stop) => stop());
      }
    },
  };
  return session;
}

/** `unserved`: kinds that the API server of the leader does not serve. */
function stateOf({ heartbeat: { state }, memory, options }: Following, unserved: readonly string[]): SessionState {
  const { spec, world } = options;
  if (state.kind !== 'connected') return state;
  // Answers to heartbeats contain facts that only the leader's controller knows. Served kinds
  // are visible to this cluster itself.
  const problem =
    leaderProblem(memory.answers, spec, world.clock.monotonic()) ?? kindsProblem(unserved, memory.leaderAnswers, spec);
  if (problem !== undefined) return { kind: 'connected', problem };
  return memory.isHeard ? state : { kind: 'connected', isUnheard: true };
}

/**
 * Calls `listener` when the announcement is created or deleted, or its owner changes. Heartbeats
 * change it, too. Returns the unsubscriber.
 */
function onAnnounce({ caches, heartbeat }: Following, listener: () => void): () => void {
  return caches.announces.subscribe(({ before, after }) => {
    const isNew = isThere(before) !== isThere(after) || isOurs(heartbeat, before) !== isOurs(heartbeat, after);
    if (isNew) listener();
  });
}

/** Begins to follow the Common Area, in this order. Returns functions that end it. */
function follow(at: Following, session: LeaderSession, stopAreaLoss: () => void): readonly (() => void)[] {
  const { caches, heartbeat, losses } = at;
  const answered = () => {
    at.memory = { ...at.memory, answeredMs: at.options.world.clock.monotonic() };
  };
  return [
    losses.follow(),
    followKinds(at),
    followAnswers(at),
    stopAreaLoss,
    followSilence(at),
    // A leader considers a cluster without an announcement as gone. If a user deletes it, it is
    // fully deleted once this cluster sends a heartbeat again.
    caches.announces.subscribe(({ before, after }) => {
      if (before !== undefined && before.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp)
        heartbeat.beatNow();
      if (before !== undefined && after === undefined) heartbeat.beatNow();
      if (before === undefined && after !== undefined) losses.hurry();
    }),
    caches.exports.subscribe(({ before, after }) => {
      if (after?.status !== undefined && !equal(before?.status, after.status)) answered();
    }),
    caches.imports.subscribe(({ after, byList }) => {
      if (after !== undefined && byList !== true) answered();
    }),
    session.onState(() => {
      if (isUsable(session)) answered();
    }),
  ];
}

/** Counts the imports of kinds that no exchange imports. */
function followKinds({ options: { exchanges, spec }, caches, unserved }: Following): () => void {
  const exchanged = new Set(exchanges.flatMap(({ member }) => member.importKinds));
  return caches.imports.subscribe(({ before, after }) => {
    const object = after ?? before;
    const kind = after?.spec?.kind ?? '';
    const isImported = after === undefined || exchanged.has(kind) || !isMeantFor(after, spec.clusterID);
    if (object !== undefined) unserved.note(keyOfObject(object), isImported ? undefined : kind);
  });
}

/** Reports the content of the leader's answers, and when an answer is overdue. */
function followAnswers(at: Following): () => void {
  const {
    options: {
      spec,
      world: { clock },
    },
    caches,
    listeners,
  } = at;
  let reported: string | undefined;
  let stopWaiting = (): void => {};
  const check = () => {
    const found = reportedAnswers(at.memory, spec, clock.monotonic());
    if (found === reported) return;
    reported = found;
    for (const listener of listeners) listener();
  };
  const stop = caches.announces.subscribe(({ after }) => {
    at.memory = sawAnnounce(at.memory, after, clock.monotonic());
    stopWaiting();
    const overdueMs = overdueAtMs(at.memory);
    if (overdueMs !== undefined) stopWaiting = clock.after(Math.max(0, overdueMs - clock.monotonic()), check);
    check();
  });
  return () => {
    stop();
    stopWaiting();
  };
}

/** Reports when a disconnected leader has been silent so long that it counts as lost. */
function followSilence(at: Following): () => void {
  const { heartbeat, listeners, options } = at;
  let stopListening = (): void => {};
  const stop = heartbeat.onState(() => {
    stopListening();
    if (heartbeat.state.kind !== 'disconnected') return;
    const leftMs = disconnectedAfterMs - silentMs(at);
    if (leftMs > 0)
      stopListening = options.world.clock.after(leftMs, () => listeners.forEach((listener) => listener()));
  });
  return () => {
    stop();
    stopListening();
  };
}

function silentMs({ options, heartbeat }: Following): number {
  return options.world.clock.monotonic() - heartbeat.answered.monotonicMs;
}

function isThere(object: MemberClusterAnnounceObject | undefined): object is MemberClusterAnnounceObject {
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}

function isOurs(heartbeat: Heartbeat, object: MemberClusterAnnounceObject | undefined): boolean {
  return isThere(object) && heartbeat.owns(object);
}
