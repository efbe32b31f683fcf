import type { ClusterSet, KnownCluster, ResourceExport, ResourceImport } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';
import type { EndpointIPType } from './announcements/announced-settings.ts';
import type { ExportCondition } from './conditions.ts';
import type { ReportedProblem } from './announcements/import-problems.ts';
import type { Grant } from './cluster-info/grant.ts';
import type { LeaderConfig } from './leader-config.ts';
import type { Readers } from './announcements/readers.ts';

/**
 * How a leader handles the exports of one kind of payload, as data and pure functions. Exports that
 * could contend for one name share a key, so that one decision covers the name.
 */
export interface LeaderExchange {
  /** Name of the controller: the label of its metrics. */
  readonly controller: string;
  /**
   * The key under which an export is merged; empty for kinds of other exchanges. Total: an export
   * that cannot be assigned has a key of its own.
   */
  readonly exportKeys: (object: ResourceExport) => readonly string[];
  /** The key under which an import was published; empty for kinds of other exchanges. */
  readonly importKeys: (object: ResourceImport) => readonly string[];
  /**
   * The names that the imports of `key` may have. An existing object with one of them is part of
   * the decision, whichever client created it.
   */
  readonly importNames: (key: string, exports: readonly ResourceExport[]) => readonly string[];
  /**
   * How a published import is traced back to the members that export it; undefined for kinds that
   * members do not export.
   */
  readonly traced?: TracedImports | undefined;
  /** How to find the exports of an import on the API server, whichever client wrote them. */
  readonly sources: (object: ResourceImport) => ExportQuery;
  /**
   * The numbers that belong to an import, each unique in the whole ClusterSet; undefined for kinds
   * without numbers. No other key takes a number between the decision and the write.
   */
  readonly numbers?: ((object: ResourceImport) => readonly number[]) | undefined;
  /**
   * What exports of different keys contend for, if only one of them may have it. They are decided
   * together ({@link ExportGroup.rivals}). Undefined for kinds without contention.
   */
  readonly contention?: Contention<unknown> | undefined;
  /**
   * The numbers that an export names as known to its cluster, for a leader that has lost them.
   * Default: none.
   */
  readonly namedNumbers?: ((object: ResourceExport) => readonly number[]) | undefined;
  /** The range from which the leader assigns numbers; undefined: the exports contain them. */
  readonly allocates?: NumberRange | undefined;
  /**
   * The part of the served ClusterSet that decisions use. A change of it wakes all keys. Default:
   * nothing.
   */
  readonly ofClusterSet?: ((clusterSet: ClusterSet) => string | undefined) | undefined;
  /** How decisions use what clusters may announce. Default: they do not. */
  readonly grants?: UsedGrants | undefined;
  /** Pure; called again with the answers of the API server. */
  readonly decide: (group: ExportGroup, holdersOf: HoldersOf) => ExportDecision;
}

/** What decisions use of the grants of clusters. */
export interface UsedGrants {
  /** The part that decisions use. A change of it wakes the keys of the cluster. */
  readonly part: (spec: KnownCluster['spec']) => unknown;
  /** Whether decisions about clusters without a grant depend on whether grants can be read. */
  readonly arePartOfEach: boolean;
}

/** Does not depend on the configuration. */
export interface Contention<Stake> {
  /**
   * What an export contends for. It is read once: a member may write exports of any size, and each
   * is compared with each. Undefined for an export that does not take part, such as one that is not
   * valid; a member may write any number of these.
   */
  stakeOf(object: ResourceExport, published?: ResourceImport): Stake | undefined;
  /** Symmetric. */
  contend(a: Stake, b: Stake): boolean;
}

/** An export of another key that contends with one of this key, and what is published of it. */
export interface Rival {
  readonly object: ResourceExport;
  readonly published: ResourceImport | undefined;
}

/** Traces imports back to the exports that they were made of. */
export interface TracedImports {
  /**
   * The cluster whose exports alone this import publishes; undefined if several clusters, or none,
   * may have a part in it.
   */
  readonly sourceOf: (object: ResourceImport) => string | undefined;
  /**
   * Substitutes for the lost exports of that cluster, reconstructed from what the imports of the
   * key publish of them. A decision with the substitutes leaves the published objects as they are.
   * They have at least the identities that the exports had.
   */
  readonly substitutes: (object: ResourceImport, imports: readonly ResourceImport[]) => readonly ResourceExport[];
  /**
   * Identifies an export, if one object can have different names. Default: its name does.
   */
  readonly identityOf?: ((object: ResourceExport) => string) | undefined;
  /**
   * What an export or an import is for, if one key has imports of several objects. Default: all
   * under one key are for the same.
   */
  readonly objectOf?: ((object: ResourceExport | ResourceImport) => string) | undefined;
  /**
   * Whether the exporting cluster can see the export, so that the export counts as that cluster's.
   * An export that its cluster cannot see counts as lost. Default: it can see each.
   */
  readonly isSeen?: ((object: ResourceExport) => boolean) | undefined;
  /**
   * Whether the substitutes can be decided with other exports: everything in the lost exports is
   * published. Default: they always can.
   */
  readonly isWhole?: ((object: ResourceImport, imports: readonly ResourceImport[]) => boolean) | undefined;
}

/**
 * The imports of other keys that have a number ({@link LeaderExchange.numbers}), or are about to be
 * written with it.
 */
export type HoldersOf = (number: number) => readonly ResourceImport[];

