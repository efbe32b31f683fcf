import type { Client, World } from '@isthmus/kube';
import { runTogether } from '../control-plane.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { LeaderSession } from '../exchange/member/leader-session.ts';
import type { ExchangeMembership, MemberPart } from '../exchange/member/member-exchange.ts';
import type { OwnCluster } from '../exchange/member/own-cluster.ts';
import type { SessionSpec } from '../exchange/member/session-spec.ts';
import type { MembershipRun } from './cluster-set/reconcile.ts';
import type { LeaveState } from './leave.ts';
import { askToLeave } from './leave.ts';
import type { Membership } from './membership.ts';
import { sameSpec } from './membership.ts';
import { createLeaderSession } from './session/leader-session.ts';

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
}

export function createMembershipRun(options: MembershipRunOptions): Runner {
  const { own, exchanges, parts, isRead, connect, version, world } = options;
  const imported = parts.flatMap((part) => part.imported);
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  let wanted: Membership | undefined;
  let session: LeaderSession | undefined;
  let leave: LeaveState | undefined;

  return {
    async live(membership, signal) {
      try {
        switch (membership.kind) {
          case 'joined':
            return await joined(membership.spec, signal);
          case 'leaving':
            return await leaving(membership.spec, signal);
          default:
            tell();
            return await run([], withoutSession(membership), signal);
        }
      } finally {
        session = undefined;
        leave = undefined;
      }
    },
    seenBy: (want) => ({
      want(membership) {
        wanted = membership;
        want(membership);
      },
      get session() {
        return wantedSession()?.state;
      },
      get connectedAs() {
        const current = wantedSession();
        return current?.state.kind === 'connected' ? current.spec.clusterID : undefined;
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
    const next = createLeaderSession({ client: remote, spec, version, exchanges, clusterUID, world });
    session = next;
    const stop = next.onState(tell);
    tell();
    try {
      await run([next], { session: next, why: notJoined, imports: { kind: 'session', session: next } }, signal);
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
      await run(asking, { session: undefined, why: isLeaving, imports: { kind: 'none' } }, signal);
    } finally {
      remote?.close();
    }
  }

  async function run(
    beside: readonly { run(signal: AbortSignal): Promise<void> }[],
    membership: ExchangeMembership,
    signal: AbortSignal,
  ): Promise<void> {
    const reconcilers = parts.flatMap((part) => part.reconcilers(membership));
    await runTogether(beside, reconcilers, { world, signal });
  }
}

/** What the exchanges do while there is no leader to speak to. */
function withoutSession(membership: Membership & { readonly kind: 'none' | 'pending' }): ExchangeMembership {
  return membership.kind === 'none'
    ? { session: undefined, why: notJoined, imports: { kind: 'none' } }
    : { session: undefined, why: membership, imports: undefined };
}

const notJoined = {
  message: 'This cluster has not joined a ClusterSet. Create a ClusterSet in the Namespace of the member controller.',
};
const isLeaving = { message: 'This cluster is leaving its ClusterSet' };
