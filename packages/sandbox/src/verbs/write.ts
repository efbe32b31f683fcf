import { apiVersionOf, keyOfObject } from '@isthmus/machinery';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { badRequest, internalError, invalid } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';

/** The options of a write as admission webhooks see them. */
export function writeOptions(kind: string, { dryRun, namedFieldManager }: WriteTarget): object {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun && { dryRun: ['All'] }),
    ...(namedFieldManager !== undefined && { fieldManager: namedFieldManager }),
  };
}

/**
 * The object with its unique values (addresses, ports) allocated. Errors: throws for values that
 * cannot be allocated.
 */
export function allocatedBy(
  core: Core,
  { resource, dryRun }: WriteTarget,
  { object, before, name }: { readonly object: Stored; readonly before: Stored | undefined; readonly name: string },
): Stored {
  const allocation = resource.strategy.allocate?.(object, before, { ...core.context, dryRun });
  if (allocation === undefined) return object;
  if (allocation.failure !== undefined) throw internalError(allocation.failure);
  if (allocation.errors.length > 0) throw invalid(resource, name, allocation.errors);
  return allocation.object;
}

/**
 * The answer to a write, as a read would return it: in the version of the request, with defaults,
 * also in a status that a creation leaves out.
 */
export async function readBack(core: Core, { resource, dryRun }: WriteTarget, written: Stored): Promise<Stored> {
  if (dryRun || resource.storageVersion === apiVersionOf(resource)) {
    const { schemas } = resource;
    return schemas === undefined ? written : (schemas(written.apiVersion).object.applyDefaults(written) as Stored);
  }
  const stored = core.store.get(resource.storageKey, keyOfObject(written));
  if (stored === undefined) return written;
  const [answer = written] = await core.conversion.toRequested(resource, [stored]);
  return answer;
}

/** The object itself. Errors: 400 if its name or Namespace is not that of the path. */
export function addressed({ name, namespace }: WriteTarget, object: Stored): Stored {
  const { metadata } = object;
  if (metadata.name === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (namespace !== undefined && (metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return object;
}
