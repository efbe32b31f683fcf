import type { ClusterSet, ResourceExport, ResourceImport } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';
import type { EndpointIPType } from './announcements/announced-settings.ts';
import type { ExportCondition } from './conditions.ts';
import type { ReportedProblem } from './announcements/import-problems.ts';
import type { LeaderConfig } from './leader-config.ts';
import type { Readers } from './announcements/readers.ts';

/**
 * What a leader does with the exports of one kind of payload, as data and pure functions. Exports that could meet under one name share a
 * key, so that everything about that name is decided in one place.
 */
export interface LeaderExchange {
  /** Name of the controller: the label of its metrics. */
  readonly controller: string;
  /** The key under which an export is merged; nothing for kinds of other exchanges. Total: an export that cannot be placed has a key of its own. */
  readonly exportKeys: (object: ResourceExport) => readonly string[];
  /** The key under which an import was published; nothing for kinds of other exchanges. */
  readonly importKeys: (object: ResourceImport) => readonly string[];
  /** The names that the imports of `key` may have. What already has one of them, whoever made it, is part of the decision. */
  readonly importNames: (key: string, exports: readonly ResourceExport[]) => readonly string[];
  /** How what is published is traced back to the members that export it; undefined for kinds that members do not export. */
  readonly traced?: TracedImports | undefined;
  /** How the exports of what `object` publishes are found on the API server, whoever wrote them. */
  readonly sources: (object: ResourceImport) => ExportQuery;
  /**
   * The numbers that an import stands for, each for itself alone in the whole ClusterSet; undefined for kinds without. Nobody else takes a number
   * between the decision and the write.
   */
  readonly numbers?: ((object: ResourceImport) => readonly number[]) | undefined;
  /**
   * What exports of different keys contend for, where only one may have it: they are decided with each other in view ({@link ExportGroup.rivals}); undefined for
   * kinds without.
   */
  readonly contention?: Contention<unknown> | undefined;
  /** The numbers that an export names as those that its cluster knows, for a leader that has lost them. Default: none. */
  readonly namedNumbers?: ((object: ResourceExport) => readonly number[]) | undefined;
  /** Which of these numbers the leader gives away; undefined: the numbers come with the exports. */
  readonly allocates?: NumberRange | undefined;
  /** What is decided with the served ClusterSet in view: a change of it wakes all keys. Default: nothing. */
  readonly ofClusterSet?: ((clusterSet: ClusterSet) => string | undefined) | undefined;
  /** Pure; called again with what the API server answered. */
  readonly decide: (group: ExportGroup, holdersOf: HoldersOf) => ExportDecision;
}

/** Of what does not change with the configuration. */
export interface Contention<Stake> {
  /**
   * What an export contends for, read once: a member may write exports of any size, and each is compared with each. Undefined for one that takes no part, such as
   * one that is not valid, of which a member may write any number.
   */
  stakeOf(object: ResourceExport): Stake | undefined;
  /** Symmetric. */
  contend(a: Stake, b: Stake): boolean;
}

/** An export of another key that contends with one of this key, and what is published of it. */
export interface Rival {
  readonly object: ResourceExport;
  readonly published: ResourceImport | undefined;
}

/** From imports back to the exports that they were made of. */
export interface TracedImports {
  /** The cluster whose exports alone this import publishes; undefined where several clusters, or nobody, may have a part in it. */
  readonly sourceOf: (object: ResourceImport) => string | undefined;
  /**
   * The exports of that cluster, made of what the imports of the key publish of them: decided with these in the place of exports that were lost,
   * what is published stays as it is. They have at least the names that the exports had.
   */
  readonly standIns: (object: ResourceImport, imports: readonly ResourceImport[]) => readonly ResourceExport[];
  /**
   * Whether the cluster that an export is of can see it, so that it speaks for that cluster. One that it cannot see counts as lost, not as an export.
   * Default: every one.
   */
  readonly isSeen?: ((object: ResourceExport) => boolean) | undefined;
  /** Whether the stand-ins can be decided with others: all that the exports said is published. Default: they always can. */
  readonly isWhole?: ((object: ResourceImport, imports: readonly ResourceImport[]) => boolean) | undefined;
}

/** The imports of other keys that have a number ({@link LeaderExchange.numbers}), or are about to be written with it. */
export type HoldersOf = (number: number) => readonly ResourceImport[];

/** Numbers that a leader gives away. */
export interface NumberRange {
  readonly first: number;
  /** Itself in the range. */
  readonly last: number;
  /** Whether what is to be published lacks a number. */
  readonly needs: (group: ExportGroup, holdersOf: HoldersOf) => boolean;
}

