import { Label, MemberClusterAnnounce, ResourceExport, ResourceImport, memberAnnounceName } from '@isthmus/api';
import { createTally } from '../../reporting/tally.ts';
import { followAreaLoss } from '../../loss/area-loss.ts';
import { lastingUnserved, onLastingState } from '../../loss/lasting-unserved.ts';
import type { CacheLimits, Client, World } from '@isthmus/kube';
import { createCache, resourceOf } from '@isthmus/kube';
import { equal, keyOfObject, resourceNameOf, rfc3339 } from '@isthmus/machinery';
import type { AnnouncedSettings } from '@isthmus/wire';
import { disconnectedAfterMs, isMeantFor } from '@isthmus/wire';
import type { Exchange } from '../../define-exchange.ts';
import { createNotedImportProblems } from '../../own-cluster/noted-import-problems.ts';
import { createExportLosses } from '../../own-cluster/missing/export-losses.ts';
import type { LeaderAnswers } from './leader-answers.ts';
import {
  answersHeartbeats,
  kindsProblem,
  leaderProblem,
  lookForAnswer,
  mayBeReplaced,
  settingsVerdict,
} from './leader-answers.ts';
import { ownExportLimits } from '../../own-cluster/own-export-limits.ts';
import type { LeaderSession } from '../../own-cluster/leader-session.ts';
import { isUsable } from '../../own-cluster/leader-session.ts';
import type { SessionState } from '../../own-cluster/session-state.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createTokenCheck } from './token-check.ts';
import { indexesOf } from '../../exchange-indexes.ts';

export interface SessionOptions {
  readonly client: Client;
  readonly spec: SessionSpec;
  readonly version: string;
  /** What is exported and imported over the session. */
  readonly exchanges: readonly Exchange[];
  /** The uid of Namespace kube-system of this cluster; empty where it can't be known. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly settings: () => AnnouncedSettings;
  readonly world: World;
  /** What a leader accepts from one cluster. Default: as much as ours do; tests have smaller exports. */
  readonly exportLimits?: CacheLimits<ResourceExport> | undefined;
}

function isThere(object: MemberClusterAnnounce | undefined): object is MemberClusterAnnounce {
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}

