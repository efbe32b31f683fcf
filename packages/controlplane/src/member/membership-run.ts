import type { Client, World } from '@isthmus/kube';
import { sleep } from '@isthmus/machinery';
import { carriesOurLabel, memberClusterID } from '@isthmus/wire';
import { runTogether } from '../control-plane.ts';
import type { Exchange } from '../define-exchange.ts';
import { importedObjects } from '../own-cluster/imported-objects.ts';
import type { LeaderSession } from '../own-cluster/leader-session.ts';
import type { ExchangeMembership, MemberPart } from '../member-exchange.ts';
import type { OwnCluster } from '../own-cluster/own-cluster.ts';
import type { SessionSpec } from '../own-cluster/session-spec.ts';
import type { MembershipRun } from './cluster-set/reconcile.ts';
import type { LeaveState } from './leave.ts';
import { askToLeave } from './leave.ts';
import type { Membership } from './membership.ts';
import { sameSpec } from './membership.ts';
import type { SessionState } from '../own-cluster/session-state.ts';
import type { BeatHistory } from './session/beat-history.ts';
import { afterBeat, firstBeat } from './session/beat-history.ts';
import { createLeaderSession } from './session/create-leader-session.ts';
import { readFailure } from './session/read-beat.ts';
import { isOfJoinFile } from './token/decide.ts';
import type { TokenRenewal } from './token/renewal.ts';
import { createTokenRenewal } from './token/renewal.ts';

export interface MembershipRunOptions {
  readonly own: OwnCluster;
  readonly exchanges: readonly Exchange[];
  /** The active exchanges in this cluster. */
  readonly parts: readonly MemberPart[];
  /** Whether the caches of the own cluster have been filled. */
  readonly isRead: () => boolean;
  /** A client for the own API server, which does not record denied requests. */
  readonly client: Client;
  readonly connect: ConnectToLeader;
  readonly decodeBase64: (text: string) => string;
  readonly version: string;
  readonly world: World;
}

/**
 * Creates a client for the leader's API server. Each request has the token of that moment, because
 * tokens are renewed while a session runs.
 */
export type ConnectToLeader = (spec: SessionSpec, token: () => string) => Client;

/** The parts of one membership run, and their facts for the ClusterSet's status. */
export interface Runner {
  live(membership: Membership, signal: AbortSignal): Promise<void>;
  seenBy(want: (membership: Membership) => void): MembershipRun;
  /**
   * Why it is not known yet whether the leader answers. Undefined once that is known, or once it is
   * known that there is no leader to ask.
   */
  sessionUnknown(): string | undefined;
}

/** The known state of the current run, and the wanted state of the next. */
interface RunState {
  wanted: Membership | undefined;
  session: LeaderSession | undefined;
  renewal: TokenRenewal | undefined;
  /** Whether the token of a join file is being exchanged, before there is a session. */
  joining: { readonly spec: SessionSpec; readonly history: BeatHistory } | undefined;
  leave: LeaveState | undefined;
  /** Whether it is known if the leader answers, or that there is no leader to ask. */
  isKnown: boolean;
}

/** Runs memberships one after another. */
interface MembershipAtWork extends MembershipRunOptions {
  readonly state: RunState;
  /** Reports a change of the state. */
  readonly notify: () => void;
}

export function createMembershipRun(options: MembershipRunOptions): Runner {
  const { own, parts, isRead } = options;
  // Objects made for the membership are removed together with imports.
  const imported = [...parts.flatMap((part) => part.imported), importedObjects(own.gateways, carriesOurLabel)];
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  const state: RunState = {
    wanted: undefined,
    session: undefined,
    renewal: undefined,
    joining: undefined,
    leave: undefined,
    isKnown: false,
  };
  const work: MembershipAtWork = { ...options, state, notify };
  return {
    sessionUnknown: () => whySessionUnknown(state),
    async live(membership, signal) {
      try {
        switch (membership.kind) {
          case 'joined':
            return await (isOfJoinFile(membership.spec.token) ? joining : joined)(work, membership.spec, signal);
          case 'leaving':
            return await leaving(work, membership.spec, signal);
          default:
            notify();
            return await withoutSession(work, membership, signal);
        }
      } finally {
        state.session = undefined;
        state.renewal = undefined;
        state.joining = undefined;
        state.leave = undefined;
      }
    },
    seenBy: (want) => ({
      want(membership) {
        const before = state.wanted;
        state.wanted = membership;
        if (tokenOf(before) !== tokenOf(membership)) state.renewal?.wake();
        state.isKnown ||= membership.kind !== 'joined';
        want(membership);
      },
      get session() {
        return wantedSession(state)?.state ?? wantedJoining(state);
      },
      get connectedAs() {
        const current = wantedSession(state);
        return current?.state.kind === 'connected' ? current.spec.clusterID : undefined;
      },
      get unservedKinds() {
        return wantedSession(state)?.unservedKinds ?? [];
      },
      get tokenBinding() {
        return wantedSession(state)?.tokenBinding;
      },
      get tokenProblem() {
        return wantedSession(state) && state.renewal?.problem;
      },
      get settings() {
        return wantedSession(state)?.settings;
      },
      get leaderAnswers() {
        return wantedSession(state)?.answers;
      },
      get imported() {
        if (imported.some((objects) => objects.isAny())) return 'some';
        // Without a complete read, the cluster must not leave objects behind.
        return isRead() ? 'none' : 'unknown';
      },
      get leave() {
        return state.leave;
      },
      onChange(listener) {
        listeners.add(listener);
        // While the cluster leaves, each removal may be the last.
        const unsubscribe = imported.map((objects) =>
          objects.onRemoval(() => {
            if (state.leave !== undefined) listener();
          }),
        );
        return () => {
          listeners.delete(listener);
          unsubscribe.forEach((stop) => stop());
        };
      },
    }),
  };
}

