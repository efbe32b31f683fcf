import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { ResourceExport, SourceKind } from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject, rfc3339 } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';
import type { ControllerAccess } from '../controller-access.ts';
import type { CommonArea } from './common-area.ts';
import type { Exchange } from '../define-exchange.ts';
import { unmerged } from './export-answer.ts';
import { isHeld, release } from './release-export.ts';

/** The access that this controller needs. */
export const unservedKindsAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ResourceExport, subresource: 'status', scope: 'own', verbs: ['patch'] },
];

export interface UnservedKindsOptions {
  readonly area: CommonArea;
  readonly exchanges: readonly Exchange[];
  /** Exchanges whose setting is off. */
  readonly off: readonly Exchange[];
  readonly world: World;
}

/**
 * Reports ResourceExports of kinds that no exchange of this leader serves. Releases the deleted
 * ones, so that a member that exports them can leave. Nothing was published for them, so nothing
 * has to be withdrawn.
 */
export function unservedKindsController({ area, exchanges, off, world }: UnservedKindsOptions): Reconciler {
  const settingOf = (object: ResourceExportObject) =>
    off.find(({ leader }) => leader.exportKeys(object).length > 0)?.setting;
  const isServed = (object: ResourceExport) => exchanges.some(({ leader }) => leader.exportKeys(object).length > 0);
  return defineReconciler({
    name: 'unserved-kinds',
    sources: [from(area.exports.cache, (object) => (isServed(object) ? [] : [keyOfObject(object)]))],
    access: unservedKindsAccess,
    async reconcile(key, { signal }) {
      const object = area.exports.cache.getByKey(key);
      const isLive = object !== undefined && object.metadata.deletionTimestamp === undefined && !isServed(object);
      const setting = isLive ? settingOf(object) : undefined;
      area.switchedOff.note(key, setting);
      area.unserved.note(key, isLive && setting === undefined ? (object.spec?.kind ?? '') : undefined);
      if (object !== undefined && isHeld(object)) await release(area, object, signal);
      if (isLive && isWrittenByPeople(object)) {
        const message = `This version does not merge ResourceExports of kind ${shown(object.spec?.kind)}, so it is not published. It merges ${mergedKinds.join(', ')}. Correct spec.kind, or delete the ResourceExport.`;
        const conditions = unmerged(object, message, rfc3339(world.clock.now()));
        await area.exports.changeStatus(object, { ...object.status, conditions }, signal);
      }
      return done;
    },
  });
}

/** Kinds of imports that are not kinds of exports. */
const ofImports: readonly string[] = [SourceKind.serviceImport, SourceKind.endpointSlices];
const mergedKinds = Object.values(SourceKind).filter((kind) => !ofImports.includes(kind));

/**
 * Whether a user wrote the export. Antrea's members export each set of labels of their Pods, and
 * users do not look at these one by one.
 */
function isWrittenByPeople({ spec }: ResourceExportObject): boolean {
  return spec?.kind !== SourceKind.labelIdentity;
}
