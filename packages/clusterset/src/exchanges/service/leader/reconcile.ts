import type { ResourceExport, ResourceImport } from '@isthmus/api';
import {
  Label,
  ResourceExport as ResourceExportType,
  ResourceImport as ResourceImportType,
  SourceKind,
  isResourceExportFinalizer,
  leaderClusterSetStatus,
} from '@isthmus/api';
import type { Access, Outcome, ReconcileContext, Reconciler, World } from '@isthmus/kube';
import { ApiError, again, defineReconciler, done, from } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import { createRemovalGuard, holdMs } from '../../../exchange/removal-guard.ts';
import { howToAllowRemovals } from '../../../exchange/removals-allowed.ts';
import { servedClusterSet } from '../../../served-cluster-set.ts';
import type { CommonArea } from '../../../leader/common-area.ts';
import { ExportIndex, ImportIndex } from '../../../leader/common-area.ts';
import { decideService } from './decide.ts';
import type { DesiredImport } from './imports.ts';
import { importBases, isPublishedService } from './imports.ts';
import { mergeKeys, unplacedName } from './read-export.ts';

/** How long a Service export waits for its endpoints before it is published without. */
const incompleteMs = 1_000;

/** A burst of exporters costs one rewrite of an import; a lone change is merged at once. */
const coalesceMs = 30;

/** How often it is looked whether the resource definitions are the current ones by now: their change wakes nobody. */
const prunedMs = 60_000;
const outdatedDefinitions =
  'the API server drops spec.endpointSlices of ResourceImports: apply the current resource definitions (deploy/leader-global.yaml)';

/** How often an import that the API server refused is tried again: what it is made of may stay, and the server may change its mind. */
const refusedMs = 60_000;

