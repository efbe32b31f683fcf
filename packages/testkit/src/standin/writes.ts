import { applyMergePatch, equal, apiVersionOf, keyOf, keyOfObject, resourceNameOf, rfc3339 } from '@isthmus/machinery';
import type { FieldError, ObjectMeta } from '@isthmus/machinery';
import { admitBuiltIn } from './admission.ts';
import type { Admitted, ClusterFacts } from './admission.ts';
import { createdMetadata, metadataErrors, updatedMetadata } from './metadata.ts';
import type { Origin } from './metadata.ts';
import {
  about,
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  invalidValue,
  modified,
  notFound,
  unexplained,
} from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { rulesOf, storageKeyOf } from './served-type.ts';
import type { ServedType, Stored } from './served-type.ts';
import type { Store } from './store.ts';

/** What the rules of writing work on. */
export interface Server {
  readonly store: Store;
  readonly origin: Origin;
  readonly facts: ClusterFacts;
  /** Prunes, defaults and validates by the schema of a custom resource. */
  admitCustom(type: ServedType, object: Stored): Admitted;
}

/** Which object is written, and how. */
export interface Target {
  readonly type: ServedType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** `status`: only that is taken. `whole`: spec and status at once, as only tests may. Absent: all but the status. */
  readonly part?: 'status' | 'whole' | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Stores a new object. Refused as the real server refuses: missing Namespace, taken name, bad metadata, broken schema. */
export function createObject(server: Server, target: Omit<Target, 'name'>, body: unknown): Stored {
  const { type, namespace } = target;
  const given = decoded(type, body);
  if ((given.metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (given.metadata.resourceVersion !== undefined && given.metadata.resourceVersion !== '') {
    throw unexplained('resourceVersion should not be set on objects to be created');
  }
  const metadata = createdMetadata(type, given.metadata, namespace, server.origin);
  checkNamespace(server, type, namespace, metadata.name);
  const dropsStatus = type.statusSubresource && target.part !== 'whole';
  const { status: _, ...withoutStatus } = given;
  const object = checked(server, type, { ...(dropsStatus ? withoutStatus : given), metadata }, undefined);
  const taken = server.store.get(storageKeyOf(type), keyOfObject(object)) !== undefined;
  if (taken) throw alreadyExists(type, object.metadata.name);
  return target.dryRun === true ? object : server.store.put(storageKeyOf(type), object);
}

/** Replaces an object. Nothing is written, and the resourceVersion stays, where nothing changes. */
export function updateObject(server: Server, target: Target, body: unknown): Stored {
  const { type } = target;
  const given = decoded(type, body);
  const before = existing(server, target);
  if (given.metadata.name !== target.name) {
    throw badRequest(
      `the name of the object (${given.metadata.name}) does not match the name on the URL (${target.name})`,
    );
  }
  if ((given.metadata.namespace ?? target.namespace) !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const { uid, resourceVersion = '' } = given.metadata;
  if (uid !== undefined && uid !== before.metadata.uid) {
    const have = before.metadata.uid;
    throw conflict(type, target.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${have}`);
  }
  if (resourceVersion === '' && rulesOf(type).conditionalUpdateOnly === true && target.part !== 'whole') {
    // Here the real server puts the plural where the kind belongs.
    throw invalid({ group: type.group, kind: type.plural }, target.name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (resourceVersion !== '' && resourceVersion !== before.metadata.resourceVersion) throw modified(type, target.name);
  return replace(server, target, before, given);
}

/** Applies a JSON merge patch (RFC 7386), bound to a resourceVersion where it names one. */
export function patchObject(server: Server, target: Target, patch: unknown): Stored {
  const before = existing(server, target);
  return updateObject(server, target, applyMergePatch({ ...before, apiVersion: apiVersionOf(target.type) }, patch));
}

/** `DeleteOptions` as far as the stand-in reads them. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Removes an object, or marks it where finalizers hold it. `gone` tells which. */
export function deleteObject(
  server: Server,
  target: Target,
  wanted: Preconditions,
): { readonly object: Stored; readonly gone: boolean } {
  const { type, name } = target;
  const before = existing(server, target);
  const { uid, resourceVersion } = before.metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    throw preconditionFailed(type, name, {
      field: 'UID',
      want: wanted.uid,
      have: uid,
      how: 'deleted and then recreated',
    });
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const mismatch = { field: 'ResourceVersion', want: wanted.resourceVersion, have: resourceVersion } as const;
    throw preconditionFailed(type, name, { ...mismatch, how: 'modified' });
  }
  const storageKey = storageKeyOf(type);
  const isNamespace = storageKey === '/namespaces';
  if ((before.metadata.finalizers ?? []).length === 0 && !isNamespace) {
    return { object: target.dryRun === true ? before : server.store.remove(storageKey, before), gone: true };
  }
  if (before.metadata.deletionTimestamp !== undefined || target.dryRun === true) return { object: before, gone: false };
  const { generation } = before.metadata;
  const metadata = {
    ...before.metadata,
    deletionTimestamp: rfc3339(server.origin.clock.now()),
    ...(!isNamespace && { deletionGracePeriodSeconds: 0 }),
    ...(generation !== undefined && { generation: generation + 1 }),
  };
  const marked = { ...before, metadata, ...(isNamespace && { status: { phase: 'Terminating' } }) };
  return { object: server.store.put(storageKey, marked), gone: false };
}

function replace(server: Server, target: Target, before: Stored, given: Stored): Stored {
  const { type, part } = target;
  const storageKey = storageKeyOf(type);
  let next: Stored;
  if (part === 'status') {
    next = checked(server, type, withStatus(before, given['status']), before);
  } else {
    const metadata = updatedMetadata(before.metadata, given.metadata);
    const whole = { ...given, metadata };
    const keepsStatus = type.statusSubresource && part !== 'whole';
    next = checked(server, type, keepsStatus ? withStatus(whole, before['status']) : whole, before);
    if (metadata.deletionTimestamp !== undefined) refuseNewFinalizers(type, before.metadata, metadata);
    next = { ...next, metadata: { ...next.metadata, ...generationOf(type, before, next) } };
  }
  const released = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
  if (released && storageKey !== '/namespaces') {
    // The watch tells the object as it was stored last; the answer is what was sent.
    if (target.dryRun !== true) server.store.remove(storageKey, before);
    return next;
  }
  if (equal(before, next)) return before;
  return target.dryRun === true ? next : server.store.put(storageKey, next);
}

function generationOf(type: ServedType, before: Stored, next: Stored): Pick<ObjectMeta, 'generation'> {
  const { generation } = before.metadata;
  if (generation === undefined) return {};
  const matter = (object: Stored) => {
    const { metadata, status, ...rest } = object;
    const labels = rulesOf(type).generation === 'spec-and-labels' ? (metadata.labels ?? {}) : {};
    return { ...rest, labels, status: type.statusSubresource ? undefined : status };
  };
  return { generation: equal(matter(before), matter(next)) ? generation : generation + 1 };
}

function checked(server: Server, type: ServedType, object: Stored, before: Stored | undefined): Stored {
  const admitted =
    type.schema === undefined ? admitBuiltIn(type, object, before, server.facts) : server.admitCustom(type, object);
  const errors: readonly FieldError[] = [...metadataErrors(type, object), ...admitted.errors];
  if (errors.length > 0) throw invalid(type, object.metadata.name, errors);
  return admitted.object;
}

/** The body as an object of the kind, without its apiVersion. */
function decoded(type: ServedType, body: unknown): Stored {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${type.kind}): it is no JSON object`);
  }
  const { apiVersion, ...given } = body as Partial<Stored>;
  const { kind = type.schema === undefined ? type.kind : undefined, metadata } = given;
  if (kind === undefined) {
    throw badRequest(`the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing`);
  }
  if (kind !== type.kind) {
    const name = metadata?.name ?? '';
    throw invalid({ group: type.group, kind }, name, [invalidValue('kind', kind, `must be ${type.kind}`)]);
  }
  const expected = apiVersionOf(type);
  if ((apiVersion ?? expected) !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  const { name = '', ...rest }: Partial<ObjectMeta> = metadata ?? {};
  return { ...given, kind, metadata: { ...rest, name } };
}

function existing(server: Server, target: Target): Stored {
  const found = server.store.get(storageKeyOf(target.type), keyOf(target));
  if (found === undefined) throw notFound(target.type, target.name);
  return found;
}

function checkNamespace(server: Server, type: ServedType, namespace: string | undefined, name: string): void {
  if (namespace === undefined) return;
  const found = server.store.get('/namespaces', namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `${resourceNameOf(type)} "${name}" is forbidden: ${why}`;
  const cause = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message: cause, field: 'metadata.namespace' }];
  throw about(type, name, { reason: 'Forbidden', message, causes });
}

function refuseNewFinalizers(type: ServedType, before: ObjectMeta, next: ObjectMeta): void {
  const added = (next.finalizers ?? []).filter((finalizer) => !(before.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return;
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  throw invalid(type, before.name, [{ path: 'metadata.finalizers', type: 'Forbidden', value: '', detail }]);
}

interface Mismatch {
  readonly field: 'UID' | 'ResourceVersion';
  readonly want: string;
  readonly have: string | undefined;
  readonly how: string;
}

function preconditionFailed(type: ServedType, name: string, { field, want, have, how }: Mismatch): Refusal {
  // This refusal names the kind where others name the resource.
  const kind = { group: type.group, plural: type.kind };
  const why = `the ${field} in the precondition (${want}) does not match the ${field} in record (${have}). The object might have been ${how}`;
  return conflict(kind, name, why);
}

function withStatus(object: Stored, status: unknown): Stored {
  const { status: _, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}
