import type { LabelIdentity as LabelIdentityObject, ResourceImport as ResourceImportObject } from '@isthmus/api';
import { LabelIdentity, MemberClusterAnnounce, labelIdentityExportName, memberAnnounceName } from '@isthmus/api';
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
import { beingDeletedMessage } from '../../../own-cluster/being-deleted.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { ImportedKind, KindImports } from '../../../own-cluster/missing/imported-kind.ts';
import { createKindImports, importAccess } from '../../../own-cluster/missing/imported-kind.ts';
import type { MissingImport } from '../../../own-cluster/missing/missing-imports.ts';
import { isExported } from '../../../own-cluster/missing/offered-or-exported.ts';
import type { SessionSpec } from '../../../own-cluster/session-spec.ts';
import type { LabelIdentityProblem } from '../local/incomplete.ts';
import type { LocalLabelIdentities } from '../local/label-identities.ts';
import { isOurLabelIdentity, numberIndex } from '../local/label-identities.ts';
import { decideLabelImport } from './decide.ts';

/** The access that this controller needs. */
export const labelIdentityImportAccess: readonly ControllerAccess[] = [
  ...importAccess,
  {
    at: 'local',
    type: LabelIdentity,
    scope: 'all',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
  },
];

/** How often to retry a label identity that the API server rejects. */
const rejectedMs = 60_000;
/** How often to look again at labels whose number other labels have too. */
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

const identitiesOf = ({ labelIdentities: resource }: LocalLabelIdentities): ImportedKind<LabelIdentityObject> => ({
  exchange: labelIdentityExchangeName,
  what: 'LabelIdentities',
  keys: labelImportKeys,
  resource,
  refOf: (name) => ({ name }),
  importedKeys: (object) => (isOurLabelIdentity(object) ? [object.metadata.name] : []),
  isExported: isExportedByAny,
});

/**
 * Keeps a LabelIdentity for each set of labels that the leader has given a number. One key: its
 * name.
 */
export function labelIdentityImportController({ local, source, note }: LabelImportOptions): Reconciler {
  const { labelIdentities } = local;
  const imports: LabelImports = createKindImports(local, source, identitiesOf(local), (object) => [
    ...labelImportKeys(object),
    ...sharing(imports.session, object),
  ]);
  const { session, missing } = imports;
  return defineReconciler<LabelIdentityProblem>({
    name: 'label-identity-import',
    sources: [from(labelIdentities.cache, ({ metadata }) => [metadata.name]), ...imports.sources],
    access: labelIdentityImportAccess,
    async reconcile(name, context) {
      const { signal } = context;
      const remote = imports.remoteOf(name);
      const held = imports.whileHeld(name);
      if (held !== undefined) return blocked('BeingDeleted', held);
      const current = imports.currentOf(name);
      const sharedWith = remote === undefined ? undefined : oldest(othersPublishedWithNumberOf(session, remote));
      const decision = decideLabelImport({ remote, current, sharedWith, area: imports.area });
      if (remote !== undefined) missing.clear({ key: name });
      switch (decision.kind) {
        case 'nothing':
          missing.gone(name);
          return done;
        case 'withdraw': {
          const others = othersWithNumberOf(imports, decision.object);
          const isTaken = others.some(({ metadata }) => imports.remoteOf(metadata.name) !== undefined);
          return missing.withdraw(decision.object, { key: name, name, clusterIDs: [], isOffered: isTaken }, context);
        }
        case 'replace':
          await labelIdentities.delete(decision.object, signal);
          return write(imports, undefined, decision.by, signal);
        case 'import':
          return write(imports, current, decision.object, signal);
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
}

type LabelImports = KindImports<LabelIdentityObject>;

function othersWithNumberOf(
  { resource }: LabelImports,
  { metadata, spec }: LabelIdentityObject,
): readonly LabelIdentityObject[] {
  const found = spec?.id === undefined ? [] : resource.cache.byIndex(numberIndex, String(spec.id));
  return found.filter((other) => other.metadata.name !== metadata.name && isOurLabelIdentity(other));
}

/**
 * Imports of other labels with the number of this one. An Antrea leader publishes them after a
 * restore, or while two leaders run.
 */
function othersPublishedWithNumberOf(
  session: LeaderSession | undefined,
  object: ResourceImportObject,
): readonly ResourceImportObject[] {
  return publishedWithNumberOf(session, object).filter(
    (other) =>
      other.metadata.name !== object.metadata.name &&
      !isWithdrawn(other) &&
      labelProblem(other.spec?.labelIdentity?.label, other.metadata.name) === undefined,
  );
}

function publishedWithNumberOf(
  session: LeaderSession | undefined,
  object: ResourceImportObject,
): readonly ResourceImportObject[] {
  const number = labelNumberOf(object);
  return (
    (number === undefined ? undefined : session?.imports.cache.byIndex(publishedNumberIndex, String(number))) ?? []
  );
}

/**
 * The other keys that a change of this import may concern: labels with the same number. If there
 * are very many, they are not woken, and each is looked at again after a while.
 */
function sharing(session: LeaderSession | undefined, object: ResourceImportObject): readonly string[] {
  const found = publishedWithNumberOf(session, object);
  return found.length > mostSharing ? [] : found.flatMap(labelImportKeys);
}

/**
 * Removes all other labels that have the number in this cluster. Some of them are kept although the
 * leader has lost them: an Antrea leader reuses their number. Others are from a younger import.
 * With one number, policies for the one would apply to the other.
 */
async function makeWayFor(imports: LabelImports, wanted: LabelIdentityObject, signal: AbortSignal): Promise<void> {
  for (const other of othersWithNumberOf(imports, wanted)) await imports.resource.delete(other, signal);
}

/** An object with the name or the number of `wanted` that finalizers hold. */
function heldFor(imports: LabelImports, wanted: LabelIdentityObject): LabelIdentityObject | undefined {
  const sameName = imports.existing(wanted.metadata.name);
  return sameName.state === 'terminating' ? sameName.object : othersWithNumberOf(imports, wanted)[0];
}

async function write(
  imports: LabelImports,
  current: LabelIdentityObject | undefined,
  wanted: LabelIdentityObject,
  signal: AbortSignal,
): Promise<Outcome<LabelIdentityProblem>> {
  await makeWayFor(imports, wanted, signal);
  const held = heldFor(imports, wanted);
  if (held !== undefined)
    return blocked('BeingDeleted', beingDeletedMessage(LabelIdentity, held), { lookAgainMs: sharedMs });
  try {
    await imports.write(current, wanted, signal);
    return done;
  } catch (error) {
    if (!(error instanceof ApiError && isRejected(error))) throw error;
    const message = `The API server of this cluster rejects LabelIdentity ${wanted.metadata.name}: ${error.message.slice(0, 500)}`;
    return blocked('LabelIdentityNotImported', message, { lookAgainMs: rejectedMs });
  }
}

function oldest(objects: readonly ResourceImportObject[]): ResourceImportObject | undefined {
  let first: ResourceImportObject | undefined;
  for (const object of objects) if (first === undefined || byAge(object, first) < 0) first = object;
  return first;
}

/**
 * What to do about labels that share a number. At its start, Antrea's controller gives one of them
 * another number, as long as a cluster exports the labels. An Isthmus leader always does so by
 * itself.
 */
function sharedCure({ leaderNamespace }: SessionSpec): string {
  return `If the leader runs Antrea, restart its controller there: ${restartOfController(leaderNamespace)}`;
}

/**
 * Whether any announced member exports these labels. The names of their exports suffice for that,
 * so no other exports have to be read.
 */
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