/** The numbers that a leader assigns. */
export interface NumberRange {
  readonly first: number;
  /** Part of the range. */
  readonly last: number;
  /** Whether an import that is to be published has no number. */
  readonly needs: (group: ExportGroup, holdersOf: HoldersOf) => boolean;
}

/** A number that no import has and no other process assigns; or `exhausted` if there is none. */
export type FreeNumber = number | 'exhausted';

/**
 * How many numbers a leader reserves for one cluster, including those of withdrawn imports that are
 * not deleted yet.
 */
export interface NumberQuota {
  readonly limit: number;
  isUsedUp(clusterID: string): boolean;
}

/** Which ResourceExports to ask for. */
export type ExportQuery =
  | { readonly by: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly by: 'name'; readonly name: string };

/**
 * Everything in the Common Area under one key, and the answers of the API server to the writes of
 * earlier decisions.
 */
export interface ExportGroup extends WriteAnswers {
  /** Includes those that are being deleted. */
  readonly exports: readonly ResourceExport[];
  /** The imports of the key, and other objects with a name that the key would use. */
  readonly imports: readonly ResourceImport[];
  /**
   * Which clusters do not import a Service and why, by their own reports; undefined: nothing is
   * known.
   */
  readonly importProblemsOf?: ((service: ObjectRef) => readonly ReportedProblem[]) | undefined;
  /** Whether an import stays although no member exports it. Default: none does. */
  readonly isKept?: ((object: ResourceImport) => boolean) | undefined;
  /** All exports that contend with these, directly or through others; default: none. */
  readonly rivals?: readonly Rival[] | undefined;
  /**
   * The endpoint type that a member announces; undefined: it announces none. Default: no member
   * does.
   */
  readonly endpointIPTypeOf?: ((clusterID: string) => EndpointIPType | undefined) | undefined;
  /** What a cluster may announce. Default: what is not unusual, for every cluster. */
  readonly grantOf?: ((clusterID: string) => Grant) | undefined;
  /** Whether there are grants of clusters ({@link Annotation.judgedRanges}). Default: no. */
  readonly usesGrants?: boolean | undefined;
  /**
   * The served ClusterSet, if the exchange reads it ({@link LeaderExchange.ofClusterSet}); default:
   * none.
   */
  readonly clusterSet?: ClusterSet | undefined;
  /** Default: the configuration of a leader without a configuration file. */
  readonly config?: LeaderConfig | undefined;
  readonly readers: Readers;
  /** Now, RFC 3339: the lastTransitionTime of conditions that change. */
  readonly now: string;
  /**
   * A free number, if one is needed ({@link LeaderExchange.allocates}); undefined: none can be
   * reserved now.
   */
  readonly free?: FreeNumber | undefined;
  /** How many numbers one cluster may have (docs/spec/wire.md §9); default: any number. */
  readonly quota?: NumberQuota | undefined;
  /**
   * The numbers of the imports of the key. If another client has deleted these imports: the numbers
   * that this leader saw last. Default: none.
   */
  readonly lastNumbers?: readonly number[] | undefined;
  /**
   * For how many milliseconds the exports with these uids have been incomplete; see
   * {@link ExportDecision.incomplete}.
   */
  readonly incompleteForMs: ReadonlyMap<string, number>;
  /**
   * For how many milliseconds no export has been live; undefined: one is live. Default: without
   * limit.
   */
  readonly unexportedForMs?: number | undefined;
  /** Whether a member announces that it has exports to restore. Default: no member does. */
  readonly isRestoring?: (() => boolean) | undefined;
  /**
   * For how many milliseconds a member has sent heartbeats without a break; undefined: it is
   * silent. Default: unknown for all members.
   */
  readonly connectedMsOf?: ((clusterID: string) => number | undefined) | undefined;
}

/** What the writes of earlier decisions showed. */
export interface WriteAnswers {
  /** Imports, by name, that the API server rejected, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /**
   * Fields in the spec of imports that the API server drops, because its resource definitions are
   * those of another release or of Antrea; sorted.
   */
  readonly pruned: readonly string[];
}

export interface ExportDecision {
  /**
   * Imports to have, in the order of the writes. The writer sets `metadata.namespace` to that of
   * the Common Area.
   */
  readonly wanted: readonly ResourceImport[];
  /** Imports of ours that are not wanted any more, in the order of their deletion. */
  readonly unwanted: readonly ResourceImport[];
  /**
   * Imports of ours that are not wanted any more, and whose numbers are not free yet: they are
   * marked as withdrawn, and kept. Default: none.
   */
  readonly retired?: readonly ResourceImport[] | undefined;
  /**
   * Exports that the leader completes, like Antrea's webhook, before it publishes anything of them.
   * Default: none.
   */
  readonly amended?: readonly { readonly object: ResourceExport; readonly wanted: ResourceExport }[] | undefined;
  /**
   * Conditions to set on exports that are not being deleted; exports that need no answer are not
   * listed.
   */
  readonly statuses: readonly { readonly object: ResourceExport; readonly conditions: readonly ExportCondition[] }[];
  /** Exports in deletion that may be removed after the writes of `wanted` and `unwanted`. */
  readonly released: readonly ResourceExport[];
  /**
   * The uids of exports of which a part may still arrive, whether or not the leader still waits for
   * it.
   */
  readonly incomplete: readonly string[];
  /**
   * A cluster whose labels have no number because it has too many ({@link ExportGroup.quota}).
   * Default: none.
   */
  readonly overQuota?: string | undefined;
  /**
   * Something was left out because it may still be completed: when to look again, and what is
   * awaited.
   */
  readonly wait: { readonly forMs: number; readonly why: string } | undefined;
}