/** A session over `client`, which it doesn't close. Nothing is sent before it is run. */
export function createLeaderSession({
  client,
  spec,
  version,
  exchanges,
  clusterUID,
  settings,
  world,
  exportLimits,
}: SessionOptions): LeaderSession {
  const { clusterID, leaderNamespace: namespace } = spec;
  const exports = createCache<ResourceExport>({
    ...world,
    client,
    type: ResourceExport,
    namespace,
    labelSelector: `${Label.sourceClusterID}=${clusterID}`,
    name: 'leader-resourceexports',
    indexes: indexesOf(exchanges, ({ member }) => member.exportKeys),
    limits: ownExportLimits(clusterID, exportLimits),
  });
  const imports = createCache<ResourceImport>({
    ...world,
    client,
    type: ResourceImport,
    namespace,
    name: 'leader-resourceimports',
    // An import that is for other clusters has no key here: nothing finds it.
    indexes: {
      ...indexesOf(
        exchanges,
        ({ member }) =>
          (object: ResourceImport) =>
            isMeantFor(object, clusterID) ? member.importKeys(object) : [],
      ),
      ...Object.fromEntries(exchanges.flatMap(({ member }) => Object.entries(member.importIndexes ?? {}))),
    },
  });
  const announces = createCache<MemberClusterAnnounce>({
    ...world,
    client,
    type: MemberClusterAnnounce,
    namespace,
    fieldSelector: `metadata.name=${memberAnnounceName(clusterID)}`,
    name: 'leader-memberclusterannounces',
  });
  const announce = resourceOf(MemberClusterAnnounce, announces, client);
  const caches = [exports, imports, announces];
  const read = { [resourceNameOf(ResourceExport)]: exports, [resourceNameOf(ResourceImport)]: imports };
  const losses = createExportLosses(exports, world.clock, () => heartbeat.beatNow());
  const importProblems = createNotedImportProblems(world.clock, () => heartbeat.beatNow());
  let answers: LeaderAnswers | undefined;
  // It stays known while the announcement is missing, because the Common Area was lost.
  let leaderAnswers: boolean | undefined;
  let announcedMs: number | undefined;
  const areaKinds = { ...read, [resourceNameOf(MemberClusterAnnounce)]: announces };
  const areaLoss = followAreaLoss(areaKinds, world);
  const heartbeat = createHeartbeat({
    client,
    announce,
    spec,
    version,
    clusterUID,
    settings,
    world,
    mayBeReplaced: () => mayBeReplaced(answers, world.clock.monotonic()),
    isRestoring: () => losses.isPending || exports.state.kind !== 'watching',
    importProblems: (found) => importProblems.textAfter(found),
    onRecovered: () => caches.forEach((cache) => cache.renew()),
    onAnnounced: () => {
      announcedMs = world.clock.monotonic();
    },
  });
  const unserved = createTally();
  const token = createTokenCheck({ client, spec, world });
  const exchangedKinds = new Set(exchanges.flatMap(({ member }) => member.importKinds));
  const isImported = ({ spec }: ResourceImport) => exchangedKinds.has(spec?.kind ?? '');
  let answeredMs: number | undefined;
  let shownProblem: string | undefined;
  const answersListeners = new Set<() => void>();
  const checkAnswers = () => {
    const problem = JSON.stringify([
      leaderProblem(answers, spec, world.clock.monotonic()),
      settingsVerdict(answers),
      leaderAnswers,
    ]);
    if (problem === shownProblem) return;
    shownProblem = problem;
    for (const listener of answersListeners) listener();
  };
  const silentMs = () => world.clock.monotonic() - heartbeat.answered.monotonicMs;
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
      return settingsVerdict(answers);
    },
    get answers() {
      return leaderAnswers;
    },
    get areaLostMs() {
      const times = [areaLoss.lastMs, announcedMs].filter((ms) => ms !== undefined);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    imports: resourceOf(ResourceImport, imports, client),
    get announced() {
      const found = announces.get({ namespace, name: memberAnnounceName(clusterID) });
      const isRefused = heartbeat.state.kind === 'disconnected' && heartbeat.state.reason === 'Refused';
      return isThere(found) && !isRefused && heartbeat.owns(found);
    },
    get state(): SessionState {
      const { state } = heartbeat;
      if (state.kind !== 'connected') return state;
      // The answers to heartbeats name what only the leader's controller knows; which kinds are served, this cluster sees itself.
      const problem =
        leaderProblem(answers, spec, world.clock.monotonic()) ??
        kindsProblem(lastingUnserved(read, world), leaderAnswers, spec);
      return problem === undefined ? state : { kind: 'connected', problem };
    },
    get answeredMs() {
      return answeredMs;
    },
    get silence() {
      const { state, answered } = heartbeat;
      if (state.kind !== 'disconnected' || silentMs() < disconnectedAfterMs) return undefined;
      return { since: rfc3339(answered.wallMs), reason: state.reason };
    },
    onState(listener) {
      answersListeners.add(listener);
      const unsubscribe = [
        heartbeat.onState(listener),
        unserved.onChange(listener),
        token.onChange(listener),
        () => answersListeners.delete(listener),
        announces.subscribe(({ before, after }) => {
          // Heartbeats change the announcement every ten seconds; only coming and going matters, and whose it is.
          const isOurs = (object: MemberClusterAnnounce | undefined) => isThere(object) && heartbeat.owns(object);
          if (isThere(before) !== isThere(after) || isOurs(before) !== isOurs(after)) listener();
        }),
        onLastingState([exports, imports], world, listener),
      ];
      return () => unsubscribe.forEach((stop) => stop());
    },
    async run(signal) {
      const answered = () => {
        answeredMs = world.clock.monotonic();
      };
      let stopWaiting = (): void => {};
      let stopListening = (): void => {};
      const stops = [
        losses.follow(),
        imports.subscribe(({ before, after }) => {
          const object = after ?? before;
          const kind =
            after === undefined || isImported(after) || !isMeantFor(after, clusterID)
              ? undefined
              : (after.spec?.kind ?? '');
          if (object !== undefined) unserved.note(keyOfObject(object), kind);
        }),
        announces.subscribe(({ after }) => {
          answers = lookForAnswer(answers, after, world.clock.monotonic());
          leaderAnswers = answersHeartbeats(answers) ?? leaderAnswers;
          stopWaiting();
          if (answers?.owesSinceMs !== undefined) {
            const leftMs = answers.owesSinceMs + disconnectedAfterMs - world.clock.monotonic();
            stopWaiting = world.clock.after(Math.max(0, leftMs), checkAnswers);
          }
          checkAnswers();
        }),
        () => stopWaiting(),
        () => areaLoss.stop(),
        heartbeat.onState(() => {
          stopListening();
          if (heartbeat.state.kind !== 'disconnected') return;
          const leftMs = disconnectedAfterMs - silentMs();
          if (leftMs > 0) stopListening = world.clock.after(leftMs, () => answersListeners.forEach((tell) => tell()));
        }),
        () => stopListening(),
        // Without an announcement the leader takes this cluster for gone; one that somebody deletes it lets go when this cluster goes on beating.
        announces.subscribe(({ before, after }) => {
          if (before !== undefined && before.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp)
            heartbeat.beatNow();
          if (before !== undefined && after === undefined) heartbeat.beatNow();
          if (before === undefined && after !== undefined) losses.hurry();
        }),
        exports.subscribe(({ before, after }) => {
          if (after?.status !== undefined && !equal(before?.status, after.status)) answered();
        }),
        imports.subscribe(({ after, byList }) => {
          if (after !== undefined && byList !== true) answered();
        }),
        session.onState(() => {
          if (isUsable(session)) answered();
        }),
      ];
      try {
        await Promise.all([...caches.map((cache) => cache.run(signal)), heartbeat.run(signal), token.run(signal)]);
      } finally {
        stops.forEach((stop) => stop());
      }
    },
  };
  return session;
}
