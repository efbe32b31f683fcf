import { equal, keyOf, rfc3339 } from '@isthmus/machinery';
import type { ObjectMeta } from '@isthmus/machinery';
import type { Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { conflict, notFound } from '../refusal/refusal.ts';
import type { Refusal } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { DeleteOptions } from '../options/delete-options.ts';
import { keepsItsFinalizersInSpec, refuseImmortalNamespace } from '../objects/namespace-lifecycle.ts';

export interface Deleted {
  /** Its last state, in the version of the request. */
  readonly object: Stored;
  /** False if finalizers or the grace period keep it. */
  readonly gone: boolean;
}

/** Removes an object, or marks it if finalizers or a grace period hold it. */
export async function deleteObject(core: Core, target: WriteTarget, options: DeleteOptions): Promise<Deleted> {
  const { resource, name } = target;
  for (;;) {
    const stored = core.store.get(resource.storageKey, keyOf(target));
    if (stored === undefined) throw notFound(resource, name);
    const [before = stored] = await core.conversion.toRequested(resource, [stored]);
    const sent = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options };
    refuseImmortalNamespace(resource, name);
    const request = { operation: 'DELETE', target, before, options: sent } as const;
    await core.admission.mutate(core, request);
    await core.admission.validate(core, request);
    if (core.store.get(resource.storageKey, keyOf(target)) !== stored) continue;
    const { object, gone } = deleteObjectNow(core, target, options);
    const [answer = object] = await core.conversion.toRequested(resource, [object]);
    return { object: answer, gone };
  }
}

/** {@link deleteObject} without admission, at once. The object comes in its storage version. */
export function deleteObjectNow(core: Core, target: WriteTarget, options: DeleteOptions): Deleted {
  const { resource, name, dryRun } = target;
  const { store } = core;
  const stored = store.get(resource.storageKey, keyOf(target));
  if (stored === undefined) throw notFound(resource, name);
  checkPreconditions(target, stored, options);
  const marked = markedForDeletion(core, target, stored, options);
  if (marked === undefined) {
    const object = dryRun ? stored : store.remove(resource.storageKey, stored);
    return { object: resource.strategy.gracePeriodSeconds === undefined ? object : ended(core, object), gone: true };
  }
  if (equal(marked, stored)) return { object: stored, gone: false };
  return { object: dryRun ? marked : store.put(resource.storageKey, marked), gone: false };
}

/** The object while it waits for its deletion; undefined if nothing keeps it. */
function markedForDeletion(
  core: Core,
  { resource }: WriteTarget,
  stored: Stored,
  options: DeleteOptions,
): Stored | undefined {
  const { metadata } = stored;
  if (metadata.deletionTimestamp === undefined && resource.strategy.beginDeletion !== undefined) {
    return resource.strategy.beginDeletion(stored, core.context);
  }
  const finalizers = finalizersFor(metadata, options);
  const isNamespace = resource.storageKey === '/namespaces';
  const grace = graceOf(resource.strategy.gracePeriodSeconds?.(stored), options);
  const held = finalizers.length > 0 || isNamespace || grace > 0;
  if (!held) return undefined;
  const { finalizers: _, ...rest } = metadata;
  const withFinalizers = finalizers.length === 0 ? rest : { ...rest, finalizers };
  if (isNamespace && metadata.deletionTimestamp !== undefined && !keepsItsFinalizersInSpec(stored)) {
    // The Namespace is empty; from here on it is deleted like any other object.
    if (finalizers.length === 0) return undefined;
    return { ...stored, metadata: { ...withFinalizers, deletionGracePeriodSeconds: 0 } };
  }
  if (metadata.deletionTimestamp !== undefined) {
    const had = metadata.deletionGracePeriodSeconds ?? 0;
    // A second request can shorten the remaining time, but not extend it.
    if (options.gracePeriodSeconds === undefined || grace >= had) return { ...stored, metadata: withFinalizers };
    if (grace === 0 && finalizers.length === 0 && !isNamespace) return undefined;
    return { ...stored, metadata: { ...withFinalizers, ...deletionAfter(core, grace) } };
  }
  const marks = isNamespace ? { deletionTimestamp: rfc3339(core.clock.now()) } : deletionAfter(core, grace);
  const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
  const status = isNamespace ? { status: { ...(stored['status'] as object), phase: 'Terminating' } } : {};
  return { ...stored, metadata: { ...withFinalizers, ...marks, ...generation }, ...status };
}

/** An object deleted after a grace period ends with a grace period of 0 in its last event. */
function ended(core: Core, object: Stored): Stored {
  const { deletionTimestamp, generation } = object.metadata;
  const marks = deletionAfter(core, 0);
  const first = deletionTimestamp === undefined && generation !== undefined ? { generation: generation + 1 } : {};
  return { ...object, metadata: { ...object.metadata, ...marks, ...first } };
}

function deletionAfter(core: Core, seconds: number): Partial<ObjectMeta> {
  return {
    deletionTimestamp: rfc3339(core.clock.now() + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
  };
}

function graceOf(byDefault: number | undefined, { gracePeriodSeconds }: DeleteOptions): number {
  if (byDefault === undefined) return 0;
  return byDefault === 0 ? 0 : Math.max(0, gracePeriodSeconds ?? byDefault);
}

/**
 * The finalizers after the propagation policy adds and removes its own. Without a policy they stay.
 */
export function finalizersFor(metadata: ObjectMeta, options: DeleteOptions): readonly string[] {
  const had = metadata.finalizers ?? [];
  const policy =
    options.propagationPolicy ??
    (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background');
  if (policy === undefined) return had;
  const others = had.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (policy === 'Orphan') return [...others, 'orphan'];
  return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** Errors: 409 if the stored object is not the one that the options name. */
export function checkPreconditions(
  { resource, name }: WriteTarget,
  stored: Stored,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = stored.metadata;
  const refuse = (field: string, want: string, have: string | undefined, how: string): Refusal => {
    // This error names the kind; others name the resource.
    const kind = { group: resource.group, plural: resource.kind };
    const why = `the ${field} in the precondition (${want}) does not match the ${field} in record (${have}). The object might have been ${how}`;
    return conflict(kind, name, why);
  };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw refuse('UID', preconditions.uid, uid, 'deleted and then recreated');
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw refuse('ResourceVersion', preconditions.resourceVersion, resourceVersion, 'modified');
  }
}
