import type { Core, WriteTarget } from '../server/core.ts';
import { Refusal } from '../server/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { deleteObject } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { Selection } from './selection.ts';

/** Deletes what is selected, one by one; what went meanwhile is no error. Returns the objects as they were. */
export async function deleteCollection(
  core: Core,
  target: WriteTarget,
  { selection, options }: { readonly selection: Selection; readonly options: DeleteOptions },
): Promise<readonly Stored[]> {
  const { resource } = target;
  const selected = core.store.list(resource.storageKey).filter((object) => selection.matches(object));
  for (const { metadata } of selected) {
    try {
      await deleteObject(
        core,
        { ...target, namespace: metadata.namespace, name: metadata.name, ofCollection: true },
        options,
      );
    } catch (error) {
      if (!(error instanceof Refusal) || error.status.reason !== 'NotFound') throw error;
    }
  }
  return core.conversion.toRequested(resource, selected);
}
