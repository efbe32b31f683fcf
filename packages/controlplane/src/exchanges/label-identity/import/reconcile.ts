import type { LabelIdentity as LabelIdentityObject, ResourceImport as ResourceImportObject } from '@isthmus/api';
import {
  LabelIdentity,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  labelIdentityExportName,
  memberAnnounceName,
} from '@isthmus/api';
import type { Outcome, Reconciler } from '@isthmus/kube';
import { ApiError, blocked, defineReconciler, done, from, isRejected } from '@isthmus/kube';
import { byAge } from '@isthmus/machinery';
import {
  isWithdrawn,
  labelIdentityExchangeName,
  labelImportKeys,
  labelNumberOf,
  labelProblem,
  publishedNumberIndex,
} from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import { restartOfController } from '../../../loss/held-condition.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { MissingImport } from '../../../own-cluster/missing/missing-imports.ts';
import { createMissingImports } from '../../../own-cluster/missing/missing-imports.ts';
import { isExported, isOffered } from '../../../own-cluster/missing/offered-or-exported.ts';
import type { SessionSpec } from '../../../own-cluster/session-spec.ts';
import { commonAreaOf } from '../../../own-cluster/session-spec.ts';
import type { LabelIdentityProblem } from '../local/incomplete.ts';
import type { LocalLabelIdentities } from '../local/label-identities.ts';
import { isOurLabelIdentity, numberIndex } from '../local/label-identities.ts';
import { decideLabelImport } from './decide.ts';

/** What this controller may do. */
export const labelIdentityImportAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list'] },
  { at: 'leader', type: MemberClusterAnnounce, scope: 'own', verbs: ['list'] },
  {
    at: 'local',
    type: LabelIdentity,
    scope: 'all',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
  },
];

/** How often a label identity that the API server rejects is tried again. */
const rejectedMs = 60_000;
/** How often labels are looked at again whose number others have. */
const sharedMs = 60_000;
const mostSharing = 100;

export interface LabelImportOptions {
  readonly local: LocalLabelIdentities;
  readonly source: ImportSource;
  readonly note: (
    name: string,
    problem: { readonly reason: LabelIdentityProblem; readonly message: string } | undefined,
  ) => void;
}

