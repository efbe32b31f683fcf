import { keyOf } from '@isthmus/machinery';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import { notFound } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';

/** The object in the version of the request. */
export async function getObject(core: Core, target: Target): Promise<Stored> {
  const { resource, name } = target;
  const stored = core.store.get(resource.storageKey, keyOf(target));
  if (stored === undefined) throw notFound(resource, name);
  const [object = stored] = await core.conversion.toRequested(resource, [stored]);
  return object;
}
