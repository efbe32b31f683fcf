import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { Refusal } from '../refusal/refusal.ts';
import { deleteObject } from './delete.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import { listPage } from './list.ts';
import type { Page, View } from './list.ts';
import type { ListOptions } from '../options/list-options.ts';

/**
 * Deletes a page of the selected objects, one by one. An object that is already gone is not an
 * error. Returns the objects as they were.
 */
export async function deleteCollection(
  core: Core,
  target: WriteTarget,
  { view, list, options }: { readonly view: View; readonly list: ListOptions; readonly options: DeleteOptions },
): Promise<Page> {
  const page = await listPage(core, view, list);
  for (const { metadata } of page.items) {
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
  return page;
}
