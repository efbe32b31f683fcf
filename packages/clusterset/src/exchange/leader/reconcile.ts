import type { ResourceExport, ResourceImport } from '@isthmus/api';
import {
  ResourceExport as ResourceExportType,
  ResourceImport as ResourceImportType,
  leaderClusterSetStatus,
} from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler, World } from '@isthmus/kube';
import { again, defineReconciler, from } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { ControllerAccess } from '../controller-access.ts';
import type { CommonArea } from '../common-area.ts';
import type { Exchange } from '../exchange.ts';
import { createRemovalGuard, holdMs } from '../removal-guard.ts';
import { howToAllowRemovals } from '../removals-allowed.ts';
import { mergeOutcome, outdatedDefinitions, prunedMs } from './decide-outcome.ts';
import { createIncompleteSince } from './incomplete-since.ts';
import type { ExportGroup, WriteAnswers } from './leader-exchange.ts';
import { noAnswers, writeImports } from './write-imports.ts';
import { release } from './release.ts';
import { createTakenNumbers } from './taken-numbers.ts';

/** A burst of exporters costs one rewrite of an import; a lone change is merged at once. */
const coalesceMs = 30;

/** What a controller that merges may do. */
export const mergeAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ResourceExportType, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ResourceExportType, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ResourceImportType, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
];

/** Merges the exports of one exchange into imports and answers the exporters. One key: see {@link LeaderExchange.exportKeys}. */
export function mergeController(exchange: Exchange, area: CommonArea, world: World): Reconciler {
  const { name, leader } = exchange;
  const incomplete = createIncompleteSince(world.clock);
  const takenNumbers = createTakenNumbers(exchange, area);
  let warnedOfPruningMs = Number.NEGATIVE_INFINITY;
  const exportsOf = (key: string) => area.exports.cache.byIndex(name, key);
  const guard = createRemovalGuard({
    clock: world.clock,
    cache: area.exports.cache,
    keys: leader.exportKeys,
    served: area.served,
    clusterSets: area.clusterSets.cache,
    count: () => {
      const ours = area.imports.cache.list().filter(leader.isPublished);
      const isUnexported = (key: string) => !exportsOf(key).some(leader.isSource);
      return {
        total: ours.length,
        missing: ours.filter((object) => leader.importKeys(object).every(isUnexported)).length,
      };
    },
  });
  return defineReconciler({
    name: leader.controller,
    coalesceMs,
    sources: [guard.source, from(area.exports.cache, leader.exportKeys), from(area.imports.cache, takenNumbers.keys)],
    access: mergeAccess,
    async reconcile(key, context) {
      using numbers = takenNumbers.of(key);
      const group = gather(key);
      const decide = (answers: WriteAnswers) =>
        numbers.reserve(leader.decide({ ...group, ...answers }, numbers.holdersOf));
      const decision = decide(noAnswers);
      incomplete.note(key, group.exports, decision.incomplete);
      if (group.exports.some(leader.isSource)) guard.clear(key);
      else if (decision.unwanted.length > 0) {
        const held = await heldBack(key, decision.unwanted, context);
        if (held !== undefined) return held;
      }
      for (const object of decision.unwanted) await area.imports.delete(object, context.signal);
      const answers = await writeImports(area, decide, context.signal);
      const { statuses, released } = answers.refused.size === 0 ? decision : decide(answers);
      for (const { object, conditions } of statuses) {
        await area.exports.changeStatus(object, { ...object.status, conditions }, context.signal);
      }
      for (const object of released) await release(area, object, context.signal);
      if (group.exports.length === 0) guard.clear(key);
      warn(answers, context);
      return mergeOutcome(decision, answers);
    },
  });

  function gather(key: string): ExportGroup {
    const exports = exportsOf(key);
    return {
      ...noAnswers,
      exports,
      imports: importsUnder(key, exports),
      now: rfc3339(world.clock.now()),
      incompleteForMs: incomplete.forMs(key),
    };
  }

  /** By key, and whatever else has a name that the key would use. */
  function importsUnder(key: string, exports: readonly ResourceExport[]): readonly ResourceImport[] {
    const byKey = area.imports.cache.byIndex(name, key);
    const known = new Set(byKey.map(({ metadata }) => metadata.name));
    const byName = leader
      .importNames(key, exports)
      .filter((importName) => !known.has(importName))
      .flatMap((importName) => area.imports.cache.get({ namespace: area.namespace, name: importName }) ?? []);
    return [...byKey, ...byName];
  }

  /** The outcome where the loss of all exporters is not certain yet. */
  async function heldBack(
    key: string,
    unwanted: readonly ResourceImport[],
    { log, signal }: ReconcileContext,
  ): Promise<Outcome | undefined> {
    const verdict = guard.ask(key);
    switch (verdict.kind) {
      case 'go':
        return undefined;
      case 'confirm': {
        for (const object of unwanted) {
          if (await area.isExported(leader.sources(object), signal)) return again(holdMs, 'it is exported again');
        }
        return undefined;
      }
      case 'hold': {
        log.warn('more than half of the published objects have lost their exports; keeping them for now', { key });
        const clusterSet = area.served();
        if (clusterSet !== undefined) {
          const message = `More than half of the published objects have lost their exports, and no deletion was observed. They are kept for a minute, and then removed only if still no cluster exports them. ${howToAllowRemovals(clusterSet)}`;
          area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'WithdrawalHeld', message });
        }
        return again(verdict.forMs, 'more than half of the published objects have lost their exports');
      }
    }
  }

  function warn({ refused, pruned }: WriteAnswers, { log }: ReconcileContext): void {
    if (refused.size > 0) log.warn('the API server rejects the objects to publish', { imports: [...refused.keys()] });
    else if (pruned.length > 0) {
      // Once for all keys.
      const nowMs = world.clock.monotonic();
      if (nowMs - warnedOfPruningMs < prunedMs) return;
      log.warn(outdatedDefinitions(pruned));
      warnedOfPruningMs = nowMs;
    }
  }
}