/** A number that no import has and no other process gives away; or that there is none. */
export type FreeNumber = number | 'exhausted';

/** How many numbers a leader keeps for one cluster, those of imports that are withdrawn and not deleted yet included. */
export interface NumberQuota {
  readonly limit: number;
  isUsedUp(clusterID: string): boolean;
}

/** Which ResourceExports to ask for. */
export type ExportQuery =
  | { readonly by: 'labels'; readonly labels: Readonly<Record<string, string>> }
  | { readonly by: 'name'; readonly name: string };

/** Everything in the Common Area under one key, and what the API server answered to what was decided from it. */
export interface ExportGroup extends WriteAnswers {
  /** Deleting ones included. */
  readonly exports: readonly ResourceExport[];
  /** Imports of the key, and whatever else has a name that the key would use. */
  readonly imports: readonly ResourceImport[];
  /** Why which clusters do not import a Service, by their own word; undefined: nothing is known. */
  readonly importProblemsOf?: ((service: ObjectRef) => readonly ReportedProblem[]) | undefined;
  /** All that contend with these, also by way of others; default: none. */
  readonly rivals?: readonly Rival[] | undefined;
  /** What a member announces; undefined: nothing. Default: nobody does. */
  readonly endpointIPTypeOf?: ((clusterID: string) => EndpointIPType | undefined) | undefined;
  /** The served one, where the exchange reads it ({@link LeaderExchange.ofClusterSet}); default: none. */
  readonly clusterSet?: ClusterSet | undefined;
  /** Default: that of a leader without a configuration file. */
  readonly config?: LeaderConfig | undefined;
  readonly readers: Readers;
  /** Now, RFC 3339: the lastTransitionTime of conditions that change. */
  readonly now: string;
  /** Where a number is needed ({@link LeaderExchange.allocates}): a free one; undefined: none can be reserved now. */
  readonly free?: FreeNumber | undefined;
  /** How many numbers one cluster may have (docs/spec/wire.md §9); default: any number. */
  readonly quota?: NumberQuota | undefined;
  /** The numbers of the imports of the key, or, where somebody has deleted these, as this leader saw them last. Default: none. */
  readonly lastNumbers?: readonly number[] | undefined;
  /** For how many milliseconds the exports of these uids have been incomplete; see {@link ExportDecision.incomplete}. */
  readonly incompleteForMs: ReadonlyMap<string, number>;
  /** For how many milliseconds no export has been live; undefined: one is. Default: for ever. */
  readonly unexportedForMs?: number | undefined;
  /** Whether a member announces that it has exports to restore. Default: none does. */
  readonly isRestoring?: (() => boolean) | undefined;
  /** For how many milliseconds a member has been heard without a break; undefined: it is not heard. Default: that is not known of any. */
  readonly heardMsOf?: ((clusterID: string) => number | undefined) | undefined;
}

/** What became known by writing. */
export interface WriteAnswers {
  /** Imports, by name, that the API server refused, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Fields of the spec of imports that its resource definitions drop, as those of another release or of Antrea do; sorted. */
  readonly pruned: readonly string[];
}

export interface ExportDecision {
  /** Imports to have, in the order in which to write them; `metadata.namespace` is the Common Area's and is filled in by the writer. */
  readonly wanted: readonly ResourceImport[];
  /** Imports of ours that nobody wants, in the order in which to delete them. */
  readonly unwanted: readonly ResourceImport[];
  /** Imports of ours that nobody wants, and whose numbers are not free yet: they are marked as withdrawn, and kept. Default: none. */
  readonly retired?: readonly ResourceImport[] | undefined;
  /** Exports that the leader completes, as Antrea's webhook does, before anything is published of them. Default: none. */
  readonly amended?: readonly { readonly object: ResourceExport; readonly wanted: ResourceExport }[] | undefined;
  /** Conditions to have on exports that are not being deleted; of those that need no answer nothing. */
  readonly statuses: readonly { readonly object: ResourceExport; readonly conditions: readonly ExportCondition[] }[];
  /** Deleting exports that may go once `wanted` and `unwanted` are done. */
  readonly released: readonly ResourceExport[];
  /** The uids of exports of which a part may still be on its way, whether or not they are still waited for. */
  readonly incomplete: readonly string[];
  /** A cluster whose labels have no number because it has too many ({@link ExportGroup.quota}). Default: none. */
  readonly overQuota?: string | undefined;
  /** Something was left out because it may still be completed: when to look again, and what is awaited. */
  readonly wait: { readonly forMs: number; readonly why: string } | undefined;
}
