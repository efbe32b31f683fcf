import { keyOfObject } from '@isthmus/machinery';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { alreadyExists, badRequest, invalid, unexplained } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { refuseMissingNamespace } from '../objects/namespace-lifecycle.ts';
import { createdMetadata } from '../objects/created-metadata.ts';
import { isVersion } from '../options/list-options.ts';
import { metadataErrors } from '../objects/metadata-rules.ts';
import { storedForm } from '../objects/stored-form.ts';
import { trackedUpdate } from '../objects/tracking.ts';
import { allocatedBy, readBack, writeOptions } from './write.ts';

export interface CreateOptions {
  /** Its managed fields are set already (apply). */
  readonly isTracked?: boolean | undefined;
  /** Called if the request was authorized for another verb. Throws a Refusal. */
  readonly mayCreate?: (() => void) | undefined;
}

/**
 * Stores a new object. `given` is decoded and has its defaults. The answer is in the version of the
 * request.
 */
export async function createObject(
  core: Core,
  target: WriteTarget,
  given: Stored,
  { isTracked = false, mayCreate }: CreateOptions = {},
): Promise<Stored> {
  const named = withoutSystemFields({ ...given, metadata: namespaceOf(target, given) });
  core.guard(core, target, named, undefined);
  const tracked = isTracked ? named : trackedUpdate(core, target, undefined, named);
  const request = { operation: 'CREATE', target, options: writeOptions('CreateOptions', target) } as const;
  const admitted = (await core.admission.mutate(core, { ...request, object: tracked })) ?? tracked;
  // Changes by admission have no field manager.
  const object = preparedForCreate(core, target, admitted);
  mayCreate?.();
  await core.admission.validate(core, { ...request, object });
  const stored = await core.conversion.toStored(target.resource, object);
  return readBack(core, target, commitCreate(core, target, { object, stored, given: given.metadata.resourceVersion }));
}

/**
 * {@link createObject} without admission by webhooks, synchronously: for objects that the server
 * itself creates.
 */
export function createObjectNow(core: Core, target: WriteTarget, given: Stored): Stored {
  const named = { ...given, metadata: namespaceOf(target, given) };
  const object = preparedForCreate(core, target, trackedUpdate(core, target, undefined, named));
  return commitCreate(core, target, {
    object,
    stored: core.conversion.toStoredNow(target.resource, object),
    given: undefined,
  });
}

/**
 * Stores an object with its status and as old as it is: it keeps its uid, times, generation and
 * field managers. Everything else is as in {@link createObjectNow}.
 */
export function loadObjectNow(core: Core, target: WriteTarget, given: Stored): Stored {
  const { resource } = target;
  const prepared = preparedForCreate(core, target, { ...given, metadata: namespaceOf(target, given) });
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = given.metadata;
  const own = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation };
  const kept = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined && value !== null));
  const metadata = { ...prepared.metadata, ...kept };
  const whole = storedForm(resource, { ...prepared, ...('status' in given && { status: given['status'] }), metadata });
  return core.store.put(resource.storageKey, core.conversion.toStoredNow(resource, whole));
}

/**
 * The metadata of a new object with the Namespace of its path. Errors: 400 if it names another one.
 */
export function namespaceOf({ namespace }: WriteTarget, { metadata }: Stored): Stored['metadata'] {
  // Cluster-wide kinds accept a body with a Namespace, and drop it.
  if (namespace === undefined) {
    const { namespace: _, ...clusterWide } = metadata;
    return metadata.namespace === undefined ? metadata : clusterWide;
  }
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { ...metadata, namespace };
}

/** The metadata without the fields that only the server sets and that have no field manager. */
function withoutSystemFields(object: Stored): Stored {
  const {
    uid: _uid,
    creationTimestamp: _creationTimestamp,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    ...rest
  } = object.metadata;
  const { selfLink: _selfLink, ...metadata } = rest as typeof rest & { readonly selfLink?: unknown };
  return { ...object, metadata };
}

function preparedForCreate(core: Core, target: WriteTarget, given: Stored): Stored {
  const { resource, namespace } = target;
  const { strategy } = resource;
  const metadata = createdMetadata(given.metadata, namespace, core);
  const named: Stored = { ...given, metadata };
  refuseMissingNamespace(core, resource, named);
  const allocated = allocatedBy(core, target, { object: named, before: undefined, name: named.metadata.name });
  const prepared = strategy.prepareForCreate?.(allocated, core.context) ?? allocated;
  const object =
    strategy.generation === undefined ? prepared : { ...prepared, metadata: { ...prepared.metadata, generation: 1 } };
  const errors = [...metadataErrors(resource, object), ...(strategy.validate?.(object, core.context) ?? [])];
  if (errors.length > 0) throw invalid(resource, object.metadata.name, errors);
  const stored = storedForm(resource, object);
  return strategy.canonicalize?.(stored) ?? stored;
}

function commitCreate(
  core: Core,
  target: WriteTarget,
  { object, stored, given }: { readonly object: Stored; readonly stored: Stored; readonly given: string | undefined },
): Stored {
  const { resource, dryRun, warnings } = target;
  if (!dryRun && given !== undefined && isVersion(given) && BigInt(given) > 0n) {
    throw unexplained('resourceVersion should not be set on objects to be created');
  }
  refuseTakenName(core, target, object);
  // Values that were free during validation may be taken by now.
  allocatedBy(core, target, { object: stored, before: undefined, name: object.metadata.name });
  warnings.push(...(resource.strategy.warnings?.(object, undefined) ?? []));
  if (dryRun) return object;
  const written = core.store.put(resource.storageKey, stored);
  // The same object as watches report: its JSON is made once.
  if (stored === object) return written;
  return { ...object, metadata: written.metadata };
}

/** Errors: 409 if an object of this name exists. */
export function refuseTakenName({ store }: Core, { resource }: WriteTarget, object: Stored): void {
  if (store.get(resource.storageKey, keyOfObject(object)) === undefined) return;
  throw alreadyExists(resource, object.metadata.name);
}
