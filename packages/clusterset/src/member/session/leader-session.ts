import {
  Annotation,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  SourceKind,
  memberAnnounceName,
  perClusterImportName,
  resourceImportName,
} from '@isthmus/api';
import type { Client, Resource, Source, World } from '@isthmus/kube';
import { createCache, isNotFound, resourceOf } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { refOf } from '@isthmus/machinery';
import { importKeys } from '../../exchanges/service/import/read-imports.ts';
import type { SessionSpec } from '../membership.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { SessionState } from './session-state.ts';

/** The member's way to the leader: what it reads and writes in the Common Area, and whether it is heard there. */
export interface LeaderSession {
  readonly spec: SessionSpec;
  /** For the rare object that no cache holds. */
  readonly client: Client;
  /** Those of this cluster alone. Indexed by {@link RemoteIndex}. */
  readonly exports: Resource<ResourceExport>;
  /** Indexed by {@link RemoteIndex}. */
  readonly imports: Resource<ResourceImport>;
  /** The leader has this member's announcement, so that what it exports will be cleaned up after it. */
  readonly announced: boolean;
  readonly state: SessionState;
  /** Tells each change of `state` and `announced`. Returns the unsubscriber. */
  onState(listener: () => void): () => void;
  /** Asks the leader, past the cache, whether nobody exports that Service. */
  isGone(ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Keeps the caches filled and the heart beating until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export const RemoteIndex = {
  /** `namespace/name` of the Service that an export or import speaks of. */
  service: 'service',
} as const;

export interface SessionOptions {
  readonly client: Client;
  readonly spec: SessionSpec;
  readonly version: string;
  /** The uid of Namespace kube-system of this cluster; empty where it can't be known. */
  readonly clusterUID: (signal: AbortSignal) => Promise<string>;
  readonly world: World;
}

/** The `namespace/name` that a ResourceExport of a Service or its endpoints speaks of. */
export function exportKeys(object: ResourceExport): readonly string[] {
  const { kind, namespace = '', name = '' } = object.spec ?? {};
  return (kind === 'Service' || kind === 'Endpoints') && namespace !== '' && name !== ''
    ? [`${namespace}/${name}`]
    : [];
}

/** A session over `client`, which it doesn't close. Nothing is sent before it is run. */
export function createLeaderSession({ client, spec, version, clusterUID, world }: SessionOptions): LeaderSession {
  const { clusterID, leaderNamespace: namespace } = spec;
  const exports = createCache<ResourceExport>({
    ...world,
    client,
    type: ResourceExport,
    namespace,
    labelSelector: `${Label.sourceClusterID}=${clusterID}`,
    name: 'leader-resourceexports',
    indexes: { [RemoteIndex.service]: exportKeys },
  });
  const imports = createCache<ResourceImport>({
    ...world,
    client,
    type: ResourceImport,
    namespace,
    // A leader that labels its imports has one per source cluster as well: the merged one would be every change of an endpoint twice.
    labelSelector: `${Label.sourceKind}!=${SourceKind.endpoints}`,
    name: 'leader-resourceimports',
    indexes: { [RemoteIndex.service]: importKeys },
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
  const heartbeat = createHeartbeat({
    client,
    announce,
    spec,
    version,
    clusterUID,
    world,
    onRecovered: () => caches.forEach((cache) => cache.renew()),
  });
  return {
    spec,
    client,
    exports: resourceOf(ResourceExport, exports, client),
    imports: resourceOf(ResourceImport, imports, client),
    get announced() {
      const found = announces.get({ namespace, name: memberAnnounceName(clusterID) });
      // Another cluster's announcement, under our ID, is not ours.
      const isOurs = heartbeat.state.kind !== 'disconnected' || heartbeat.state.reason !== 'Refused';
      return found !== undefined && found.metadata.deletionTimestamp === undefined && isOurs;
    },
    get state() {
      return heartbeat.state;
    },
    onState(listener) {
      const unsubscribe = [
        heartbeat.onState(listener),
        announces.subscribe(({ before, after }) => {
          // Heartbeats change the announcement every ten seconds; only coming and going matters.
          const there = (object: MemberClusterAnnounce | undefined) =>
            object !== undefined && object.metadata.deletionTimestamp === undefined;
          if (there(before) !== there(after)) listener();
        }),
        exports.onState(listener),
        imports.onState(listener),
      ];
      return () => unsubscribe.forEach((stop) => stop());
    },
    async isGone({ namespace: of = '', name }, signal) {
      try {
        await client.get(ResourceImport, { namespace, name: resourceImportName(of, name, 'Service') }, { signal });
        return false;
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    },
    async run(signal) {
      // Without an announcement the leader takes this cluster for gone, and so do the others.
      const stop = announces.subscribe(({ before, after }) => {
        if (before !== undefined && after === undefined) heartbeat.beatNow();
      });
      try {
        await Promise.all([...caches.map((cache) => cache.run(signal)), heartbeat.run(signal)]);
      } finally {
        stop();
      }
    },
  };
}

/**
 * Since when, by the leader's own note, this cluster exports the Service of `key`; undefined where the leader has noted nothing. Read by what
 * the import says: its name alone may be that of another Service.
 */
export function firstExportedByLeader({ imports, spec }: LeaderSession, key: string): string | undefined {
  const { namespace = '', name } = refOf(key);
  const ownName = perClusterImportName(namespace, name, spec.clusterID);
  const own = imports.cache.byIndex(RemoteIndex.service, key).find(({ metadata }) => metadata.name === ownName);
  return own?.metadata.annotations?.[Annotation.firstExported];
}

/** Wakes `keys()` whenever the session changes. */
export function sessionSource(session: LeaderSession, keys: () => readonly string[]): Source {
  return {
    synced: true,
    whenSynced: () => Promise.resolve(),
    start(enqueue) {
      const tell = () => keys().forEach(enqueue);
      tell();
      return session.onState(tell);
    },
  };
}
