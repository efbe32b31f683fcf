import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { ResourceExport as ResourceExportType, ResourceImport as ResourceImportType } from '@isthmus/api';
import type { ReconcileContext, Reconciler, Source, World } from '@isthmus/kube';
import { again, defineReconciler, from } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { isLive, rfc3339 } from '@isthmus/machinery';
import type { ExportGroup, ReportedProblem, WriteAnswers } from '@isthmus/wire';
import { quotasOf, readersOf } from '@isthmus/wire';
import type { ControllerAccess } from '../controller-access.ts';
import type { CommonArea } from './common-area.ts';
import { ExportIndex, endpointIPTypeOf } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';
import { createReportedImportProblems } from './reported-import-problems.ts';
import { announcesRestoring } from '../loss/beats.ts';
import { markWithdrawn, withdraw } from '../loss/withdraw-objects.ts';
import { mergeOutcome, outdatedDefinitions, prunedMs } from './decide-outcome.ts';
import { createIncompleteSince } from './incomplete-since.ts';
import { sourceOf } from './find-losses.ts';
import { createLostExports } from './lost-exports.ts';
import { readersSource } from './readers-source.ts';
import { noAnswers, writeImports } from './write-imports.ts';
import { release } from './release-export.ts';
import { clusterSetSources } from './cluster-set-sources.ts';
import type { Pace } from '../reporting/pace.ts';
import { countsChanges, createPace } from '../reporting/pace.ts';
import { createSilentMembers } from './silent-members.ts';
import { createRivals } from './rivals.ts';
import { createNumberBlocks } from './number-blocks.ts';
import { createTakenNumbers, numberQuota } from './taken-numbers.ts';

/** A burst of exporters costs one rewrite of an import. A single change is merged at once. */
const coalesceMs = 30;

/** The access that a merging controller needs. */
export const mergeAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ResourceExportType, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ResourceExportType, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ResourceImportType, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
];

/**
 * Merges the exports of one exchange into imports and answers the exporters. One key: see
 * {@link LeaderExchange.exportKeys}.
 */
export function mergeController(exchange: Exchange, area: CommonArea, world: World): Reconciler {
  const { name, leader } = exchange;
  const incomplete = createIncompleteSince(world.clock);
  const takenNumbers = createTakenNumbers(exchange, area);
  const blocks = createNumberBlocks(exchange, area);
  const quota = numberQuota(exchange, area);
  const warn = createAnswerWarnings(world.clock);
  const unexported = createUnexportedSince(world.clock);
  /**
   * Keeps the exports of one cluster, however many, from delaying those of others. Publications
   * that exist do not delay new ones: a leader that starts looks at all of them.
   */
  const laneOf = (object: ResourceExport) => {
    const isPublished = leader.exportKeys(object).some((key) => area.imports.cache.byIndex(name, key).length > 0);
    return `${object.spec?.clusterID ?? ''}${isPublished ? '' : ' new'}`;
  };
  const lostExports = createLostExports(exchange, area, world);
  const rivals = createRivals(exchange, area, world.clock);
  const importProblems = createReportedImportProblems(area, leader.exportKeys, world.clock);
  const pace = createPace(world.clock);
  const silentMembers = createSilentMembers(exchange, area);
  return defineReconciler({
    name: leader.controller,
    coalesceMs,
    sources: [
      ...lostExports.sources,
      ...blocks.sources,
      from(area.exports.cache, leader.exportKeys, laneOf),
      from(area.imports.cache, takenNumbers.keys),
      importProblems.source,
      silentMembers.source,
      rivals.source,
      readersSource(exchange, area),
      ...clusterSetSources(exchange, area),
      ...grantSources(exchange, area),
      pacedBy(pace, exchange, area),
    ],
    access: mergeAccess,
    async reconcile(key, context) {
      const waitMs = pace.begin(key);
      if (waitMs > 0) return again(waitMs, 'its exports change too often');
      using numbers = takenNumbers.of(key);
      const found = gather(key);
      const lost = await lostExports.look(key, found, context);
      if (lost.waits && lost.outcome !== undefined) return lost.outcome;
      const lastNumbers = numbers.lastOf(found.imports);
      const exports = [...found.exports, ...lost.substitutes];
      const known = { ...found, exports, isKept: lost.keeps, lastNumbers, quota };
      const needs = leader.allocates?.needs(known, numbers.holdersOf) === true;
      if (!needs) blocks.settled(key);
      const free = needs ? await blocks.take(key, numbers.holdersOf, context.signal) : undefined;
      area.exhausted.note(`${name} ${key}`, free === 'exhausted' ? name : undefined);
      const group: ExportGroup = { ...known, free };
      const decide = (answers: WriteAnswers) =>
        numbers.reserve(leader.decide({ ...group, ...answers }, numbers.holdersOf));
      const decision = decide(noAnswers);
      area.overQuota.note(`${name} ${key}`, decision.overQuota);
      incomplete.note(key, group.exports, decision.incomplete);
      const unwanted = decision.unwanted.filter((object) => !lost.keeps(object));
      const options = { nowMs: world.clock.now(), signal: context.signal };
      for (const { object, wanted } of decision.amended ?? [])
        await area.exports.change(object, wanted, context.signal);
      for (const object of decision.retired ?? []) await markWithdrawn(area.imports, object, options);
      await withdraw(area.imports, unwanted, options);
      const answers = await writeImports(area, { ...decision, decide }, options);
      const { statuses, released } = answers.refused.size === 0 ? decision : decide(answers);
      for (const { object, conditions } of statuses) {
        if (lost.substitutes.includes(object)) continue;
        await area.exports.changeStatus(object, { ...object.status, conditions }, context.signal);
      }
      for (const object of released) await release(area, object, context.signal);
      warn(answers, context);
      return lost.outcome ?? mergeOutcome(decision, answers);
    },
  });

  function gather(key: string): ExportGroup {
    const exports = area.exports.cache.byIndex(name, key);
    const imports = importsUnder(key, exchange, area);
    return {
      ...noAnswers,
      exports,
      importProblemsOf: (service) => withSilent(importProblems.of(service), silentMembers.waitingFor(imports, exports)),
      rivals: rivals.of(key),
      config: area.config,
      ...(leader.ofClusterSet !== undefined && { clusterSet: area.served() }),
      endpointIPTypeOf: (clusterID) => endpointIPTypeOf(area, clusterID),
      grantOf: area.grants.of,
      usesGrants: area.grants.areUsed,
      imports,
      unexportedForMs: unexported.forMs(key, exports, imports),
      isRestoring: () => area.announces.cache.list().some(announcesRestoring),
      now: rfc3339(world.clock.now()),
      readers: readersOf(area.announces.cache.list()),
      incompleteForMs: incomplete.forMs(key),
      connectedMsOf: lostExports.connectedMsOf,
    };
  }
}

