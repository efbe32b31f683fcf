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
import { createLeaderSession } from './session/create-leader-session.ts';

export interface MembershipRunOptions {
  readonly own: OwnCluster;
  readonly exchanges: readonly Exchange[];
  /** The exchanges at work in this cluster. */
  readonly parts: readonly MemberPart[];
  /** Whether the caches of the own cluster have been filled. */
  readonly isRead: () => boolean;
  readonly connect: (spec: SessionSpec) => Client;
  readonly version: string;
  readonly world: World;
}

/** What runs in one era of the membership, and what the ClusterSet's status says of it. */
export interface Runner {
  live(membership: Membership, signal: AbortSignal): Promise<void>;
  seenBy(want: (membership: Membership) => void): MembershipRun;
  /** Why it is not known yet whether the leader answers; undefined once that, or that there is none to ask, has been known. */
  sessionUnknown(): string | undefined;
}

export function createMembershipRun(options: MembershipRunOptions): Runner {
  const { own, exchanges, parts, isRead, connect, version, world } = options;
  // What was made for the membership goes with it, as what was imported does.
  const imported = [...parts.flatMap((part) => part.imported), importedObjects(own.gateways, carriesOurLabel)];
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  let wanted: Membership | undefined;
  let session: LeaderSession | undefined;
  let leave: LeaveState | undefined;
  let isKnown = false;

  return {
    sessionUnknown() {
      if (isKnown) return undefined;
      if (wanted === undefined) return 'the ClusterSet is not read yet';
      const { state } = session ?? {};
      const why = state?.kind === 'connecting' && state.why !== undefined ? `: ${state.why}` : '';
      return `the leader has not answered yet${why}`;
    },
    async live(membership, signal) {
      try {
        switch (membership.kind) {
          case 'joined':
            return await joined(membership.spec, signal);
          case 'leaving':
            return await leaving(membership.spec, signal);
          default:
            tell();
            return await withoutSession(membership, signal);
        }
      } finally {
        session = undefined;
        leave = undefined;
      }
    },
    seenBy: (want) => ({
      want(membership) {
        wanted = membership;
        isKnown ||= membership.kind !== 'joined';
        want(membership);
      },
      get session() {
        return wantedSession()?.state;
      },
      get connectedAs() {
        const current = wantedSession();
        return current?.state.kind === 'connected' ? current.spec.clusterID : undefined;
      },
      get unservedKinds() {
        return wantedSession()?.unservedKinds ?? [];
      },
      get tokenBinding() {
        return wantedSession()?.tokenBinding;
      },
      get settings() {
        return wantedSession()?.settings;
      },
      get leaderAnswers() {
        return wantedSession()?.answers;
      },
      get imported() {
        if (imported.some((objects) => objects.isAny())) return 'some';
        // Of what has not been read yet nothing is known: the cluster must not leave it behind.
        return isRead() ? 'none' : 'unknown';
      },
      get leave() {
        return leave;
      },
      onChange(listener) {
        listeners.add(listener);
        // While the cluster leaves, each removal may be the last.
        const unsubscribe = imported.map((objects) =>
          objects.onRemoval(() => {
            if (leave !== undefined) listener();
          }),
        );
        return () => {
          listeners.delete(listener);
          unsubscribe.forEach((stop) => stop());
        };
      },
    }),
  };

  /** Until the session that is wanted runs, an older one may still be ending: it speaks of another server, or with another token. */
  function wantedSession(): LeaderSession | undefined {
    const isWanted = session !== undefined && wanted?.kind === 'joined' && sameSpec(session.spec, wanted.spec);
    return isWanted ? session : undefined;
  }

  /** What tells this cluster from every other: Namespace kube-system is never made anew while a cluster lives. */
  async function clusterUID(signal: AbortSignal): Promise<string> {
    await own.namespaces.cache.whenSynced(signal);
    return own.namespaces.cache.get({ name: 'kube-system' })?.metadata.uid ?? '';
  }

  async function joined(spec: SessionSpec, signal: AbortSignal): Promise<void> {
    const remote = connect(spec);
    const next = createLeaderSession({
      client: remote,
      spec,
      version,
      exchanges,
      clusterUID,
      settings: () => own.config,
      world,
    });
    session = next;
    const stop = next.onState(() => {
      isKnown ||= next.state.kind !== 'connecting';
      tell();
    });
    tell();
    try {
      const imports = importsOf(next, () => spec.clusterID);
      await run([next, imports], { session: next, why: notJoined(own.namespace) }, signal);
    } finally {
      stop();
      remote.close();
    }
  }

  async function leaving(spec: SessionSpec | undefined, signal: AbortSignal): Promise<void> {
    const remote = spec === undefined ? undefined : connect(spec);
    leave = { kind: 'asking' };
    tell();
    const note = (state: LeaveState) => {
      leave = state;
      tell();
    };
    const asking =
      spec === undefined || remote === undefined
        ? []
        : [{ run: () => askToLeave(remote, spec, { clusterUID, world, signal, note }) }];
    try {
      await run([...asking, withdrawal()], { session: undefined, why: isLeaving }, signal);
    } finally {
      remote?.close();
    }
  }

  async function run(beside: readonly Running[], membership: ExchangeMembership, signal: AbortSignal): Promise<void> {
    const reconcilers = parts.flatMap((part) => part.exporters(membership));
    await runTogether(beside, reconcilers, { world, signal });
  }

  async function withoutSession(
    membership: Membership & { readonly kind: 'none' | 'pending' },
    signal: AbortSignal,
  ): Promise<void> {
    if (membership.kind === 'none')
      return run([withdrawal()], { session: undefined, why: notJoined(own.namespace) }, signal);
    const keeping = { run: (end: AbortSignal) => keep(knownClusterID, end) };
    return run([keeping], { session: undefined, why: { message: membership.message, isMember: true } }, signal);
  }

  function withdrawal(): Running {
    const reconcilers = parts.flatMap((part) => part.importers({ kind: 'none' }));
    return { run: (signal) => runTogether([], reconcilers, { world, signal }) };
  }

  /** Imports by the word of the leader once it has been read, and until then by what this cluster knows. */
  function importsOf(next: LeaderSession, clusterID: () => string): Running {
    // Made before the session runs: they note what happens in its caches from the first moment.
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
          await keep(clusterID, AbortSignal.any([signal, keeping.signal]));
        } finally {
          stop();
        }
        await runTogether([], importers, { world, signal });
      },
    };
  }

  /** Until `signal` aborts, which in most cases it soon does: the leader answers, or the Secret comes. */
  async function keep(clusterID: () => string | undefined, signal: AbortSignal): Promise<void> {
    try {
      await sleep(world.clock, patienceMs, signal);
    } catch {
      return;
    }
    const keepers = parts.flatMap((part) => part.keepers(clusterID));
    await runTogether([], keepers, { world, signal });
  }

  function knownClusterID(): string | undefined {
    const clusterSet = own.served();
    const id = clusterSet === undefined ? undefined : memberClusterID(clusterSet, own.clusterClaims.cache.list());
    return id?.kind === 'known' ? id.clusterID : undefined;
  }
}

interface Running {
  run(signal: AbortSignal): Promise<void>;
}

/** How long the leader's word is waited for before imports are kept without it. */
const patienceMs = 2_000;

const notJoined = (namespace: string) => ({
  message: `This cluster has not joined a ClusterSet. Create one in Namespace ${namespace}, which its controller watches.`,
});
const isLeaving = { message: 'This cluster is leaving its ClusterSet' };