/** Keeps a LabelIdentity for each set of labels that the leader has given a number. One key: its name. */
export function labelIdentityImportController({ local, source, note }: LabelImportOptions): Reconciler {
  const { labelIdentities } = local;
  const session = source.kind === 'session' ? source.session : undefined;
  const remoteOf = (name: string) =>
    session?.imports.cache.byIndex(labelIdentityExchangeName, name).find((object) => !isWithdrawn(object));
  const missing = createMissingImports(local, source, {
    exchange: labelIdentityExchangeName,
    what: 'LabelIdentities',
    keys: labelImportKeys,
    resource: labelIdentities,
    importOf: (name) => labelIdentities.cache.get({ name }),
    imported: () =>
      labelIdentities.cache
        .list()
        .filter(isOurLabelIdentity)
        .map(({ metadata }) => metadata.name),
    isOffered: (name) => remoteOf(name) !== undefined,
    isOfferedOrExported: async (asked, lost, signal) =>
      (await isOffered(
        asked,
        { name: lost.name, isSame: (object) => labelImportKeys(object).includes(lost.name) },
        signal,
      )) || isExportedByAny(asked, lost, signal),
  });
  return defineReconciler<LabelIdentityProblem>({
    name: 'label-identity-import',
    sources: [
      from(labelIdentities.cache, ({ metadata }) => [metadata.name]),
      ...(session === undefined
        ? []
        : [from(session.imports.cache, (object) => [...labelImportKeys(object), ...sharing(object)])]),
      ...missing.sources,
    ],
    access: labelIdentityImportAccess,
    async reconcile(name, context) {
      const { signal } = context;
      const remote = remoteOf(name);
      const current = labelIdentities.cache.get({ name });
      const area = session === undefined ? undefined : commonAreaOf(session.spec);
      const sharedWith = remote === undefined ? undefined : oldest(othersPublishedWithNumberOf(remote));
      const decision = decideLabelImport({ remote, current, sharedWith, area });
      if (remote !== undefined) missing.clear({ key: name });
      switch (decision.kind) {
        case 'nothing':
          missing.gone(name);
          return done;
        case 'withdraw':
          return missing.withdraw(
            decision.object,
            { key: name, name, clusterIDs: [], isOffered: othersWithNumberOf(decision.object).some(isPublished) },
            context,
          );
        case 'replace':
          await labelIdentities.delete(decision.object, signal);
          await makeWayFor(decision.by, signal);
          return write(undefined, decision.by, signal);
        case 'import':
          await makeWayFor(decision.object, signal);
          return write(current, decision.object, signal);
        case 'problem': {
          const { reason, obsolete } = decision;
          if (obsolete !== undefined) await labelIdentities.delete(obsolete, signal);
          const cure = reason === 'LabelNumberShared' && session !== undefined ? ` ${sharedCure(session.spec)}` : '';
          return blocked(reason, `${decision.message}${cure}`, {
            lookAgainMs: reason === 'LabelNumberShared' ? sharedMs : undefined,
          });
        }
      }
    },
    async report(name, problem) {
      note(name, problem);
    },
  });

  function othersWithNumberOf({ metadata, spec }: LabelIdentityObject): readonly LabelIdentityObject[] {
    const found = spec?.id === undefined ? [] : labelIdentities.cache.byIndex(numberIndex, String(spec.id));
    return found.filter((other) => other.metadata.name !== metadata.name && isOurLabelIdentity(other));
  }

  function isPublished({ metadata }: LabelIdentityObject): boolean {
    return remoteOf(metadata.name) !== undefined;
  }

  /** Imports of other labels with the number of this one: a leader of Antrea publishes them, as after a restore, or while two of them run. */
  function othersPublishedWithNumberOf(object: ResourceImportObject): readonly ResourceImportObject[] {
    const number = labelNumberOf(object);
    const found = number === undefined ? [] : publishedWith(number);
    return found.filter(
      (other) =>
        other.metadata.name !== object.metadata.name &&
        !isWithdrawn(other) &&
        labelProblem(other.spec?.labelIdentity?.label, other.metadata.name) === undefined,
    );
  }

  function publishedWith(number: number): readonly ResourceImportObject[] {
    return session?.imports.cache.byIndex(publishedNumberIndex, String(number)) ?? [];
  }

  /** The labels that a change of this import may concern beside its own: those with its number. Of very many, each is looked at again after a while. */
  function sharing(object: ResourceImportObject): readonly string[] {
    const number = labelNumberOf(object);
    const found = number === undefined ? [] : publishedWith(number);
    return found.length > mostSharing ? [] : found.flatMap(labelImportKeys);
  }

  /**
   * All other labels that have the number in this cluster give way: those that are kept although the leader has lost them, since an Antrea leader gives their number
   * away, and those of a younger import. With one number, both would meet each other's policies.
   */
  async function makeWayFor(wanted: LabelIdentityObject, signal: AbortSignal): Promise<void> {
    for (const other of othersWithNumberOf(wanted)) await labelIdentities.delete(other, signal);
  }

  async function write(
    current: LabelIdentityObject | undefined,
    wanted: LabelIdentityObject,
    signal: AbortSignal,
  ): Promise<Outcome<LabelIdentityProblem>> {
    try {
      if (current === undefined) await labelIdentities.create(wanted, signal);
      else await labelIdentities.change(current, wanted, signal);
      return done;
    } catch (error) {
      if (!(error instanceof ApiError && isRejected(error))) throw error;
      const message = `The API server of this cluster rejects LabelIdentity ${wanted.metadata.name}: ${error.message.slice(0, 500)}`;
      return blocked('LabelIdentityNotImported', message, { lookAgainMs: rejectedMs });
    }
  }
}

function oldest(objects: readonly ResourceImportObject[]): ResourceImportObject | undefined {
  let first: ResourceImportObject | undefined;
  for (const object of objects) if (first === undefined || byAge(object, first) < 0) first = object;
  return first;
}

/** Antrea's controller gives another number to one of them when it starts, as long as a cluster exports the labels. One of Isthmus does so by itself. */
function sharedCure({ leaderNamespace }: SessionSpec): string {
  return `If the leader runs Antrea, restart its controller there: ${restartOfController(leaderNamespace)}`;
}

/** Whether any member that announces itself exports these labels: by the names of their exports, of which nobody else has to be read. */
async function isExportedByAny(session: LeaderSession, lost: MissingImport, signal: AbortSignal): Promise<boolean> {
  const { client, spec } = session;
  const { items } = await client.list(MemberClusterAnnounce, { namespace: spec.leaderNamespace, signal });
  const found = await Promise.all(
    items
      .filter(({ clusterID = '', metadata }) => metadata.name === memberAnnounceName(clusterID))
      .map(({ clusterID = '' }) => `metadata.name=${labelIdentityExportName(clusterID, lost.name)}`)
      .map((fieldSelector) => isExported(session, { fieldSelector }, lost, signal)),
  );
  return found.includes(true);
}
