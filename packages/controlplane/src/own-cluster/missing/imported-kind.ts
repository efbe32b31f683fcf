import type { ResourceImport as ResourceImportObject } from '@isthmus/api';
import { MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Resource, Source } from '@isthmus/kube';
import { from } from '@isthmus/kube';
import type { KubernetesObject, Live, ObjectRef, Presence } from '@isthmus/machinery';
import { isLive, liveOf, presenceOf } from '@isthmus/machinery';
import { isWithdrawn } from '@isthmus/wire';
import type { ControllerAccess } from '../../controller-access.ts';
import { beingDeletedMessage } from '../being-deleted.ts';
import type { ImportSource } from '../import-source.ts';
import type { LeaderSession } from '../leader-session.ts';
import type { OwnCluster } from '../own-cluster.ts';
import { commonAreaOf } from '../session-spec.ts';
import type { ImportedThings, MissingImport, MissingImports } from './missing-imports.ts';
import { createMissingImports } from './missing-imports.ts';
import { isOffered } from './offered-or-exported.ts';

/** The objects that a controller reads at the leader to import one kind. */
export const importAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // To check if missing imports are exported, and if their exporters exist.
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list'] },
  { at: 'leader', type: MemberClusterAnnounce, scope: 'own', verbs: ['list'] },
];

/** A kind that has one imported object for each key of its exchange. */
export interface ImportedKind<T extends KubernetesObject> extends Pick<
  ImportedThings<T>,
  'exchange' | 'what' | 'keys' | 'resource'
> {
  /** The name of the imported object. */
  readonly refOf: (key: string) => ObjectRef;
  /** The keys of an object that we imported; empty for others. */
  readonly importedKeys: (object: T) => readonly string[];
  /** Which ResourceImport counts if one key has several. Default: the first. */
  readonly prefers?: ((key: string, object: ResourceImportObject) => boolean) | undefined;
  /**
   * Asks the leader, past the cache, whether it has an export of the missing import that it did not
   * reject.
   */
  readonly isExported: (session: LeaderSession, lost: MissingImport, signal: AbortSignal) => Promise<boolean>;
}

/** The imports of one kind, on both sides. */
export interface KindImports<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly session: LeaderSession | undefined;
  /** The Common Area of the session. */
  readonly area: string | undefined;
  /** The leader's publication. */
  readonly remoteOf: (key: string) => ResourceImportObject | undefined;
  /** The object with this name here, ours or not. */
  readonly existing: (key: string) => Presence<T>;
  /** The object with this name here, ours or not, unless it is being deleted. */
  readonly currentOf: (key: string) => Live<T> | undefined;
  /**
   * The report while the object with this name is being deleted, if it is wanted or was ours.
   * Nothing is written to it, and no other object can have its name.
   */
  readonly whileHeld: (key: string) => string | undefined;
  /** The keys of all objects that we imported. */
  readonly imported: () => readonly string[];
  readonly missing: MissingImports<T>;
  /** Wakes the keys of a ResourceImport, and of an import that is held. */
  readonly sources: readonly Source[];
  /** Creates or changes the imported object. */
  readonly write: (current: T | undefined, wanted: T, signal: AbortSignal) => Promise<T>;
}

/** `wakes`: the keys that a ResourceImport concerns. Default: its own. */
export function createKindImports<T extends KubernetesObject>(
  own: OwnCluster,
  source: ImportSource,
  kind: ImportedKind<T>,
  wakes: (object: ResourceImportObject) => readonly string[] = kind.keys,
): KindImports<T> {
  const { exchange, what, keys, resource, prefers } = kind;
  const session = source.kind === 'session' ? source.session : undefined;
  const remoteOf = (key: string) => {
    const all = session?.imports.cache.byIndex(exchange, key).filter((object) => !isWithdrawn(object)) ?? [];
    return (prefers && all.find((object) => prefers(key, object))) ?? all[0];
  };
  const existing = (key: string) => presenceOf(resource.cache.get(kind.refOf(key)));
  const currentOf = (key: string) => liveOf(existing(key).object);
  const imported = () => resource.cache.list().filter(isLive).flatMap(kind.importedKeys);
  const missing = createMissingImports(own, source, {
    exchange,
    what,
    keys,
    resource,
    importOf: currentOf,
    imported,
    isOffered: (key) => remoteOf(key) !== undefined,
    isOfferedOrExported: async (asked, lost, signal) => {
      const isSame = (object: ResourceImportObject) => keys(object).includes(lost.key);
      return (
        (await isOffered(asked, { name: lost.name, isSame }, signal)) || (await kind.isExported(asked, lost, signal))
      );
    },
  });
  return {
    resource,
    session,
    area: session === undefined ? undefined : commonAreaOf(session.spec),
    remoteOf,
    existing,
    currentOf,
    whileHeld(key) {
      const { state, object } = existing(key);
      if (state !== 'terminating') return undefined;
      const isWanted = remoteOf(key) !== undefined;
      if (isWanted) missing.clear({ key });
      else missing.gone(key);
      const concerns = isWanted || kind.importedKeys(object).length > 0;
      return concerns ? beingDeletedMessage(resource.type, object) : undefined;
    },
    imported,
    missing,
    sources: [...(session === undefined ? [] : [from(session.imports.cache, wakes)]), ...missing.sources],
    write: (current, wanted, signal) =>
      current === undefined ? resource.create(wanted, signal) : resource.change(current, wanted, signal),
  };
}