/** What this controller may do. */
export const serviceMergeAccess: readonly Access[] = [
  { at: 'local', type: ResourceExportType, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ResourceExportType, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: ResourceImportType, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
];

/** Merges the exports of each Service into its imports and answers the exporters. One key: one import base. */
export function serviceMergeController(area: CommonArea, world: World): Reconciler {
  // A cache: when half an export was first seen, by base and uid. Lost with the process, which costs a second.
  const seen = new Map<string, Map<string, number>>();
  let toldOfPruningMs = Number.NEGATIVE_INFINITY;
  const guard = createRemovalGuard({
    clock: world.clock,
    cache: area.exports.cache,
    keys: mergeKeys,
    clusterSets: area.clusterSets.cache,
    count: () => {
      const ours = area.imports.cache.list().filter(isPublishedService);
      return {
        standing: ours.length,
        missing: ours.filter((object) => importBases(object).every(isUnexported)).length,
      };
    },
  });
  const isUnexported = (base: string) => !area.exports.cache.byIndex(ExportIndex.mergeKey, base).some(isOfService);
  return defineReconciler({
    name: 'service-merge',
    coalesceMs,
    // The guard first: what it notes must stand before the key is looked at.
    sources: [guard.source, from(area.exports.cache, mergeKeys), from(area.imports.cache, importBases)],
    access: serviceMergeAccess,
    async reconcile(key, context) {
      const exports = exportsOf(area, key);
      const imports = importsUnder(area, key, exports);
      const since = seen.get(key) ?? new Map<string, number>();
      seen.set(key, since);
      // Other exporters may keep the base for ever.
      const uids = new Set(exports.map(({ metadata }) => metadata.uid));
      for (const uid of since.keys()) if (!uids.has(uid)) since.delete(uid);
      const nowMs = world.clock.monotonic();
      const mayBeIncomplete = ({ metadata: { uid = '' } }: ResourceExport) => {
        const first = since.get(uid) ?? nowMs;
        since.set(uid, first);
        return nowMs - first < incompleteMs;
      };
      const group = { exports, imports, now: rfc3339(world.clock.now()), mayBeIncomplete };
      const decision = decideService(group);
      if (exports.some(isOfService)) guard.settled(key);
      else if (decision.unwanted.length > 0) {
        const held = await heldBack(key, decision.unwanted, context);
        if (held !== undefined) return held;
      }
      for (const object of decision.unwanted) await area.imports.delete(object, context.signal);
      let pruned = false;
      const refused = new Map<string, string>();
      let failure: ApiError | undefined;
      for (const wanted of decision.wanted) {
        try {
          const written = await writeImport(area, pruned ? standingAlone(wanted) : wanted, context);
          pruned ||= isPruned(written, wanted);
        } catch (error) {
          // What one cluster says, too large it may be, must not hold up what the others have to say.
          if (!(error instanceof ApiError)) throw error;
          if (isRefusal(error)) refused.set(wanted.object.metadata.name, error.message);
          else failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
      const { statuses } = refused.size === 0 ? decision : decideService({ ...group, refused });
      for (const { object, conditions } of statuses) {
        await area.exports.changeStatus(object, { ...object.status, conditions }, context.signal);
      }
      for (const object of decision.released) await release(area, object, context);
      if (exports.length === 0) {
        seen.delete(key);
        guard.settled(key);
      }
      if (refused.size > 0) {
        context.log.warn('the API server refuses what is to be published', { imports: [...refused.keys()] });
        return again(refusedMs, 'the API server refuses what is to be published');
      }
      if (pruned) {
        // Once for all Services.
        if (nowMs - toldOfPruningMs >= prunedMs) {
          context.log.warn(outdatedDefinitions);
          toldOfPruningMs = nowMs;
        }
        return again(prunedMs, outdatedDefinitions);
      }
      return decision.waiting ? again(incompleteMs, 'the endpoints of an export have not come yet') : done;
    },
  });

  /** The outcome where it is not to be believed yet that nobody exports what is published. */
  async function heldBack(
    key: string,
    unwanted: readonly ResourceImport[],
    context: ReconcileContext,
  ): Promise<Outcome | undefined> {
    const verdict = guard.ask(key);
    switch (verdict.kind) {
      case 'go':
        return undefined;
      case 'confirm': {
        for (const { spec } of unwanted) {
          const service = { namespace: spec?.namespace, name: spec?.name ?? '' };
          if (await area.isExported(service, context.signal)) return again(holdMs, 'the Service is exported after all');
        }
        return undefined;
      }
      case 'hold':
        context.log.warn('more than half of what is published has lost its exports; keeping it for now', { key });
        const clusterSet = servedClusterSet(area.clusterSets.cache.list());
        if (clusterSet !== undefined) {
          const message = `More than half of what is published has lost its exports, and nobody told that they were withdrawn. It is kept for a minute, and then only removed if it is still exported by nobody. ${howToAllowRemovals(clusterSet)}`;
          area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'WithdrawalHeld', message });
        }
        return again(verdict.forMs, 'more than half of what is published has lost its exports');
    }
  }
}

/** Endpoints alone export nothing: they may come back before their Service does. */
function isOfService({ spec }: ResourceExport): boolean {
  return spec?.kind === SourceKind.service;
}

function exportsOf(area: CommonArea, key: string): readonly ResourceExport[] {
  const unplaced = unplacedName(key);
  if (unplaced === undefined) return area.exports.cache.byIndex(ExportIndex.mergeKey, key);
  const object = area.exports.cache.get({ namespace: area.namespace, name: unplaced });
  // Mended meanwhile, it belongs to another key: what that one merges must not be overwritten with this one export.
  return object === undefined || !mergeKeys(object).includes(key) ? [] : [object];
}

/** By tuple, and whatever else has a name that the merge would use. */
function importsUnder(area: CommonArea, key: string, exports: readonly ResourceExport[]): readonly ResourceImport[] {
  const byTuple = area.imports.cache.byIndex(ImportIndex.base, key);
  const clusterIDs = new Set(exports.map((object) => object.spec?.clusterID ?? ''));
  const names = [`${key}-service`, `${key}-endpoints`, ...[...clusterIDs].map((id) => `${key}-endpoints.${id}`)];
  const known = new Set(byTuple.map((object) => object.metadata.name));
  const byName = names
    .filter((name) => !known.has(name))
    .flatMap((name) => area.imports.cache.get({ namespace: area.namespace, name }) ?? []);
  return [...byTuple, ...byName];
}

async function writeImport(
  area: CommonArea,
  { object }: DesiredImport,
  { signal }: ReconcileContext,
): Promise<ResourceImport> {
  const { name } = object.metadata;
  const current = area.imports.cache.get({ namespace: area.namespace, name });
  if (current === undefined) {
    return area.imports.create({ ...object, metadata: { ...object.metadata, namespace: area.namespace } }, signal);
  }
  // The only label of ours that may have to go, see standingAlone.
  const { [Label.sourceKind]: _, ...labels } = current.metadata.labels ?? {};
  const metadata = {
    ...current.metadata,
    labels: { ...labels, ...object.metadata.labels },
    annotations: { ...current.metadata.annotations, ...object.metadata.annotations },
  };
  return area.imports.change(current, { ...current, metadata, spec: object.spec }, signal);
}

/** The API server has understood and will not have it: it is malformed, forbidden, too large or invalid. */
function isRefusal({ code }: ApiError): boolean {
  return [400, 403, 413, 422].includes(code);
}

/** Whether the API server has dropped what only our resource definitions know. */
function isPruned(written: ResourceImport, { object }: DesiredImport): boolean {
  return object.spec?.endpointSlices !== undefined && written.spec?.endpointSlices === undefined;
}

/**
 * The merged endpoints, where the API server prunes those of each cluster: without the label that tells our members that they need not look
 * at them.
 */
function standingAlone({ object }: DesiredImport): DesiredImport {
  if (object.spec?.kind !== SourceKind.endpoints) return { object };
  const { [Label.sourceKind]: _, ...labels } = object.metadata.labels ?? {};
  return { object: { ...object, metadata: { ...object.metadata, labels } } };
}

async function release(area: CommonArea, object: ResourceExport, { signal }: ReconcileContext): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => !isResourceExportFinalizer(finalizer));
  await area.exports.change(object, { ...object, metadata: { ...object.metadata, finalizers } }, signal);
}
