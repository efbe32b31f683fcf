import type { EndpointSlice, Service } from '@isthmus/api';
import { Label, importedPrefix } from '@isthmus/api';
import type { Client, Reconciler, World } from '@isthmus/kube';
import { runTogether } from '../control-plane.ts';
import type { MembershipRun } from './cluster-set/reconcile.ts';
import type { LeaveState } from './leave.ts';
import { askToLeave } from './leave.ts';
import type { LocalCluster } from './local-cluster.ts';
import type { Membership, SessionSpec } from './membership.ts';
import { sameSpec } from './membership.ts';
import { serviceExportController } from '../exchanges/service/export/reconcile.ts';
import { carriesOurLabel, isOurService, isOurSlice } from '../exchanges/service/import/ownership.ts';
import type { ImportSource } from '../exchanges/service/import/import-source.ts';
import { serviceImportController } from '../exchanges/service/import/reconcile.ts';
import type { LeaderSession } from './session/leader-session.ts';
import { createLeaderSession } from './session/leader-session.ts';

export interface MembershipRunOptions {
  readonly local: LocalCluster;
  readonly client: Client;
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
  const { local, client, world } = options;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  let wanted: Membership | undefined;
  let session: LeaderSession | undefined;
  let leave: LeaveState | undefined;

  return {
    async live(membership, signal) {
      try {
        switch (membership.kind) {
          case 'none':
            return await run(controllers(undefined, { kind: 'none' }, notJoined), signal);
          case 'pending':
            // What was imported before stays as it is: no import controller runs.
            return await run([exporter(undefined, membership)], signal);
          case 'joined':
            return await joined(membership.spec, signal);
          case 'leaving':
            return await leaving(membership.spec, signal);
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
        // Until the session that is wanted runs, an older one may still be ending: it speaks of another server, or with another token.
        const isWanted = session !== undefined && wanted?.kind === 'joined' && sameSpec(session.spec, wanted.spec);
        return isWanted ? session?.state : undefined;
      },
      get imported() {
        // Exactly what a withdrawal removes: what only looks like ours must not hold the cluster.
        const left =
          local.serviceImports.cache.list().some(carriesOurLabel) ||
          local.slices.cache.list().some(isImportedSlice) ||
          local.services.cache.list().some((service) => carriesOurLabel(service) && isDerived(service));
        return left ? 'some' : 'none';
      },
      get leave() {
        return leave;
      },
      source: {
        synced: true,
        whenSynced: () => Promise.resolve(),
        start(enqueue) {
          const listener = () => enqueue('cluster-set');
          listeners.add(listener);
          // While the cluster leaves, each removal may be the last.
          const unsubscribe = [local.serviceImports, local.slices, local.services].map((resource) =>
            resource.cache.subscribe(({ after }) => {
              if (leave !== undefined && after === undefined) listener();
            }),
          );
          return () => {
            listeners.delete(listener);
            unsubscribe.forEach((stop) => stop());
          };
        },
      },
    }),
  };

  /** What tells this cluster from every other: Namespace kube-system is never made anew while a cluster lives. */
  async function clusterUID(signal: AbortSignal): Promise<string> {
    await local.namespaces.cache.whenSynced(signal);
    return local.namespaces.cache.get({ name: 'kube-system' })?.metadata.uid ?? '';
  }

  async function joined(spec: SessionSpec, signal: AbortSignal): Promise<void> {
    const remote = options.connect(spec);
    const next = createLeaderSession({ client: remote, spec, version: options.version, clusterUID, world });
    session = next;
    const stop = next.onState(tell);
    tell();
    try {
      const reconcilers = controllers(next, { kind: 'session', session: next }, notJoined);
      await runTogether([next], reconcilers, { world, signal });
    } finally {
      stop();
      remote.close();
    }
  }

  async function leaving(spec: SessionSpec | undefined, signal: AbortSignal): Promise<void> {
    const remote = spec === undefined ? undefined : options.connect(spec);
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
      await runTogether(asking, controllers(undefined, { kind: 'none' }, isLeaving), { world, signal });
    } finally {
      remote?.close();
    }
  }

  async function run(reconcilers: readonly Reconciler[], signal: AbortSignal): Promise<void> {
    tell();
    await runTogether([], reconcilers, { world, signal });
  }

  function controllers(
    withSession: LeaderSession | undefined,
    source: ImportSource,
    why: Parameters<typeof exporter>[1],
  ): readonly Reconciler[] {
    return [exporter(withSession, why), serviceImportController({ local, source, client, world })];
  }

  function exporter(withSession: LeaderSession | undefined, why: { readonly message: string }): Reconciler {
    return serviceExportController({ local, session: withSession, why, world });
  }
}

function isDerived(service: Service): boolean {
  return isOurService(service) && service.metadata.name.startsWith(importedPrefix);
}

function isImportedSlice(slice: EndpointSlice): boolean {
  return isOurSlice(slice) && slice.metadata.labels?.[Label.mcsServiceName] !== undefined;
}

const notJoined = {
  message: 'This cluster has not joined a ClusterSet. Create a ClusterSet in the Namespace of the member controller.',
};
const isLeaving = { message: 'This cluster is leaving its ClusterSet' };
