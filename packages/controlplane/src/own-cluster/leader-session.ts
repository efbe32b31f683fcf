import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client, Resource } from '@isthmus/kube';
import type { ExportLosses } from './missing/export-losses.ts';
import type { NotedImportProblems } from './noted-import-problems.ts';
import type { SessionSpec } from './session-spec.ts';
import type { LostReason, SessionState, SettingsVerdict, TokenVerdict } from './session-state.ts';

/** The member's connection to the leader: what it reads and writes in the Common Area, and whether the leader answers. */
export interface LeaderSession {
  readonly spec: SessionSpec;
  /** For the rare object that no cache holds. */
  readonly client: Client;
  /** Those of this cluster alone. Indexed by the name of each exchange: its export keys. */
  readonly exports: Resource<ResourceExport>;
  /** Which of them were lost. */
  readonly losses: ExportLosses;
  /** Kinds of imports that this member does not import. */
  readonly unservedKinds: readonly string[];
  /** Whether the token names this cluster; undefined: not known yet. */
  readonly tokenBinding: TokenVerdict | undefined;
  /** In what the members differ; undefined: the leader has not been heard. */
  readonly settings: SettingsVerdict | undefined;
  /** Whether the leader answers heartbeats, as one of Isthmus does and one of Antrea or of Isthmus 0.1.0 does not; undefined: not known. */
  readonly answers: boolean | undefined;
  /**
   * When, by the monotonic clock, the Common Area last showed that it has lost what no member withdraws: its API server did not serve a kind, or went back in
   * time, or our announcement was not there. Undefined: never.
   */
  readonly areaLostMs: number | undefined;
  /** What this cluster cannot import, for the exporters. */
  readonly importProblems: NotedImportProblems;
  /** Indexed by the name of each exchange: its import keys. */
  readonly imports: Resource<ResourceImport>;
  /** The leader has this member's announcement, so that what it exports will be cleaned up after it. */
  readonly announced: boolean;
  readonly state: SessionState;
  /** When, by the monotonic clock, the leader last showed that it works: it wrote the status of an export of ours or an import, or the session became usable. */
  readonly answeredMs: number | undefined;
  /** The leader has not answered a heartbeat for 30 s: since when, RFC 3339, and as what the ClusterSet reports it. */
  readonly silence: { readonly since: string; readonly reason: LostReason } | undefined;
  /** Reports each change of `state`, `announced`, `silence`, `unservedKinds`, `settings`, `answers` and `tokenBinding`. Returns the unsubscriber. */
  onState(listener: () => void): () => void;
  /** Keeps the caches filled and the heart beating until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Whether exports can be written and imports believed: the leader has heard of this cluster, and has been read whole. */
export function isUsable({ announced, exports, imports }: LeaderSession): boolean {
  return announced && exports.cache.synced && imports.cache.synced;
}