/**
 * What members report comes first: a message has room for few, and what a member reported before it
 * fell silent is more exact.
 */
function withSilent(
  reported: readonly ReportedProblem[],
  silent: readonly ReportedProblem[],
): readonly ReportedProblem[] {
  const known = new Set(reported.map(({ clusterID }) => clusterID));
  return [...reported, ...silent.filter(({ clusterID }) => !known.has(clusterID))];
}

/** Wakes the keys whose decisions depend on a grant. */
function grantSources({ leader }: Exchange, { grants, exports, imports }: CommonArea): readonly Source[] {
  const used = leader.grants;
  if (used === undefined) return [];
  const { traced } = leader;
  // Its exports may be lost.
  const importedOf = (clusterID: string) =>
    traced === undefined ? [] : imports.cache.list().filter((object) => sourceOf(object, traced) === clusterID);
  const keysOf = (clusterID: string) => [
    ...new Set([
      ...exports.cache.byIndex(ExportIndex.clusterID, clusterID).flatMap(leader.exportKeys),
      ...importedOf(clusterID).flatMap(leader.importKeys),
    ]),
  ];
  const all = () => (used.arePartOfEach ? exports.cache.list().flatMap(leader.exportKeys) : []);
  return [grants.source(used.part, keysOf, all)];
}

/** Counts how often each cluster changes its exports. */
function pacedBy(pace: Pace, { leader }: Exchange, { exports, grants }: CommonArea): Source {
  return countsChanges(pace, exports.cache, (object) => {
    const { clusterID: owner = '' } = object.spec ?? {};
    return { owner, perMinute: quotasOf(grants.of(owner)).changesPerMinute, keys: leader.exportKeys(object) };
  });
}

/** The imports of the key, and all other imports with a name that the key would use. */
function importsUnder(key: string, { name, leader }: Exchange, area: CommonArea): readonly ResourceImport[] {
  const byKey = area.imports.cache.byIndex(name, key);
  const known = new Set(byKey.map(({ metadata }) => metadata.name));
  const byName = leader
    .importNames(key, area.exports.cache.byIndex(name, key))
    .filter((importName) => !known.has(importName))
    .flatMap((importName) => area.imports.cache.get({ namespace: area.namespace, name: importName }) ?? []);
  return [...byKey, ...byName];
}

/** Logs what the API server rejects. What it drops is logged once for all keys. */
function createAnswerWarnings(clock: Clock): (answers: WriteAnswers, context: ReconcileContext) => void {
  let warnedOfPruningMs = Number.NEGATIVE_INFINITY;
  return ({ refused, pruned }, { log }) => {
    if (refused.size > 0) log.warn('the API server rejects the objects to publish', { imports: [...refused.keys()] });
    else if (pruned.length > 0 && clock.monotonic() - warnedOfPruningMs >= prunedMs) {
      log.warn(outdatedDefinitions(pruned));
      warnedOfPruningMs = clock.monotonic();
    }
  };
}

interface UnexportedSince {
  /** For how long imports of the key have had no export; undefined: an export exists. */
  forMs(key: string, exports: readonly ResourceExport[], imports: readonly ResourceImport[]): number | undefined;
}

/** A restart loses this memory, which costs the wait once more. */
function createUnexportedSince(clock: Clock): UnexportedSince {
  const known = new Map<string, number>();
  return {
    forMs(key, exports, imports) {
      const isExported = exports.some(isLive);
      const nowMs = clock.monotonic();
      const sinceMs = known.get(key) ?? nowMs;
      if (isExported || imports.length === 0) known.delete(key);
      else known.set(key, sinceMs);
      return isExported ? undefined : nowMs - sinceMs;
    },
  };
}