/** Why it is not known yet whether the leader answers; undefined: it is known. */
export function whySessionUnknown({
  isKnown,
  wanted,
  session,
}: Pick<RunState, 'isKnown' | 'wanted'> & {
  readonly session: Pick<LeaderSession, 'state'> | undefined;
}): string | undefined {
  if (isKnown) return undefined;
  if (wanted === undefined) return 'the ClusterSet is not read yet';
  const { state } = session ?? {};
  const why = state?.kind === 'connecting' && state.why !== undefined ? `: ${state.why}` : '';
  return `the leader has not answered yet${why}`;
}

/**
 * The wanted session. An older session may still be ending: it has another server or another token.
 */
export function wantedSession<S extends Pick<LeaderSession, 'spec'>>({
  session,
  wanted,
}: {
  readonly session: S | undefined;
  readonly wanted: Membership | undefined;
}): S | undefined {
  const isWanted = session !== undefined && wanted?.kind === 'joined' && sameSpec(session.spec, wanted.spec);
  return isWanted ? session : undefined;
}

/** The state of a cluster that exchanges the token of the wanted join file. */
function wantedJoining({ joining: at, wanted }: RunState): SessionState | undefined {
  if (at === undefined || wanted?.kind !== 'joined' || !sameSpec(at.spec, wanted.spec)) return undefined;
  return at.history.state;
}

/**
 * The identity of this cluster: Namespace kube-system is never created again while a cluster
 * exists.
 */
async function clusterUID({ namespaces: { cache } }: OwnCluster, signal: AbortSignal): Promise<string> {
  await cache.whenSynced(signal);
  return cache.get({ name: 'kube-system' })?.metadata.uid ?? '';
}

function tokenOf(membership: Membership | undefined): string | undefined {
  return membership?.kind === 'joined' ? membership.spec.token : undefined;
}

/** The present token of a session, which is renewed. Later, another session may be wanted. */
function presentToken(state: RunState, spec: SessionSpec): () => string {
  let latest = spec.token;
  return () => {
    const { wanted } = state;
    if (wanted?.kind === 'joined' && sameSpec(wanted.spec, spec)) latest = wanted.spec.token;
    return latest;
  };
}

async function joined(work: MembershipAtWork, spec: SessionSpec, signal: AbortSignal): Promise<void> {
  const { own, version, exchanges, world, state, notify } = work;
  const token = presentToken(state, spec);
  const remote = work.connect(spec, token);
  const renewal = createTokenRenewal({ ...work, local: work.client, leader: remote, spec, token });
  state.renewal = renewal;
  const next = createLeaderSession({
    client: remote,
    spec,
    token,
    version,
    exchanges,
    clusterUID: (aborted) => clusterUID(own, aborted),
    settings: () => own.config,
    world,
  });
  state.session = next;
  const stops = [
    next.onState(() => {
      state.isKnown ||= next.state.kind !== 'connecting';
      notify();
    }),
    renewal.onChange(notify),
  ];
  notify();
  try {
    const imports = importsOf(work, next, () => spec.clusterID);
    await run(work, [next, imports, renewal], { session: next, why: notJoined(own.namespace) }, signal);
  } finally {
    stops.forEach((stop) => stop());
    remote.close();
  }
}

/**
 * Exchanges the token of a join file for one of this cluster. The controllers wait meanwhile, and
 * after that, the token of the session is another one.
 */
