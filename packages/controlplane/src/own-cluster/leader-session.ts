import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client, Resource } from '@isthmus/kube';
import type { OtherMember } from '@isthmus/wire';
import type { ExportLosses } from './missing/export-losses.ts';
import type { CollectedImportProblems } from './collected-import-problems.ts';
import type { SessionSpec } from './session-spec.ts';
import type { LostReason, SessionState, SettingsVerdict, TokenVerdict } from './session-state.ts';

/**
 * The member's connection to the leader: the objects that it reads and writes in the Common Area,
 * and whether the leader answers.
 */
export interface LeaderSession {
  readonly spec: SessionSpec;
  /** For the rare object that is in no cache. */
  readonly client: Client;
  /** Only those of this cluster. Indexed by the name of each exchange: its export keys. */
  readonly exports: Resource<ResourceExport>;
  /** Which of them were lost. */
  readonly losses: ExportLosses;
  /** Kinds of imports that this member does not import. */
  readonly unservedKinds: readonly string[];
  /** Whether the token names this cluster; undefined: not known yet. */
  readonly tokenBinding: TokenVerdict | undefined;
  /** The settings in which the members differ. Undefined: the leader has not answered. */
  readonly settings: SettingsVerdict | undefined;
  /** What the leader reports of other members, by their IDs. */
  readonly otherMembers: ReadonlyMap<string, OtherMember>;
  /** Whether the leader's controller has shown that it works, where it has to. */
  readonly isHeard: boolean;
  /**
   * Whether the leader answers heartbeats: Isthmus does, Antrea and Isthmus 0.1.0 do not.
   * Undefined: not known.
   */
  readonly answers: boolean | undefined;
  /** Whether the leader accepts exports with dotted names. Undefined: not known. */
  readonly acceptsDottedNames: boolean | undefined;
  /**
   * When the Common Area last lost objects that no member withdraws, by the monotonic clock. Its
   * API server did not serve a kind or went back in time, or our announcement was missing.
   * Undefined: never.
   */
  readonly areaLostMs: number | undefined;
  /** What this cluster cannot import, for the exporters. */
  readonly importProblems: CollectedImportProblems;
  /** Indexed by the name of each exchange: its import keys. */
  readonly imports: Resource<ResourceImport>;
  /**
   * The leader has this member's announcement, so it will remove this member's exports if the
   * member goes away.
   */
  readonly announced: boolean;
  readonly state: SessionState;
  /**
   * When the leader last showed that it works, by the monotonic clock. It wrote an import or the
   * status of an export of ours, or the session became usable.
   */
  readonly answeredMs: number | undefined;
  /**
   * The leader has not answered a heartbeat for 30 s. `since` is RFC 3339, and `reason` is for the
   * ClusterSet.
   */
  readonly silence: { readonly since: string; readonly reason: LostReason } | undefined;
  /**
   * Reports each change of `state`, `announced`, `silence`, `unservedKinds`, `settings`,
   * `otherMembers`, `answers`, `acceptsDottedNames` and `tokenBinding`. Returns the unsubscriber.
   */
  onState(listener: () => void): () => void;
  /** Keeps the caches filled and sends heartbeats until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Whether exports can be written and imports used: the leader knows this cluster, and all its
 * objects have been read.
 */
export function isUsable({ announced, exports, imports }: LeaderSession): boolean {
  return announced && exports.cache.synced && imports.cache.synced;
}
