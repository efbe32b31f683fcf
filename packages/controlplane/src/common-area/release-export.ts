import type { ResourceExport } from '@isthmus/api';
import { isResourceExportFinalizer } from '@isthmus/api';
import type { CommonArea } from './common-area.ts';

/** Whether a finalizer of a leader keeps this export from being deleted. */
export function isHeld({ metadata }: ResourceExport): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).some(isResourceExportFinalizer);
}

/**
 * Removes the leader's finalizer from a deleted export, because everything published for it has
 * been withdrawn.
 */
export async function release(area: CommonArea, object: ResourceExport, signal: AbortSignal): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => !isResourceExportFinalizer(name));
  await area.exports.change(object, { ...object, metadata: { ...object.metadata, finalizers } }, signal);
}
