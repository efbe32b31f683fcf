import { equal, keyOf } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import { forbidden } from '../refusal/forbidden.ts';
import type { Admission, Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { invalid, notFound } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { createObject } from './create.ts';
import { checkPreconditions, uidMismatch } from './preconditions.ts';
import { addressed, allocatedBy, readBack, writeOptions } from './write.ts';
import { withGeneration } from '../objects/generation.ts';
import { keepsItsFinalizersInSpec } from '../objects/namespace-lifecycle.ts';
import { metadataUpdateErrors, updatedMetadata } from '../objects/metadata-rules.ts';
import { storedForm } from '../objects/stored-form.ts';
import { trackedAcrossVersions, trackedUpdate, withoutIdleTimes } from '../objects/tracking.ts';

/** Computes the next object from the existing one, in the version of the request. */
export type Change = (before: Stored) => Stored | Promise<Stored>;

export interface Written {
  readonly object: Stored;
  readonly created: boolean;
}

/** How a write differs from a plain PUT. */
export interface UpdateOptions {
  readonly options: 'UpdateOptions' | 'PatchOptions';
  /** Creates the object if it does not exist. Absent: 404. */
  readonly createFrom?: (() => Stored) | undefined;
  /** Managed fields are set already (apply). */
  readonly tracked?: boolean | undefined;
  /** The admission of the write, if it is not a write of the object itself (its Scale). */
  readonly admission?: Admission | undefined;
}

/** Replaces an object by one that is decoded and has its defaults. */
export function putObject(core: Core, target: WriteTarget, given: Stored): Promise<Written> {
  addressed(target, given);
  const creates = target.resource.strategy.createOnUpdate && target.subresource === undefined;
  return updateObject(core, target, () => given, {
    options: 'UpdateOptions',
    ...(creates && { createFrom: () => createdByPut(target, given) }),
  });
}

/**
 * The object that a PUT creates if there is none to replace. Its resourceVersion is ignored, but a
 * uid is an error.
 */
function createdByPut({ resource, name, namespace }: WriteTarget, given: Stored): Stored {
  const { uid = '', resourceVersion: _, ...metadata } = given.metadata;
  const addressed = { ...metadata, ...(namespace !== undefined && { namespace }) };
  if (uid !== '') throw uidMismatch(resource, { ...given, metadata: addressed }, { name, uid, found: '' });
  return { ...given, metadata };
}

/**
 * Changes an object: reads it, computes and validates the next one, and writes it. If another write
 * came between, it starts again. If nothing changes, nothing is written and the resourceVersion
 * stays. An object that is being deleted and loses its last finalizer is removed.
 */
export async function updateObject(
  core: Core,
  target: WriteTarget,
  change: Change,
  options: UpdateOptions,
): Promise<Written> {
  const { resource, name } = target;
  const { store } = core;
  const { admission = core.admission } = options;
  for (;;) {
    const stored = store.get(resource.storageKey, keyOf(target));
    if (stored === undefined) {
      if (options.createFrom === undefined) throw notFound(resource, name);
      const isTracked = options.tracked === true;
      const mayCreate = () => refuseWithoutRight(core, target, 'create');
      const object = await createObject(core, target, options.createFrom(), { isTracked, mayCreate });
      return { object, created: true };
    }
    const before = await toRequested(core, target, stored);
    const given = await change(before);
    checkPreconditions(target, before, given, options.options === 'UpdateOptions');
    core.guard(core, target, given, before);
    const rebased = { ...given, metadata: updatedMetadata(before.metadata, given.metadata) };
    const tracked = options.tracked === true ? rebased : await trackedAcrossVersions(core, target, before, rebased);
    const request = { operation: 'UPDATE', target, before, options: writeOptions('UpdateOptions', target) } as const;
    const sent = options.options === 'UpdateOptions' ? asSent(target, tracked, given) : tracked;
    const mutated = (await admission.mutate(core, { ...request, object: sent })) ?? sent;
    const admitted = sent === tracked ? mutated : backFrom({ mutated, sent, tracked, before });
    const next = preparedForUpdate(core, target, before, admitted);
    await admission.validate(core, { ...request, object: next });
    const storedNext = await core.conversion.toStored(resource, next);
    if (store.get(resource.storageKey, keyOf(target)) !== stored) continue;
    const written = commitUpdate(core, target, { before, stored, next, storedNext });
    return { object: await readBack(core, target, written), created: false };
  }
}

/**
 * Errors: 403 if the sender does not have this right too. The request was authorized by its own
 * verb.
 */
function refuseWithoutRight(
  { authorizer }: Core,
  { resource, namespace, name, user }: WriteTarget,
  verb: string,
): void {
  const { group, version, plural } = resource;
  const ask = {
    kind: 'resource',
    verb,
    group,
    version,
    namespace,
    resource: plural,
    name,
    subresource: undefined,
  } as const;
  const verdict = authorizer.authorize(user, ask);
  if (!verdict.allowed) throw forbidden(user, ask, verdict.reason);
}

/** A replacement as mutating admission sees it: with the metadata that the client has sent. */
function asSent({ namespace }: WriteTarget, tracked: Stored, { metadata }: Stored): Stored {
  return { ...tracked, metadata: { ...metadata, ...(namespace !== undefined && { namespace }) } };
}

/**
 * A replacement after mutating admission, with the server's metadata restored. Changes by admission
 * have no field manager.
 */
function backFrom(of: Readonly<Record<'mutated' | 'sent' | 'tracked' | 'before', Stored>>): Stored {
  const { mutated, sent, tracked, before } = of;
  if (mutated === sent) return tracked;
  const { managedFields } = tracked.metadata;
  const metadata = updatedMetadata(before.metadata, mutated.metadata);
  return { ...mutated, metadata: { ...metadata, ...(managedFields !== undefined && { managedFields }) } };
}

/**
 * {@link updateObject} without admission by webhooks, synchronously: for writes of the server
 * itself.
 */
export function updateObjectNow(core: Core, target: WriteTarget, change: (before: Stored) => Stored): Stored {
  const { resource, name } = target;
  const stored = core.store.get(resource.storageKey, keyOf(target));
  if (stored === undefined) throw notFound(resource, name);
  const before = core.conversion.toRequestedNow(resource, stored);
  const given = change(before);
  checkPreconditions(target, before, given, true);
  const rebased = { ...given, metadata: updatedMetadata(before.metadata, given.metadata) };
  const next = preparedForUpdate(core, target, before, trackedUpdate(core, target, before, rebased));
  const storedNext = core.conversion.toStoredNow(resource, next);
  return commitUpdate(core, target, { before, stored, next, storedNext });
}

async function toRequested(core: Core, { resource }: WriteTarget, stored: Stored): Promise<Stored> {
  const [before = stored] = await core.conversion.toRequested(resource, [stored]);
  return before;
}

function preparedForUpdate(core: Core, target: WriteTarget, before: Stored, given: Stored): Stored {
  const { resource } = target;
  const { strategy } = resource;
  const { context } = core;
  const errors: FieldError[] = [];
  let next: Stored;
  if (target.subresource === 'status') {
    next = strategy.prepareForStatusUpdate?.(given, before) ?? given;
    next = { ...next, metadata: { ...next.metadata, ...generationOf(before) } };
    errors.push(...metadataUpdateErrors(target, before, next));
    errors.push(...(strategy.validateStatusUpdate?.(next, before, context) ?? []));
  } else if (target.subresource !== undefined) {
    const rules = strategy.subresourceUpdates?.[target.subresource];
    next = rules?.prepare(given, before) ?? given;
    errors.push(...metadataUpdateErrors(target, before, next), ...(rules?.validate(next, before) ?? []));
  } else {
    const allocated = allocatedBy(core, target, { object: given, before, name: given.metadata.name });
    next = strategy.prepareForUpdate?.(allocated, before, context) ?? allocated;
    next = withGeneration(strategy.generation, before, storedForm(resource, next));
    errors.push(...metadataUpdateErrors(target, before, next));
    errors.push(...(strategy.validateUpdate?.(next, before, context) ?? []));
  }
  if (errors.length > 0) throw invalid(resource, next.metadata.name, errors);
  return next;
}

function generationOf({ metadata }: Stored): { readonly generation?: number } {
  return metadata.generation === undefined ? {} : { generation: metadata.generation };
}

interface Commit {
  readonly before: Stored;
  readonly stored: Stored;
  readonly next: Stored;
  readonly storedNext: Stored;
}

function commitUpdate(core: Core, target: WriteTarget, { before, stored, next, storedNext }: Commit): Stored {
  const { resource, dryRun, warnings } = target;
  const { store } = core;
  // Values that were free during validation may be taken by now.
  if (target.subresource === undefined) {
    allocatedBy(core, target, { object: storedNext, before: stored, name: next.metadata.name });
  }
  warnings.push(...(resource.strategy.warnings?.(next, before) ?? []));
  const final = withoutIdleTimes(stored, storedNext);
  const answer = next;
  if (isFinalized(final)) {
    // The watch reports the last stored object; the answer is the sent one.
    if (!dryRun) store.remove(resource.storageKey, stored);
    return answer;
  }
  if (isUnchanged(stored, final)) return before;
  if (dryRun) return answer;
  const written = store.put(resource.storageKey, final);
  // The same object as watches report: its JSON is made once.
  if (final === answer) return written;
  return { ...answer, metadata: { ...answer.metadata, resourceVersion: written.metadata.resourceVersion } };
}

/** Whether an object is being deleted and nothing holds it any more. */
export function isFinalized(object: Stored): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  const waits = deletionGracePeriodSeconds > 0;
  return deletionTimestamp !== undefined && finalizers.length === 0 && !waits && !keepsItsFinalizersInSpec(object);
}

/**
 * Whether a write leaves the stored object as it is: then nothing is written, and the
 * resourceVersion stays.
 */
export function isUnchanged(stored: Stored, next: Stored): boolean {
  return equal(stored, next);
}