async function joining(work: MembershipAtWork, spec: SessionSpec, signal: AbortSignal): Promise<void> {
  const { world, state, notify } = work;
  const token = presentToken(state, spec);
  const leader = work.connect(spec, token);
  state.joining = { spec, history: firstBeat };
  const onStep = (error: unknown) => {
    if (error === undefined || state.joining === undefined) return;
    const result = readFailure(error, { ...spec, token: token() }, world.clock.now());
    const history = afterBeat(state.joining.history, result, world.clock.monotonic());
    state.joining = { spec, history };
    state.isKnown ||= history.state.kind !== 'connecting';
    notify();
  };
  const renewal = createTokenRenewal({ ...work, local: work.client, leader, spec, token, onStep });
  state.renewal = renewal;
  notify();
  const keeping = { run: (end: AbortSignal) => keep(work, () => spec.clusterID, end) };
  const why = { message: 'This cluster exchanges the token of its join file', isMember: true };
  try {
    await run(work, [renewal, keeping], { session: undefined, why }, signal);
  } finally {
    leader.close();
  }
}

async function leaving(work: MembershipAtWork, spec: SessionSpec | undefined, signal: AbortSignal): Promise<void> {
  const { own, world, state, notify } = work;
  const remote = spec === undefined ? undefined : work.connect(spec, () => spec.token);
  state.leave = { kind: 'asking' };
  notify();
  const options = {
    clusterUID: (aborted: AbortSignal) => clusterUID(own, aborted),
    world,
    signal,
    note: (found: LeaveState) => {
      state.leave = found;
      notify();
    },
  };
  const asking = spec === undefined || remote === undefined ? [] : [{ run: () => askToLeave(remote, spec, options) }];
  try {
    await run(work, [...asking, withdrawal(work)], { session: undefined, why: isLeaving }, signal);
  } finally {
    remote?.close();
  }
}

async function run(
  { parts, world }: MembershipAtWork,
  beside: readonly Running[],
  membership: ExchangeMembership,
  signal: AbortSignal,
): Promise<void> {
  const reconcilers = parts.flatMap((part) => part.exporters(membership));
  await runTogether(beside, reconcilers, { world, signal });
}

async function withoutSession(
  work: MembershipAtWork,
  membership: Membership & { readonly kind: 'none' | 'pending' },
  signal: AbortSignal,
): Promise<void> {
  const { own } = work;
  if (membership.kind === 'none')
    return run(work, [withdrawal(work)], { session: undefined, why: notJoined(own.namespace) }, signal);
  const keeping = { run: (end: AbortSignal) => keep(work, () => knownClusterID(own), end) };
  return run(work, [keeping], { session: undefined, why: { message: membership.message, isMember: true } }, signal);
}

function withdrawal({ parts, world }: MembershipAtWork): Running {
  const reconcilers = parts.flatMap((part) => part.importers({ kind: 'none' }));
  return { run: (signal) => runTogether([], reconcilers, { world, signal }) };
}

/**
 * Imports what the leader publishes once that has been read. Until then, keeps what this cluster
 * knows.
 */
function importsOf(work: MembershipAtWork, next: LeaderSession, clusterID: () => string): Running {
  const { parts, world } = work;
  // Importers are created before the session runs, so that they see every change in its caches.
  const importers = parts.flatMap((part) => part.importers({ kind: 'session', session: next }));
  const isRead = () => next.imports.cache.synced && next.exports.cache.synced;
  return {
    async run(signal) {
      const keeping = new AbortController();
      const check = () => {
        if (isRead()) keeping.abort(new Error('the leader has been read'));
      };
      const stop = next.onState(check);
      check();
      try {
        await keep(work, clusterID, AbortSignal.any([signal, keeping.signal]));
      } finally {
        stop();
      }
      await runTogether([], importers, { world, signal });
    },
  };
}

/**
 * Runs until `signal` aborts. That is usually soon, when the leader answers or the Secret appears.
 */
async function keep(
  { parts, world }: MembershipAtWork,
  clusterID: () => string | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleep(world.clock, patienceMs, signal);
  } catch {
    return;
  }
  const keepers = parts.flatMap((part) => part.keepers(clusterID));
  await runTogether([], keepers, { world, signal });
}

function knownClusterID(own: OwnCluster): string | undefined {
  const clusterSet = own.served();
  const id = clusterSet === undefined ? undefined : memberClusterID(clusterSet, own.clusterClaims.cache.list());
  return id?.kind === 'known' ? id.clusterID : undefined;
}

interface Running {
  run(signal: AbortSignal): Promise<void>;
}

/** How long to wait for the leader's answer before imports are kept without it. */
const patienceMs = 2_000;

const notJoined = (namespace: string) => ({
  message: `This cluster has not joined a ClusterSet. Create one in Namespace ${namespace}, which its controller watches.`,
});
const isLeaving = { message: 'This cluster is leaving its ClusterSet' };
